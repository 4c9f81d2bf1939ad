// SPDX-License-Identifier: Apache-2.0
// Ceilings (declaration.md D-11 to D-15) and narrowing by options (plan.md N-14).
#include <algorithm>
#include <array>
#include <set>

#include "verify/declaration.h"
#include "verify/digest.h"
#include "verify/encoding.h"
#include "verify/value_forms.h"
#include "verify/jsonc.h"
#include "verify/limits.h"
#include "verify/policy_path.h"

namespace ethos::verify {
namespace {

constexpr std::size_t kMaxList = 256;
constexpr std::size_t kMaxKeys = 1024;

Value sorted_texts(std::vector<std::string> texts) {
  std::sort(texts.begin(), texts.end());
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  Value out = Value::array();
  for (std::string& text : texts) out.push(Value::of(std::move(text)));
  return out;
}

bool ceiling_name(const Value& v) {
  return given_text<1, 64>(v) && std::all_of(v.text().begin(), v.text().end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
           c == '/' || c == '+' || c == '-';
  });
}

bool env_pattern(const Value& v) {
  return given_text<1, 128>(v) && std::all_of(v.text().begin(), v.text().end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '*';
  });
}

bool given_digest(const Value& v) { return v.is_string() && Digest::from_text(v.text()).has_value(); }

bool public_key(const Value& v) {
  const auto bytes = decode_base64(v.text());
  return v.is_string() && bytes && bytes->size() == 32;
}

using Form = bool (*)(const Value&);

bool list(const Value& v, Form form, std::size_t most) {
  return v.is_array() && v.size() <= most && std::all_of(v.items().begin(), v.items().end(), form);
}

Result<Value> ceiling_paths(const Value& v) {
  if (!list(v, given_text<1, 4096>, kMaxList)) return malformed("a ceiling's path list is malformed");
  std::vector<std::string> out;
  for (const Value& item : v.items()) {
    auto path = normal_path(item.text());
    if (!path) return std::move(path).error();
    out.push_back(*std::move(path));
  }
  return sorted_texts(std::move(out));
}

Result<Value> ceiling_limits(const Value& v) {
  if (!v.is_object()) return malformed("a ceiling's `limits` is not an object");
  Value out = Value::object();
  for (std::size_t i = 0; i < v.size(); ++i) {
    const LimitRule* rule = limit_by_key(v.keys()[i]);
    if (rule == nullptr) return malformed("a ceiling names an unknown limit");
    const auto value = parse_limit(*rule, v.items()[i]);
    if (!value) return value.error();
    out.set(rule->name, Value::of(*value));
  }
  return out;
}

Result<Value> ceiling_words(const Value& v, Form form) {
  if (!list(v, form, kMaxList)) return malformed("a ceiling's list holds an unknown word");
  std::vector<std::string> out;
  for (const Value& item : v.items()) out.push_back(item.text());
  return sorted_texts(std::move(out));
}

// The canonical value of one key; kind none: the key is not part of the canonical form.
Result<Value> ceiling_key(const std::string& key, const Value& v) {
  if (key == "read" || key == "write" || key == "exec") return ceiling_paths(v);
  if (key == "network") return ceiling_words(v, given_word<"none", "loopback">);
  if (key == "git") return ceiling_words(v, given_word<"none", "read">);
  if (key == "profiles") return ceiling_words(v, given_word<"lint-offline", "build-offline", "no-proc">);
  if (key == "env_deny") return ceiling_words(v, env_pattern);
  if (key == "limits") return ceiling_limits(v);
  if (key == "name") return ceiling_name(v) ? Result<Value>(v) : malformed("a ceiling's `name` is none");
  const bool good = key == "pinned"          ? list(v, given_digest, kMaxKeys)
                    : key == "decision_keys" ? list(v, public_key, kMaxKeys)
                    : key == "$schema"       ? v.is_string()
                    : key == "version"       ? v.is_integer() && v.number() == 1
                                             : false;
  if (!good) return malformed("a ceiling's `" + key + "` is unknown or malformed");
  return Value();
}

// Reading order of words that go from narrow to wide.
std::ptrdiff_t rank(const std::string& word, std::initializer_list<std::string_view> order) {
  const auto at = std::find(order.begin(), order.end(), word);
  return at - order.begin();
}

const Value* entry_by(const Value& list, const char* key, const std::string& value) {
  for (const Value& item : list.items()) {
    if (item.text_at(key) == value) return &item;
  }
  return nullptr;
}

bool special(const std::string& path) { return path == "@memory" || path == "@scratch"; }

bool paths_narrower(const std::string& key, const Value& narrow, const Value& wide) {
  for (const Value& item : narrow.items()) {
    const std::string& path = item.text_at("path");
    const bool exact = key == "exec" && special(path);
    const bool covered = std::any_of(wide.items().begin(), wide.items().end(), [&](const Value& other) {
      const std::string& parent = other.text_at("path");
      const bool holds = exact ? path == parent
                               : !(key == "exec" && special(parent)) && within(path, parent);
      if (!holds) return false;
      return key == "write" ? !item.at("delete").flag() || other.at("delete").flag()
                            : item.at("optional").flag() == other.at("optional").flag();
    });
    if (!covered) return false;
  }
  return true;
}

bool env_narrower(const Value& narrow, const Value& wide) {
  return std::all_of(narrow.items().begin(), narrow.items().end(), [&](const Value& item) {
    const Value* other = entry_by(wide, "name", item.text_at("name"));
    return other != nullptr && *other == item;
  });
}

bool hide_wider(const Value& narrow, const Value& wide) {
  return std::all_of(wide.items().begin(), wide.items().end(), [&](const Value& pattern) {
    return std::find(narrow.items().begin(), narrow.items().end(), pattern) != narrow.items().end();
  });
}

bool limits_narrower(const Value& narrow, const Value& wide) {
  for (std::size_t i = 0; i < wide.size(); ++i) {
    const Value* value = narrow.find(wide.keys()[i]);
    if (value == nullptr || value->number() > wide.items()[i].number()) return false;
  }
  return true;
}

bool enforce_narrower(const Value& narrow, const Value& wide) {
  for (std::size_t i = 0; i < wide.size(); ++i) {
    const Value* list = narrow.find(wide.keys()[i]);
    if (list == nullptr) return false;
    auto from = wide.items()[i].items().begin();
    for (const Value& item : list->items()) {
      from = std::find(from, wide.items()[i].items().end(), item);
      if (from == wide.items()[i].items().end()) return false;
      ++from;
    }
  }
  return true;
}

bool narrower(const std::string& key, const Value& a, const Value& b) {
  if (key == "read" || key == "write" || key == "exec") return paths_narrower(key, a, b);
  if (key == "env") return env_narrower(a, b);
  if (key == "hide") return hide_wider(a, b);
  if (key == "limits") return limits_narrower(a, b);
  if (key == "enforce") return enforce_narrower(a, b);
  if (key == "network") return rank(a.text(), {"none", "loopback"}) <= rank(b.text(), {"none", "loopback"});
  if (key == "git") return rank(a.text(), {"none", "read"}) <= rank(b.text(), {"none", "read"});
  if (key == "observe") return rank(a.text(), {"off", "writes", "all"}) >= rank(b.text(), {"off", "writes", "all"});
  return false;
}

}  // namespace

bool is_canonical_ceiling(const Value& ceiling) {
  if (!ceiling.has("name")) return false;
  for (const std::string& key : ceiling.keys()) {
    const Value& value = ceiling.at(key);
    if (key == "limits") {
      if (!value.is_object()) return false;
      for (const std::string& name : value.keys()) {
        const LimitRule* rule = limit_by_name(name);
        const Value& limit = value.at(name);
        if (rule == nullptr || !limit.is_integer() || limit.number() < rule->least || limit.number() > rule->most) return false;
      }
      continue;
    }
    const auto canonical = ceiling_key(key, value);
    if (!canonical || canonical->kind() == Value::Kind::none || !(*canonical == value)) return false;
  }
  return true;
}

Result<Value> canonical_ceiling(std::string_view text) {
  auto parsed = parse_jsonc(text);
  if (!parsed) return std::move(parsed).error();
  if (!parsed->is_object() || !parsed->has("version") || !parsed->has("name")) {
    return malformed("a ceiling has no `version` or no `name`");
  }
  Value out = Value::object();
  for (std::size_t i = 0; i < parsed->size(); ++i) {
    auto value = ceiling_key(parsed->keys()[i], parsed->items()[i]);
    if (!value) return std::move(value).error();
    if (value->kind() != Value::Kind::none) out.set(parsed->keys()[i], *std::move(value));
  }
  return out;
}

const Value& builtin_ceiling() {
  static const Value ceiling = [] {
    auto parsed = canonical_ceiling(R"({"version":1,
      "env_deny":["*API_KEY*","*APIKEY*","*AUTH*","*CREDENTIAL*","*PASSWD*","*PASSWORD*","*PRIVATE*","*SECRET*",
        "*TOKEN*","AWS_*","AZURE_*","GOOGLE_*","SSH_*"],
      "exec":[".","/bin","/lib","/lib32","/lib64","/libx32","/opt","/sbin","/usr","@memory","@scratch"],
      "git":["none","read"],"limits":{},"name":"workspace/1","network":["none","loopback"],
      "profiles":["build-offline","lint-offline","no-proc"],
      "read":[".","/bin","/etc/alternatives","/etc/java-17-openjdk","/etc/mime.types","/etc/ssl/certs","/lib",
        "/lib32","/lib64","/libx32","/opt","/sbin","/usr"],
      "write":["."]})");
    assert(parsed.ok());
    return *std::move(parsed);
  }();
  return ceiling;
}

std::string check_narrowed(const Value& normal, const Value& declared) {
  std::set<std::string> named;
  for (const Value& key : normal.at("narrowed").items()) named.insert(key.text());
  for (const std::string& key : normal.keys()) {
    if (key != "narrowed" && !declared.has(key)) return key;
  }
  for (std::size_t i = 0; i < declared.size(); ++i) {
    const std::string& key = declared.keys()[i];
    const Value* value = normal.find(key);
    if (value == nullptr) return key;
    if (*value == declared.items()[i]) {
      // `narrowed` names exactly the keys that differ.
      if (named.contains(key)) return "narrowed";
      continue;
    }
    if (!named.contains(key) || !narrower(key, *value, declared.items()[i])) return key;
  }
  return "";
}

}  // namespace ethos::verify
