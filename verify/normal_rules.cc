// SPDX-License-Identifier: Apache-2.0
#include "verify/normal_rules.h"

#include <algorithm>
#include <string_view>

#include "verify/declaration.h"
#include "verify/encoding.h"
#include "verify/limits.h"
#include "verify/policy_path.h"

namespace ethos::verify {
namespace {

constexpr std::size_t kMaxToolName = 64;

bool is_name_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '+' || c == '-';
}

// The name of an ad hoc run: the last component of its command.
std::string tool_of(const std::string& command) {
  std::string name = command.substr(command.rfind('/') + 1).substr(0, kMaxToolName);
  for (char& c : name) {
    if (!is_name_byte(c)) c = '_';
  }
  if (name.empty() || name[0] == '-') name.insert(0, "_");
  return name.substr(0, kMaxToolName);
}

// D-9: anchored, or at any depth; another form matches nothing and reads as if it did.
bool is_full_form(std::string_view pattern) {
  const std::string_view body =
      pattern.ends_with('/') ? pattern.substr(0, pattern.size() - 1) : pattern;
  return body == "**" || body.starts_with('/') || body.starts_with("**/");
}

std::string check_hide(const Value& patterns) {
  const Value* last = nullptr;
  for (const Value& pattern : patterns.items()) {
    if (last != nullptr && last->text() >= pattern.text())
      return "`hide` is not sorted, each pattern once";
    if (!is_full_form(pattern.text()))
      return "a pattern of `hide` is not in full form: " + printable(pattern.text(), 200);
    last = &pattern;
  }
  return "";
}

std::string check_enforce(const Value& enforce) {
  for (const std::string& name : enforce.keys()) {
    const auto& list = enforce.at(name).items();
    for (std::size_t i = 0; i < list.size(); ++i) {
      for (std::size_t before = 0; before < i; ++before) {
        if (list[before] == list[i]) return "`enforce` names a means twice";
      }
    }
  }
  return "";
}

// What a command line can ask for: there is no file to hold it against.
std::string check_options(const Value& normal) {
  const auto& command = normal.at("command").items();
  if (command.size() != 1) return "the command of an ad hoc run is its first word alone";
  if (normal.text_at("tool") != tool_of(command[0].text()))
    return "the tool of an ad hoc run is not named after its command";
  const bool is_plain = normal.text_at("args") == "any" && normal.text_at("class") == "namespace" &&
                        normal.text_at("on_output_limit") == "kill" &&
                        !normal.has("output_format") && !normal.has("narrowed");
  if (!is_plain) return "options ask for what only a declaration can";
  for (const Value& entry : normal.at("env").items()) {
    const std::string& name = entry.text_at("name");
    if (!may_name_variable(name, entry.has("value")))
      return "`env` holds a name that is refused: " + printable(name, 200);
  }
  for (const char* key : {"read", "exec"}) {
    for (const Value& entry : normal.at(key).items()) {
      if (entry.at("optional").flag()) return "no option makes a path optional";
    }
  }
  const bool is_building = normal.text_at("profile") == "build-offline";
  for (const LimitRule& rule : limit_rules()) {
    const bool has_default = (is_building ? rule.building : rule.usual) >= 0;
    if (has_default && !normal.at("limits").has(rule.name))
      return "a limit that has a default is not there: " + std::string(rule.name);
  }
  return "";
}

}  // namespace

std::string check_normal_rules(const Value& normal) {
  constexpr std::size_t kMaxCommand = 256;
  if (normal.at("command").size() < 1 || normal.at("command").size() > kMaxCommand)
    return "`command` is not 1 to 256 words";
  for (const Value& ceiling : normal.at("ceilings").items()) {
    if (!is_canonical_ceiling(ceiling))
      return "a ceiling has not the form it must have: " + printable(ceiling.text_at("name"), 100);
  }
  std::string wrong = check_hide(normal.at("hide"));
  if (wrong.empty()) wrong = check_enforce(normal.at("enforce"));
  if (wrong.empty() && normal.text_at("origin") == "options") wrong = check_options(normal);
  return wrong;
}

std::string absolute_in_workspace(const Value& normal, const std::string& workspace) {
  for (const char* key : {"read", "write", "exec"}) {
    for (const Value& entry : normal.at(key).items()) {
      const std::string& path = entry.text_at("path");
      if (path.starts_with('/') && within(path, workspace)) return path;
    }
  }
  return "";
}

bool may_name_workspace(const Value& normal) {
  for (const char* key : {"read", "write", "exec"}) {
    for (const Value& entry : normal.at(key).items()) {
      const std::string& path = entry.text_at("path");
      const bool is_runtime = within(path, "/usr") || within(path, "/bin") ||
                              within(path, "/sbin") || within(path, "/etc") ||
                              path.starts_with("/lib");
      if (path.starts_with('/') && !is_runtime) return true;
    }
  }
  return false;
}

}  // namespace ethos::verify
