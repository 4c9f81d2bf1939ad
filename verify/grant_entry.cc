// SPDX-License-Identifier: Apache-2.0
#include "verify/grant_entry.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "verify/asserted_path.h"
#include "verify/encoding.h"
#include "verify/forms.h"
#include "verify/limits.h"
#include "verify/policy_path.h"
#include "verify/view.h"

namespace ethos::verify {
namespace {

using Keys = std::vector<std::string_view>;

struct Form {
  std::string_view cap;
  Keys needed;
  Keys allowed;  // besides; those that only a record or plan has are not looked at
};

const std::array<Form, 9>& forms() {
  static const std::array<Form, 9> kForms{
      {{"fs.read", {"path"}, {"dev", "ino", "type"}},
       {"fs.write", {"path"}, {"created", "delete", "dev", "ino", "staged", "type"}},
       {"fs.exec", {"path"}, {"dev", "ino", "type"}},
       {"exec.memory", {}, {}},
       {"exec.scratch", {}, {}},
       {"fs.hide", {"patterns"}, {"matches"}},
       {"network", {"mode"}, {}},
       {"git", {"mode"}, {"layout"}},
       {"env", {}, {"fixed", "pass"}}}};
  return kForms;
}

const Form& limit_form() {
  static const Form kLimit{"limit", {"name", "value"}, {"enforced_by"}};
  return kLimit;
}

bool holds(const Keys& keys, std::string_view key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

std::string quoted(std::string_view text) { return "`" + printable(text, 60) + "`"; }

std::string limit_names() {
  std::string out;
  for (const LimitRule& rule : limit_rules()) out.append(out.empty() ? "" : ", ").append(rule.name);
  return out;
}

std::string caps() {
  std::string out;
  for (const Form& form : forms()) out.append(form.cap).append(", ");
  return out + "limit";
}

// Of one entry; the error is one clause about it.
class EntryReader {
 public:
  explicit EntryReader(const Value& entry) : entry_(entry), out_(entry) {}

  Result<Value> read() {
    if (!entry_.is_object()) return malformed("is no object");
    if (!entry_.at("cap").is_string())
      return malformed("key `cap` is missing; it is one of: " + caps());
    const std::string& cap = entry_.text_at("cap");
    const Form* form = cap == "limit" ? &limit_form() : nullptr;
    for (const Form& one : forms()) form = one.cap == cap ? &one : form;
    if (form == nullptr)
      return malformed("key `cap`: there is no " + quoted(cap) + "; it is one of: " + caps());
    for (const std::string_view key : form->needed) {
      if (!entry_.has(key)) return malformed("(" + cap + "): key " + quoted(key) + " is missing");
    }
    for (const std::string& key : entry_.keys()) {
      if (key != "cap" && !holds(form->needed, key) && !holds(form->allowed, key))
        return malformed("(" + cap + "): there is no key " + quoted(key));
    }
    if (const std::string fault = values(cap); !fault.empty())
      return malformed("(" + cap + "): " + fault);
    return std::move(out_);
  }

 private:
  std::string values(const std::string& cap) {
    if (entry_.has("path")) return path();
    if (cap == "network") return mode({"none", "loopback"});
    if (cap == "git") return mode({"none", "read"});
    if (cap == "fs.hide") return patterns();
    if (cap == "env") {
      for (const char* key : {"fixed", "pass"}) {
        if (const std::string fault = texts(key); !fault.empty()) return fault;
        for (const Value& name : entry_.at(key).items()) {
          if (name.text().find('=') != std::string::npos) return "key `" + std::string(key) + "`: " + quoted(name.text()) + " is more than the name of a variable";
        }
      }
    }
    return cap == "limit" ? limit() : "";
  }

  std::string path() {
    if (entry_.has("delete") && !entry_.at("delete").is_boolean())
      return "key `delete` is not true or false";
    const Value& path = entry_.at("path");
    if (path.is_object()) {
      const std::string text = encode_canonical(path);
      return !path.has("commit") && plain_path(View(text))
                 ? ""
                 : "key `path` is no path: a text, or {\"base\",\"path\"} as in a record, not "
                   "committed";
    }
    if (entry_.text_at("cap") == "fs.exec" && (path.text() == "@memory" || path.text() == "@scratch"))
      return "`" + path.text() + "` is a grant of its own: {\"cap\":\"exec." + path.text().substr(1) + "\"}";
    const auto normal = path.is_string() ? asserted_path(path.text())
                                         : Result<std::string>(malformed("it is no text"));
    if (!normal) return "key `path` is no path: " + normal.error().what;
    const bool is_absolute = normal->front() == '/';
    Value object = Value::object();
    object.set("base", Value::of(is_absolute ? "host" : "workspace"))
        .set("path", Value::of(*normal == "/" ? "."
                               : is_absolute  ? normal->substr(1)
                                              : *normal));
    out_.set("path", std::move(object));
    return "";
  }

  std::string mode(const Keys& words) const {
    if (holds(words, entry_.text_at("mode"))) return "";
    return "key `mode` is not one of: " + std::string(words[0]) + ", " + std::string(words[1]);
  }

  std::string texts(const char* key) {
    if (!entry_.has(key)) {
      out_.set(key, Value::array());
      return "";
    }
    const Value& list = entry_.at(key);
    const bool fits = list.is_array() &&
                      std::all_of(list.items().begin(), list.items().end(), [](const Value& v) {
                        return v.is_string() && !v.text().empty();
                      });
    return fits ? "" : "key `" + std::string(key) + "` is no list of texts";
  }

  // In the form in which a run has them (D-9).
  std::string patterns() {
    if (std::string fault = texts("patterns"); !fault.empty()) return fault;
    Value full = Value::array();
    for (const Value& pattern : entry_.at("patterns").items()) {
      if (is_shown_path(pattern.text())) return "key `patterns`: " + quoted(pattern.text()) + " is how a path is shown; a pattern is written as `**/.env` or `/secrets/`";
      auto normal = full_pattern(pattern.text());
      if (!normal) return "key `patterns`: " + quoted(pattern.text()) + ": " + normal.error().what;
      full.push(Value::of(*std::move(normal)));
    }
    out_.set("patterns", std::move(full));
    return "";
  }

  std::string limit() {
    const std::string& name = entry_.text_at("name");
    if (limit_by_name(name) == nullptr) {
      const LimitRule* rule = limit_by_key(name);
      return "key `name`: there is no limit " + quoted(name) +
             (rule == nullptr ? "; the limits are: " + limit_names() : "; `" + std::string(rule->name) + "` is meant");
    }
    const Value& value = entry_.at("value");
    if (value.is_integer() && value.number() >= 0)
      out_.set("value", Value::of(std::to_string(value.number())));
    return parse_decimal(out_.text_at("value")) ? "" : "key `value` of limit " + quoted(name) + " is no number (no unit is written in a list of grants)";
  }

  const Value& entry_;
  Value out_;
};

}  // namespace

Result<std::vector<Value>> approved_grants(const std::vector<Value>& entries) {
  std::vector<Value> out;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    auto entry = EntryReader(entries[i]).read();
    if (!entry) return malformed("entry " + std::to_string(i + 1) + " " + entry.error().what);
    out.push_back(*std::move(entry));
  }
  return out;
}

}  // namespace ethos::verify
