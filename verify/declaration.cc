// SPDX-License-Identifier: Apache-2.0
#include "verify/declaration.h"

#include <algorithm>
#include <array>
#include <map>

#include "verify/encoding.h"
#include "verify/value_forms.h"
#include "verify/jsonc.h"
#include "verify/limits.h"
#include "verify/policy_path.h"

namespace ethos::verify {
namespace {

constexpr std::array<std::string_view, 16> kToolKeys{
    "args", "class", "command", "enforce", "env", "exec", "git", "hide", "limits", "network", "observe",
    "on_output_limit", "output_format", "profile", "read", "write"};

bool tool_name(std::string_view name) {
  if (name.empty() || name.size() > 64 || name[0] == '-') return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
           c == '+' || c == '-';
  });
}

bool output_format(const Value& v) {
  return given_text<1, 32>(v) && std::all_of(v.text().begin(), v.text().end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

bool env_name(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && name.size() <= 128 && letter(name[0]) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

// D-5: names through which a caller could change the tool from outside.
bool env_refused(std::string_view name, bool fixed) {
  if (name.starts_with("LD_") || name == "GLIBC_TUNABLES") return true;
  if (fixed) return false;
  return (name.starts_with("GIT_") && name != "GIT_PAGER") || name == "BASH_ENV" || name == "ENV" ||
         name == "PYTHONSTARTUP" || name == "NODE_OPTIONS";
}

std::string shown(std::string_view text) { return printable(text, 60); }

template <class List>
std::string listed(const List& words) {
  std::string out;
  for (const auto& word : words) out.append(out.empty() ? "" : ", ").append(word);
  return out;
}

std::string limit_keys() {
  std::string out;
  for (const LimitRule& rule : limit_rules()) out.append(out.empty() ? "" : ", ").append(rule.key);
  return out;
}

// What stands there, shortened, for a message.
std::string value_text(const Value& v) {
  if (v.is_string()) return "`" + shown(v.text()) + "`";
  if (v.is_integer()) return std::to_string(v.number());
  return v.is_array() ? "a list" : v.is_object() ? "an object" : "no text";
}

}  // namespace

bool may_name_variable(std::string_view name, bool fixed) { return env_name(name) && !env_refused(name, fixed); }

namespace {

// Reads one tool into the keys of the normal form.
class ToolReader {
 public:
  ToolReader(const Value& tool, const NormalInput& input) : tool_(tool), input_(input) {}

  Result<Value> read() {
    if (!tool_.is_object()) return malformed("not an object");
    for (const std::string& key : tool_.keys()) {
      if (std::find(kToolKeys.begin(), kToolKeys.end(), key) == kToolKeys.end()) {
        return malformed("there is no key `" + shown(key) + "`; the keys are: " + listed(kToolKeys));
      }
    }
    normal_ = Value::object();
    const bool good = command() && words() && paths("read") && paths("write") && paths("exec") && hide() && env() &&
                      limits() && enforce();
    if (!good) return error_;
    normal_.set("v", Value::of(std::int64_t{1}));
    return normal_;
  }

 private:
  bool fail(std::string what, Errc code = Errc::malformed) {
    error_ = Error{code, std::move(what), -1};
    return false;
  }
  bool building() const { return normal_.text_at("profile") == "build-offline"; }

  bool command() {
    const Value& v = tool_.at("command");
    if (!tool_.has("command")) return fail("`command` is missing: 1 to 256 texts, the program and its arguments");
    if (!given_array<given_text<1, 4096>>(v) || v.size() < 1 || v.size() > 256) return fail("`command` is not 1 to 256 texts of 1 to 4,096 bytes");
    normal_.set("command", v);
    return true;
  }

  template <Literal... Words>
  bool word(const char* key, const char* otherwise) {
    const Value* v = tool_.find(key);
    if (v != nullptr && !given_word<Words...>(*v)) {
      constexpr std::array<std::string_view, sizeof...(Words)> known{Words.view()...};
      return fail("`" + std::string(key) + "` is " + value_text(*v) + ", and not one of: " + listed(known));
    }
    normal_.set(key, v != nullptr ? *v : Value::of(otherwise));
    return true;
  }

  bool format() {
    const Value* v = tool_.find("output_format");
    if (v != nullptr && !output_format(*v)) return fail("`output_format` is not 1 to 32 of a-z, 0-9 and `-`");
    if (v != nullptr) normal_.set("output_format", *v);
    return true;
  }

  bool words() {
    return word<"lint-offline", "build-offline", "no-proc">("profile", "lint-offline") &&
           word<"none", "loopback">("network", "none") && word<"none", "read">("git", "none") &&
           word<"off", "writes", "all">("observe", "writes") && word<"any", "paths", "fixed">("args", "any") &&
           word<"namespace", "microvm">("class", "namespace") && word<"kill", "truncate">("on_output_limit", "kill") && format();
  }

  // The defaults of table P.
  Value profile_paths(std::string_view key) const {
    Value out = Value::array();
    if (key == "read" || (key == "exec" && building())) out.push(Value::of("."));
    if (key == "exec" && building()) out.push(Value::of("@scratch"));
    return out;
  }

  bool paths(const std::string& key) {
    const std::string flag_name = key == "write" ? "delete" : "optional";
    const Value* declared = tool_.find(key);
    const Value list = declared != nullptr ? *declared : profile_paths(key);
    if (!list.is_array() || list.size() > 256) return fail("`" + key + "` is not a list of at most 256 paths");
    std::map<std::string, bool> merged;
    for (const Value& item : list.items()) {
      bool flag = false;
      std::string text;
      if (!entry(item, flag_name, text, flag))
        return fail("`" + key + "` holds " + value_text(item) + ", which is neither a path nor {\"path\", \"" + flag_name + "\"}");
      auto path = normal_path(text);
      if (!path) return fail("`" + key + "`, `" + shown(text) + "`: " + path.error().what);
      if ((*path)[0] == '/') {
        if (!input_.workspace && !input_.keep_absolute) return fail("the workspace's path is not known", Errc::not_found);
        if (input_.workspace) *path = relative_to_workspace(*path, *input_.workspace);
      }
      const auto [at, is_new] = merged.try_emplace(*path, flag);
      if (!is_new) at->second = key == "write" ? (at->second || flag) : (at->second && flag);
    }
    Value out = Value::array();
    for (const auto& [path, flag] : merged) {
      Value v = Value::object();
      v.set(flag_name, Value::of(flag)).set("path", Value::of(path));
      out.push(std::move(v));
    }
    normal_.set(key, std::move(out));
    return true;
  }

  static bool entry(const Value& item, const std::string& flag_name, std::string& text, bool& flag) {
    if (item.is_string()) {
      text = item.text();
      return true;
    }
    if (!item.is_object() || !item.at("path").is_string()) return false;
    const Value* given = item.find(flag_name);
    if (item.size() != (given == nullptr ? 1U : 2U) || (given != nullptr && !given->is_boolean())) return false;
    text = item.text_at("path");
    flag = given != nullptr && given->flag();
    return true;
  }

  bool hide() {
    const Value* declared = tool_.find("hide");
    std::vector<std::string> patterns;
    if (declared != nullptr) {
      if (!given_array<given_text<0, 1024>>(*declared) || declared->size() > 128) return fail("`hide` is not at most 128 patterns");
      for (const Value& v : declared->items()) {
        auto pattern = full_pattern(v.text());
        if (!pattern) return fail("`hide`, `" + shown(v.text()) + "`: " + pattern.error().what);
        patterns.push_back(*std::move(pattern));
      }
    }
    std::sort(patterns.begin(), patterns.end());
    patterns.erase(std::unique(patterns.begin(), patterns.end()), patterns.end());
    Value out = Value::array();
    for (std::string& pattern : patterns) out.push(Value::of(std::move(pattern)));
    normal_.set("hide", std::move(out));
    return true;
  }

  bool env() {
    const Value* declared = tool_.find("env");
    std::map<std::string, std::optional<std::string>> entries;
    if (declared != nullptr) {
      if (!given_array<given_text<1, 4096>>(*declared) || declared->size() > 128) return fail("`env` is not at most 128 strings");
      for (const Value& v : declared->items()) {
        const auto equals = v.text().find('=');
        const bool fixed = equals != std::string::npos;
        const std::string name = v.text().substr(0, equals);
        if (!env_name(name)) return fail("`env` holds `" + shown(name) + "`, which is no name of a variable");
        if (env_refused(name, fixed)) return fail("`env` holds " + name + ", which is refused");
        std::optional<std::string> value;
        if (fixed) value = v.text().substr(equals + 1);
        if (!entries.emplace(name, std::move(value)).second) return fail("`env` names " + name + " twice");
      }
    }
    Value out = Value::array();
    for (auto& [name, value] : entries) {
      Value v = Value::object();
      v.set("name", Value::of(name));
      if (value) v.set("value", Value::of(*std::move(value)));
      out.push(std::move(v));
    }
    normal_.set("env", std::move(out));
    return true;
  }

  bool limits() {
    static const Value none = Value::object();
    const Value* found = tool_.find("limits");
    const Value& declared = found != nullptr ? *found : none;
    if (!declared.is_object()) return fail("`limits` is not an object");
    for (const std::string& key : declared.keys()) {
      if (limit_by_key(key) == nullptr) return fail("`limits`: there is no limit `" + shown(key) + "`; the limits are: " + limit_keys());
    }
    Value out = Value::object();
    for (const LimitRule& rule : limit_rules()) {
      if (const Value* value = declared.find(rule.key)) {
        const auto parsed = parse_limit(rule, *value);
        if (!parsed) return fail(parsed.error().what);
        out.set(rule.name, Value::of(*parsed));
        continue;
      }
      std::int64_t value = building() ? rule.building : rule.usual;
      if (value < 0) continue;
      // Both live in memory, so their defaults never take more than a quarter of it (D-7).
      if (rule.key == "scratch" || rule.key == "staged") {
        value = std::clamp<std::int64_t>(out.at("memory_bytes").number() / 4, 1, value);
      }
      out.set(rule.name, Value::of(value));
    }
    normal_.set("limits", std::move(out));
    return true;
  }

  static bool enforce_list(const LimitRule& rule, const Value& declared, std::vector<std::string>& out) {
    const Value list = declared.is_string() ? Value::array({declared}) : declared;
    if (!list.is_array() || list.size() < 1 || list.size() > 3) return false;
    for (const Value& item : list.items()) {
      const bool known = item.is_string() && std::find(rule.possible.begin(), rule.possible.end(), item.text()) !=
                                                 rule.possible.end();
      if (!known || std::find(out.begin(), out.end(), item.text()) != out.end()) return false;
      out.push_back(item.text());
    }
    return true;
  }

  bool enforce() {
    static const Value none = Value::object();
    const Value* found = tool_.find("enforce");
    const Value& declared = found != nullptr ? *found : none;
    if (!declared.is_object()) return fail("`enforce` is not an object");
    Value out = Value::object();
    for (const LimitRule& rule : limit_rules()) {
      std::vector<std::string> list;
      if (const Value* given = declared.find(rule.key)) {
        if (!enforce_list(rule, *given, list)) return fail("`enforce`, `" + std::string(rule.key) + "`: " + value_text(*given) + " is not one or more of: " +
                                                                     (rule.possible.empty() ? "(nothing can be chosen)" : listed(rule.possible)));
        // Kept for last: a file is refused for its text before a tool is for its sense.
        if (!normal_.at("limits").has(rule.name)) without_value_ = rule.key;
      } else {
        list = default_enforce(rule);
      }
      if (!normal_.at("limits").has(rule.name)) continue;
      Value names = Value::array();
      for (std::string& name : list) names.push(Value::of(std::move(name)));
      out.set(rule.name, std::move(names));
    }
    for (const std::string& key : declared.keys()) {
      if (limit_by_key(key) == nullptr) return fail("`enforce`: there is no limit `" + shown(key) + "`; the limits are: " + limit_keys());
    }
    normal_.set("enforce", std::move(out));
    return without_value_.empty() || fail("`enforce` names `" + std::string(without_value_) + "`, which has no value in `limits`", Errc::refused);
  }

  const Value& tool_;
  const NormalInput& input_;
  Value normal_;
  Error error_;
  std::string_view without_value_;
};

}  // namespace

Result<Value> normal_from_declaration(const NormalInput& input) {
  auto parsed = parse_jsonc(input.source);
  if (!parsed) return std::move(parsed).error();
  const Value& file = *parsed;
  if (!file.is_object() || !file.at("version").is_integer() || file.at("version").number() != 1) {
    return malformed(file.has("version") ? "`version` is not 1" : "`version` is missing; it is 1");
  }
  for (const std::string& key : file.keys()) {
    if (key != "version" && key != "tools" && key != "$schema") return malformed("there is no key `" + shown(key) + "`; the keys are: $schema, tools, version");
  }
  if (file.has("$schema") && !file.at("$schema").is_string()) return malformed("`$schema` is not a string");
  const Value& tools = file.at("tools");
  if (!tools.is_object() || tools.size() < 1 || tools.size() > 256) return malformed("`tools` is not 1 to 256 tools");
  Result<Value> wanted = Error{Errc::not_found, "the declaration has no tool of that name"};
  for (std::size_t i = 0; i < tools.size(); ++i) {
    const std::string& name = tools.keys()[i];
    if (!tool_name(name)) return malformed("`" + shown(name) + "` is no name of a tool: 1 to 64 letters, digits, `.`, `_`, `+` and `-`, not with `-` first");
    auto normal = ToolReader(tools.items()[i], input).read();
    if (!normal && normal.error().code == Errc::malformed) return malformed("tool `" + name + "`: " + normal.error().what);
    if (name == input.tool) {
      // A rule of sense (N-13) or an unknown workspace concerns this tool alone.
      wanted = std::move(normal);
    }
  }
  if (!wanted) return wanted;
  wanted->set("tool", Value::of(input.tool)).set("origin", Value::of(input.origin)).set("ceilings", input.ceilings);
  return wanted;
}

}  // namespace ethos::verify
