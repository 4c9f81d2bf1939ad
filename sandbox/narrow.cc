// SPDX-License-Identifier: Apache-2.0
#include "sandbox/narrow.h"

#include <algorithm>
#include <set>
#include <string>

#include "sandbox/hide_pattern.h"
#include "sandbox/limits.h"
#include "sandbox/path_text.h"

namespace ethos::sandbox {
namespace {

using base::Errc;
using base::fail;
using base::Result;

std::vector<std::string> split_commas(std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    out.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

Result<std::vector<PathEntry>> to_entries(const std::vector<std::string>& paths,
                                          const char* option, bool may_delete = false) {
  std::vector<PathEntry> out;
  for (const std::string& path : paths) {
    if (!normalise_path(path))
      return fail(Errc::malformed,
                  std::string(option) + " " + path.substr(0, 80) + ": no path, or one with \"..\"");
    out.push_back({.path = path, .may_delete = may_delete});
  }
  return out;
}

Result<void> set_paths(const std::vector<std::string>& paths, const char* option,
                       std::optional<std::vector<PathEntry>>& into) {
  if (paths.empty()) return {};
  auto entries = to_entries(paths, option);
  if (!entries) return base::Unexpected(std::move(entries).error());
  into = std::move(*entries);
  return {};
}

Result<void> set_writes(const GrantOptions& options, std::optional<std::vector<PathEntry>>& into) {
  if (auto r = set_paths(options.write, "--write", into); !r) return r;
  auto more = to_entries(options.write_delete, "--write-delete", true);
  if (!more) return base::Unexpected(std::move(more).error());
  if (more->empty()) return {};
  if (!into) into.emplace();
  into->insert(into->end(), more->begin(), more->end());
  return {};
}

// "memory=1GiB" through `set`.
template <typename Set>
Result<void> each_pair(const std::vector<std::string>& pairs, const char* option, Set set) {
  for (const std::string& pair : pairs) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos)
      return fail(Errc::malformed,
                  std::string(option) + " " + pair.substr(0, 80) + ": NAME=VALUE was expected");
    if (auto done = set(pair.substr(0, equals), pair.substr(equals + 1)); !done)
      return base::Unexpected(std::move(done).error().with_context(option));
  }
  return {};
}

template <typename T>
Result<void> set_choice(const std::optional<std::string>& text, const char* option,
                        std::optional<T> (*parse)(std::string_view), T& into) {
  if (!text) return {};
  const auto value = parse(*text);
  if (!value)
    return fail(Errc::malformed,
                std::string(option) + " " + text->substr(0, 80) + ": not one of: " +
                    std::string(allowed_words(std::string_view(option).substr(2))));
  into = *value;
  return {};
}

// Everything but the command: what an ad hoc declaration and a narrowing share.
Result<void> fill(const GrantOptions& options, ToolDeclaration& tool) {
  if (auto r = set_paths(options.read, "--read", tool.read); !r) return r;
  if (auto r = set_writes(options, tool.write); !r) return r;
  if (auto r = set_paths(options.exec, "--exec", tool.exec); !r) return r;
  for (const std::string& pattern : options.hide) {
    if (!normalise_pattern(pattern))
      return fail(Errc::malformed,
                  "--hide " + pattern.substr(0, 80) + ": no pattern: needs " + pattern_form());
    tool.hide.push_back(pattern);
  }
  std::set<std::string> names;
  for (const std::string& text : options.env) {
    auto entry = parse_env_entry(text);
    if (!entry) return base::Unexpected(std::move(entry).error().with_context("--env"));
    if (!names.insert(entry->name).second)
      return fail(Errc::malformed, "--env " + entry->name + " is given twice");
    tool.env.push_back(std::move(*entry));
  }
  const auto limit = [&](const std::string& key, const std::string& value) {
    return set_limit(tool, key, value);
  };
  const auto enforce = [&](const std::string& key, const std::string& value) {
    return set_enforce(tool, key, split_commas(value));
  };
  if (auto r = each_pair(options.limits, "--limit", limit); !r) return r;
  if (auto r = each_pair(options.enforce, "--enforce", enforce); !r) return r;
  if (auto r = set_choice(options.network, "--network", parse_network, tool.network); !r) return r;
  if (auto r = set_choice(options.git, "--git", parse_git, tool.git); !r) return r;
  return set_choice(options.observe, "--observe", parse_observe, tool.observe);
}

Result<void> widens(const std::string& what) {
  return fail(
      Errc::refused,
      what + " goes beyond what the tool's declaration asks for; options can only narrow it");
}

class Narrowing {
 public:
  Narrowing(Normal& normal, const ToolDeclaration& wanted, std::string_view workspace)
      : normal_(normal), wanted_(wanted), workspace_(workspace) {}

  Result<void> paths(const char* key, const std::optional<std::vector<PathEntry>>& wanted,
                     std::vector<PathEntry>& entries) {
    if (!wanted) return {};
    std::map<std::string, PathEntry> narrower;
    for (const PathEntry& entry : *wanted) {
      const std::string path = *normalise_path(entry.path, workspace_);
      const auto covers = [&](const PathEntry& e) {
        const bool is_special = e.path == kExecMemory || e.path == kExecScratch ||
                                path == kExecMemory || path == kExecScratch;
        return is_special ? e.path == path : is_at_or_below(path, e.path);
      };
      const auto by = std::ranges::find_if(entries, covers);
      if (by == entries.end()) return widens(std::string("--") + key + " " + entry.path);
      if (entry.may_delete && !by->may_delete) return widens("--write-delete " + entry.path);
      narrower[path] = {path, by->is_optional, by->may_delete};
    }
    std::vector<PathEntry> out;
    for (auto& [path, entry] : narrower) out.push_back(std::move(entry));
    replace(key, entries, std::move(out));
    return {};
  }

  Result<void> env() {
    if (wanted_.env.empty()) return {};
    std::vector<EnvEntry> out;
    for (const EnvEntry& entry : wanted_.env) {
      if (std::ranges::find(normal_.env, entry) == normal_.env.end())
        return widens("--env " + entry.name);
      out.push_back(entry);
    }
    std::ranges::sort(out, {}, &EnvEntry::name);
    replace("env", normal_.env, std::move(out));
    return {};
  }

  void hide() {
    auto out = normal_.hide;
    for (const std::string& pattern : wanted_.hide) out.push_back(*normalise_pattern(pattern));
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    replace("hide", normal_.hide, std::move(out));
  }

  Result<void> limits() {
    auto out = normal_.limits;
    for (const auto& [limit, value] : wanted_.limits) {
      const auto at = out.find(limit);
      if (at != out.end() && value > at->second) return widens("--limit " + limit);
      out[limit] = value;
      // A limit the declaration did not have comes with the default list.
      if (at == normal_.limits.end() || !normal_.enforce.contains(limit))
        normal_.enforce.try_emplace(limit, find_limit_by_normal_name(limit)->possible);
    }
    const bool has_new = out.size() != normal_.limits.size();
    replace("limits", normal_.limits, std::move(out));
    if (has_new) normal_.narrowed.emplace_back("enforce");
    return {};
  }

  Result<void> enforce() {
    auto out = normal_.enforce;
    for (const auto& [limit, list] : wanted_.enforce) {
      const auto at = out.find(limit);
      if (at == out.end())
        return fail(Errc::malformed, "--enforce " + limit + ", which has no value");
      // A part of the declared list in its order, so that nothing weaker comes first.
      auto from = at->second.begin();
      for (const Enforcer e : list) {
        from = std::find(from, at->second.end(), e);
        if (from == at->second.end()) return widens("--enforce " + limit);
      }
      at->second = list;
    }
    replace("enforce", normal_.enforce, std::move(out));
    return {};
  }

  template <typename T>
  void replace(const char* key, T& into, T value) {
    if (into == value) return;
    into = std::move(value);
    normal_.narrowed.emplace_back(key);
  }

 private:
  Normal& normal_;
  const ToolDeclaration& wanted_;
  std::string_view workspace_;
};

}  // namespace

bool GrantOptions::is_empty() const {
  return read.empty() && write.empty() && write_delete.empty() && exec.empty() && hide.empty() && env.empty() &&
         limits.empty() && enforce.empty() && !network && !git && !observe && !profile;
}

Result<ToolDeclaration> declare(const GrantOptions& options, const std::string& program) {
  ToolDeclaration tool;
  constexpr std::size_t kMaxProgram = 4096;
  if (program.empty()) return fail(Errc::malformed, "no command after --");
  if (program.size() > kMaxProgram)
    return fail(Errc::malformed, "the command after -- is longer than " +
                                     std::to_string(kMaxProgram) + " bytes");
  tool.command = {program};
  tool.name = tool_name_of(program);
  if (options.profile) {
    if (!is_profile(*options.profile))
      return fail(Errc::malformed, "--profile " + options.profile->substr(0, 80) +
                                       ": not one of: " + std::string(allowed_words("profile")));
    tool.profile = *options.profile;
  }
  if (auto filled = fill(options, tool); !filled)
    return base::Unexpected(std::move(filled).error());
  return tool;
}

std::string tool_name_of(std::string_view command) {
  constexpr std::size_t kMaxName = 64;
  const std::size_t slash = command.rfind('/');
  std::string name(command.substr(slash == std::string_view::npos ? 0 : slash + 1));
  if (name.size() > kMaxName) name.resize(kMaxName);
  for (char& c : name)
    if (!is_tool_name(std::string_view(&c, 1)) && c != '-') c = '_';
  if (name.empty() || name.front() == '-') name.insert(0, "_");
  if (name.size() > kMaxName) name.resize(kMaxName);
  return name;
}

Result<Normal> narrow(Normal normal, const GrantOptions& options, std::string_view workspace) {
  if (options.profile)
    return fail(Errc::refused, "--profile goes with a command after --, not with a declared tool");
  ToolDeclaration wanted;
  wanted.network = normal.network;
  wanted.git = normal.git;
  wanted.observe = normal.observe;
  if (auto filled = fill(options, wanted); !filled)
    return base::Unexpected(std::move(filled).error());
  Narrowing step(normal, wanted, workspace);
  if (auto r = step.paths("read", wanted.read, normal.read); !r)
    return base::Unexpected(std::move(r).error());
  if (auto r = step.paths("write", wanted.write, normal.write); !r)
    return base::Unexpected(std::move(r).error());
  if (auto r = step.paths("exec", wanted.exec, normal.exec); !r)
    return base::Unexpected(std::move(r).error());
  if (auto r = step.env(); !r) return base::Unexpected(std::move(r).error());
  step.hide();
  if (auto r = step.limits(); !r) return base::Unexpected(std::move(r).error());
  if (auto r = step.enforce(); !r) return base::Unexpected(std::move(r).error());
  const auto refuse = [&](const char* what) {
    return base::Unexpected(std::move(widens(what)).error());
  };
  if (wanted.network > normal.network) return refuse("--network");
  if (wanted.git > normal.git) return refuse("--git");
  if (wanted.observe < normal.observe) return refuse("--observe");
  step.replace("network", normal.network, wanted.network);
  step.replace("git", normal.git, wanted.git);
  step.replace("observe", normal.observe, wanted.observe);
  std::ranges::sort(normal.narrowed);
  normal.narrowed.erase(std::unique(normal.narrowed.begin(), normal.narrowed.end()),
                        normal.narrowed.end());
  return normal;
}

}  // namespace ethos::sandbox
