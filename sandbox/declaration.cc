// SPDX-License-Identifier: Apache-2.0
#include "sandbox/declaration.h"

#include <algorithm>
#include <array>
#include <functional>
#include <set>

#include "sandbox/hide_pattern.h"
#include "sandbox/limits.h"
#include "sandbox/path_text.h"

namespace ethos::sandbox {
namespace {

using base::Errc;
using base::fail;
using base::Result;
using Kind = JsonNode::Kind;

constexpr std::size_t kMaxTools = 256;
constexpr std::size_t kMaxEntries = 256;
constexpr std::size_t kMaxEnv = 128;
constexpr std::size_t kMaxPatterns = 128;
constexpr std::size_t kMaxText = 4096;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

Result<std::vector<std::string>> read_texts(const JsonNode& node, std::size_t least,
                                            std::size_t most) {
  if (node.kind != Kind::array) return refuse_at(node, "an array of strings was expected");
  if (node.items.size() < least || node.items.size() > most)
    return refuse_at(
        node, std::to_string(least) + " to " + std::to_string(most) + " entries are allowed");
  std::vector<std::string> out;
  for (const JsonNode& item : node.items) {
    if (item.kind != Kind::string) return refuse_at(item, "a string was expected");
    if (item.text.empty() || item.text.size() > kMaxText)
      return refuse_at(item, "a string of 1 to 4096 bytes was expected");
    out.push_back(item.text);
  }
  return out;
}

// One entry of read, write or exec; `flag_key` is the boolean its object form may carry.
Result<PathEntry> read_path_entry(const JsonNode& node, std::string_view flag_key) {
  PathEntry entry;
  const JsonNode* path = &node;
  if (node.kind == Kind::object) {
    for (std::size_t i = 0; i < node.keys.size(); ++i) {
      const JsonNode& item = node.items[i];
      if (node.keys[i] == "path") continue;
      if (node.keys[i] != flag_key)
        return refuse_at(item, "unknown key \"" + node.keys[i].substr(0, 40) +
                                   "\"; an entry has: path, " + std::string(flag_key));
      if (item.kind != Kind::boolean) return refuse_at(item, "true or false was expected");
      (flag_key == "delete" ? entry.may_delete : entry.is_optional) = item.flag;
    }
    path = node.find("path");
    if (path == nullptr) return refuse_at(node, "\"path\" is missing");
  }
  if (path->kind != Kind::string) return refuse_at(*path, "a path was expected");
  if (!normalise_path(path->text))
    return refuse_at(*path, "a path of 1 to 4096 bytes without \"..\" was expected");
  entry.path = path->text;
  return entry;
}

Result<std::vector<PathEntry>> read_paths(const JsonNode& node, std::string_view flag_key) {
  if (node.kind != Kind::array) return refuse_at(node, "an array of paths was expected");
  if (node.items.size() > kMaxEntries) return refuse_at(node, "more than 256 entries");
  std::vector<PathEntry> out;
  for (const JsonNode& item : node.items) {
    auto entry = read_path_entry(item, flag_key);
    if (!entry) return base::Unexpected(std::move(entry).error());
    out.push_back(std::move(*entry));
  }
  return out;
}

Result<void> read_limits(const JsonNode& node, ToolDeclaration& tool) {
  if (node.kind != Kind::object) return refuse_at(node, "an object was expected");
  for (std::size_t i = 0; i < node.keys.size(); ++i) {
    const JsonNode& item = node.items[i];
    if (item.kind != Kind::integer && item.kind != Kind::string)
      return refuse_at(item, "a limit is an integer or a string: \"2GiB\", \"30s\", \"150%\", 64");
    if (auto set = set_limit(tool, node.keys[i], item.text); !set)
      return refuse_at(item, set.error().what);
  }
  return {};
}

Result<void> read_enforce(const JsonNode& node, ToolDeclaration& tool) {
  if (node.kind != Kind::object) return refuse_at(node, "an object was expected");
  for (std::size_t i = 0; i < node.keys.size(); ++i) {
    const JsonNode& item = node.items[i];
    std::vector<std::string> names;
    if (item.kind == Kind::string) {
      names.push_back(item.text);
    } else {
      auto list = read_texts(item, 1, 3);
      if (!list) return base::Unexpected(std::move(list).error());
      names = std::move(*list);
    }
    if (auto set = set_enforce(tool, node.keys[i], names); !set)
      return refuse_at(item, set.error().what);
  }
  return {};
}

Result<void> read_env(const JsonNode& node, ToolDeclaration& tool) {
  auto texts = read_texts(node, 0, kMaxEnv);
  if (!texts) return base::Unexpected(std::move(texts).error());
  std::set<std::string> seen;
  for (std::size_t i = 0; i < texts->size(); ++i) {
    auto entry = parse_env_entry((*texts)[i]);
    if (!entry) return refuse_at(node.items[i], entry.error().what);
    if (!seen.insert(entry->name).second)
      return refuse_at(node.items[i], entry->name + " is given twice");
    tool.env.push_back(std::move(*entry));
  }
  return {};
}

Result<void> read_hide(const JsonNode& node, ToolDeclaration& tool) {
  auto texts = read_texts(node, 0, kMaxPatterns);
  if (!texts) return base::Unexpected(std::move(texts).error());
  for (std::size_t i = 0; i < texts->size(); ++i)
    if (!normalise_pattern((*texts)[i]))
      return refuse_at(node.items[i],
                       "no pattern: " + (*texts)[i].substr(0, 80) + ": needs " + pattern_form());
  tool.hide = std::move(*texts);
  return {};
}

// A string that must be one of a few; `set` says whether it was.
Result<void> read_choice(const std::string& key, const JsonNode& node,
                         const std::function<bool(const std::string&)>& set) {
  if (node.kind == Kind::string && set(node.text)) return {};
  const std::string given =
      node.kind == Kind::string ? "\"" + node.text.substr(0, 40) + "\" is not" : "not";
  return refuse_at(node, given + " one of: " + std::string(allowed_words(key)));
}

std::string limit_names() {
  std::string out;
  for (const LimitSpec& spec : limit_specs()) (out += out.empty() ? "" : ", ") += spec.key;
  return out;
}

std::string unknown_limit(std::string_view key) {
  return "unknown limit \"" + std::string(key.substr(0, 40)) + "\"; there are: " + limit_names();
}

// "by": who may enforce it, in words.
std::string possible_names(const LimitSpec& spec) {
  std::string out;
  for (const Enforcer e : spec.possible) (out += out.empty() ? "" : ", ") += enforcer_name(e);
  return out;
}

bool choose(std::string& into, const std::string& text,
            std::initializer_list<std::string_view> allowed) {
  into = text;
  return std::ranges::find(allowed, text) != allowed.end();
}

template <typename T>
bool take(T& into, const std::optional<T>& value) {
  if (value) into = *value;
  return value.has_value();
}

bool is_output_format(std::string_view text) {
  return !text.empty() && text.size() <= 32 && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || is_digit(c) || c == '-';
  });
}

Result<void> read_path_key(const JsonNode& node, std::string_view flag_key,
                           std::optional<std::vector<PathEntry>>& into) {
  auto list = read_paths(node, flag_key);
  if (!list) return base::Unexpected(std::move(list).error());
  into = std::move(*list);
  return {};
}

Result<void> read_key(const std::string& key, const JsonNode& node, ToolDeclaration& tool) {
  if (key == "command") {
    auto list = read_texts(node, 1, 256);
    if (!list) return base::Unexpected(std::move(list).error());
    tool.command = std::move(*list);
    return {};
  }
  if (key == "read") return read_path_key(node, "optional", tool.read);
  if (key == "write") return read_path_key(node, "delete", tool.write);
  if (key == "exec") return read_path_key(node, "optional", tool.exec);
  if (key == "hide") return read_hide(node, tool);
  if (key == "env") return read_env(node, tool);
  if (key == "limits") return read_limits(node, tool);
  if (key == "enforce") return read_enforce(node, tool);
  return read_choice(key, node, [&](const std::string& t) {
    if (key == "profile") return tool.profile = t, is_profile(t);
    if (key == "network") return take(tool.network, parse_network(t));
    if (key == "git") return take(tool.git, parse_git(t));
    if (key == "observe") return take(tool.observe, parse_observe(t));
    if (key == "args") return choose(tool.args, t, {"any", "paths", "fixed"});
    if (key == "class") return choose(tool.isolation, t, {"namespace", "microvm"});
    if (key == "on_output_limit") return choose(tool.on_output_limit, t, {"kill", "truncate"});
    return tool.output_format = t, is_output_format(t);
  });
}

constexpr auto kKeys = std::to_array<std::string_view>(
    {"command", "profile", "read", "write", "exec", "hide", "network", "git", "env", "limits",
     "enforce", "observe", "args", "class", "on_output_limit", "output_format"});

bool is_known_key(std::string_view key) { return std::ranges::find(kKeys, key) != kKeys.end(); }

std::string unknown_key(const std::string& key) {
  std::string out = "unknown key \"" + key.substr(0, 40) + "\"; a tool has:";
  for (const std::string_view known : kKeys) (out += out.ends_with(':') ? " " : ", ") += known;
  return out;
}

Result<ToolDeclaration> read_tool(const std::string& name, const JsonNode& node) {
  if (!is_tool_name(name)) return refuse_at(node, "no tool name: \"" + name + "\"");
  if (node.kind != Kind::object) return refuse_at(node, "an object was expected");
  ToolDeclaration tool;
  tool.name = name;
  tool.line = node.line;
  for (std::size_t i = 0; i < node.keys.size(); ++i) {
    if (!is_known_key(node.keys[i])) return refuse_at(node.items[i], unknown_key(node.keys[i]));
    tool.lines[node.keys[i]] = node.items[i].line;
    if (auto read = read_key(node.keys[i], node.items[i], tool); !read)
      return base::Unexpected(std::move(read).error().with_context(name + "." + node.keys[i]));
  }
  if (tool.command.empty()) return refuse_at(node, "\"command\" is missing");
  return tool;
}

}  // namespace

const ToolDeclaration* Declaration::find(std::string_view tool) const {
  const auto it = std::ranges::find(tools, tool, &ToolDeclaration::name);
  return it == tools.end() ? nullptr : &*it;
}

Result<Declaration> parse_declaration(std::string_view text) {
  auto parsed = parse_jsonc(text);
  if (!parsed) return base::Unexpected(std::move(parsed).error());
  const JsonNode& root = *parsed;
  if (root.kind != Kind::object) return refuse_at(root, "an object was expected");
  for (std::size_t i = 0; i < root.keys.size(); ++i) {
    const std::string& key = root.keys[i];
    if (key != "version" && key != "tools" && key != "$schema")
      return refuse_at(root.items[i], "unknown key \"" + key + "\"");
    if (key == "$schema" && root.items[i].kind != Kind::string)
      return refuse_at(root.items[i], "a string was expected");
  }
  const JsonNode* version = root.find("version");
  if (version == nullptr) return refuse_at(root, "\"version\" is missing");
  if (version->kind != Kind::integer || version->number != 1)
    return refuse_at(*version, "the only known version is 1");
  const JsonNode* tools = root.find("tools");
  if (tools == nullptr) return refuse_at(root, "\"tools\" is missing");
  if (tools->kind != Kind::object) return refuse_at(*tools, "an object was expected");
  if (tools->items.empty() || tools->items.size() > kMaxTools)
    return refuse_at(*tools, "1 to 256 tools are allowed");
  Declaration out;
  for (std::size_t i = 0; i < tools->keys.size(); ++i) {
    auto tool = read_tool(tools->keys[i], tools->items[i]);
    if (!tool) return base::Unexpected(std::move(tool).error());
    out.tools.push_back(std::move(*tool));
  }
  return out;
}

bool is_tool_name(std::string_view name) {
  if (name.empty() || name.size() > 64 || name.front() == '-') return false;
  return std::ranges::all_of(name, [](char c) {
    return is_letter(c) || is_digit(c) || c == '.' || c == '_' || c == '+' || c == '-';
  });
}

Result<EnvEntry> parse_env_entry(std::string_view text) {
  if (text.size() > kMaxText || text.find('\0') != std::string_view::npos)
    return fail(Errc::malformed, "an environment entry has at most 4096 bytes and no NUL");
  EnvEntry entry;
  const std::size_t equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  entry.name = name;
  if (equals != std::string_view::npos) entry.value = text.substr(equals + 1);
  const bool is_name =
      !name.empty() && name.size() <= 128 && !is_digit(name.front()) &&
      std::ranges::all_of(name, [](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
  if (!is_name) return fail(Errc::malformed, "no environment name");
  // Names that make the loader, a shell or an interpreter run code before the tool's own.
  if (name.starts_with("LD_") || name == "GLIBC_TUNABLES")
    return fail(Errc::malformed, entry.name + " is never set");
  static constexpr auto kNeverPassed =
      std::to_array<std::string_view>({"BASH_ENV", "ENV", "PYTHONSTARTUP", "NODE_OPTIONS"});
  const bool is_code = (name.starts_with("GIT_") && name != "GIT_PAGER") ||
                       std::ranges::find(kNeverPassed, name) != kNeverPassed.end();
  if (is_code && !entry.value)
    return fail(Errc::malformed, entry.name + " is never passed on (a fixed value is allowed)");
  return entry;
}

Result<void> set_limit(ToolDeclaration& tool, std::string_view key, std::string_view value) {
  const LimitSpec* spec = find_limit(key);
  if (spec == nullptr) return fail(Errc::malformed, unknown_limit(key));
  const auto parsed = parse_limit(*spec, value);
  if (!parsed)
    return fail(Errc::malformed, "\"" + std::string(value.substr(0, 40)) +
                                     "\" is no value of the limit \"" + std::string(key) +
                                     "\", which is " + value_form(*spec));
  tool.limits[std::string(spec->normal_name)] = *parsed;
  return {};
}

Result<void> set_enforce(ToolDeclaration& tool, std::string_view key,
                         const std::vector<std::string>& names) {
  const LimitSpec* spec = find_limit(key);
  if (spec == nullptr) return fail(Errc::malformed, unknown_limit(key));
  std::vector<Enforcer> list;
  for (const std::string& name : names) {
    const auto enforcer = parse_enforcer(name);
    if (!enforcer || std::ranges::find(spec->possible, *enforcer) == spec->possible.end())
      return fail(Errc::malformed, "the limit \"" + std::string(key) +
                                       "\" cannot be enforced by \"" + name.substr(0, 40) +
                                       "\"; it can by: " + possible_names(*spec));
    if (std::ranges::find(list, *enforcer) != list.end())
      return fail(Errc::malformed, "\"" + name + "\" is given twice");
    list.push_back(*enforcer);
  }
  if (list.empty())
    return fail(Errc::malformed, "nothing to enforce \"" + std::string(key) + "\" by");
  tool.enforce[std::string(spec->normal_name)] = std::move(list);
  return {};
}

std::string_view allowed_words(std::string_view key) {
  if (key == "profile") return "lint-offline, build-offline, no-proc";
  if (key == "network") return "none, loopback";
  if (key == "git") return "none, read";
  if (key == "observe") return "off, writes, all";
  if (key == "args") return "any, paths, fixed";
  if (key == "class") return "namespace, microvm";
  if (key == "on_output_limit") return "kill, truncate";
  return "the names that `ethos-sarif formats` prints";
}

std::string_view network_name(Network network) {
  return network == Network::none ? "none" : "loopback";
}
std::string_view git_name(Git git) { return git == Git::none ? "none" : "read"; }
std::string_view observe_name(Observe observe) {
  switch (observe) {
    case Observe::off:
      return "off";
    case Observe::writes:
      return "writes";
    case Observe::all:
      break;
  }
  return "all";
}

std::optional<Network> parse_network(std::string_view name) {
  for (const Network n : {Network::none, Network::loopback})
    if (network_name(n) == name) return n;
  return std::nullopt;
}
std::optional<Git> parse_git(std::string_view name) {
  for (const Git g : {Git::none, Git::read})
    if (git_name(g) == name) return g;
  return std::nullopt;
}
std::optional<Observe> parse_observe(std::string_view name) {
  for (const Observe o : {Observe::off, Observe::writes, Observe::all})
    if (observe_name(o) == name) return o;
  return std::nullopt;
}

bool is_profile(std::string_view name) {
  return name == "lint-offline" || name == "build-offline" || name == "no-proc";
}

bool is_reserved_tool_name(std::string_view name) {
  static constexpr auto kNames =
      std::to_array<std::string_view>({"plan", "doctor", "learn", "drift", "run"});
  return std::ranges::find(kNames, name) != kNames.end();
}

}  // namespace ethos::sandbox
