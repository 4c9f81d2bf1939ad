// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "sandbox/grants.h"
#include "sandbox/path_text.h"

// G-9: nothing is clamped; what goes beyond a ceiling refuses the run.
namespace ethos::sandbox {
namespace {

using Texts = std::vector<std::string>;

bool is_listed(const std::optional<Texts>& list, std::string_view value) {
  return !list || std::ranges::find(*list, value) != list->end();
}

// D-12. The entries of exec that are no paths must stand in the list themselves.
bool is_covered(const Texts& list, const std::string& path) {
  const bool is_special = path == kExecMemory || path == kExecScratch;
  return std::ranges::any_of(list, [&](const std::string& parent) {
    const bool is_special_parent = parent == kExecMemory || parent == kExecScratch;
    return is_special || is_special_parent ? path == parent : is_at_or_below(path, parent);
  });
}

class CeilingCheck {
 public:
  CeilingCheck(const Normal& normal, const Ceiling& ceiling, std::vector<Refusal>& out)
      : normal_(normal), ceiling_(ceiling), out_(out) {}

  void run() {
    choice("profile", "profile", normal_.profile, ceiling_.profiles);
    choice("network", "network", network_name(normal_.network), ceiling_.network);
    choice("git", "git", git_name(normal_.git), ceiling_.git);
    paths("read", normal_.read, ceiling_.read);
    paths("write", normal_.write, ceiling_.write);
    paths("exec", normal_.exec, ceiling_.exec);
    environment();
    limits();
  }

 private:
  void refuse(const std::string& key, const std::string& value, const std::string& why,
              const std::string& fix) {
    Refusal r;
    r.rule = "ceiling";
    r.on = key + ":" + value;
    r.cause = why + " the ceiling " + ceiling_.name;
    r.fix = fix;
    r.key = key == "limit" ? "limits" : key;
    out_.push_back(std::move(r));
  }

  void choice(const std::string& key, const std::string& what, std::string_view value,
              const std::optional<Texts>& list) {
    if (is_listed(list, value)) return;
    refuse(key, std::string(value), what + " " + std::string(value) + " is not allowed by",
           "ask for less, or have the ceiling raised");
  }

  void paths(const std::string& key, const std::vector<PathEntry>& entries,
             const std::optional<Texts>& list) {
    if (!list) return;
    for (const PathEntry& entry : entries) {
      if (is_covered(*list, entry.path)) continue;
      refuse(key, entry.path, key + " of " + entry.path + " goes beyond",
             "ask for a path that the ceiling covers, or have it raised");
      out_.back().path = host_path(entry.path);
    }
  }

  void environment() {
    if (!ceiling_.env_deny) return;
    for (const EnvEntry& entry : normal_.env)
      if (std::ranges::any_of(*ceiling_.env_deny, [&](const std::string& p) {
            return matches_env_pattern(p, entry.name);
          }))
        refuse("env", entry.name, "the environment variable " + entry.name + " is kept out by",
               "take it out of env");
  }

  void limits() {
    if (!ceiling_.limits) return;
    for (const auto& [limit, most] : *ceiling_.limits) {
      const auto declared = normal_.limits.find(limit);
      if (declared == normal_.limits.end())
        refuse("limit", limit, limit + " has no value, which is required by",
               "declare it, at most " + std::to_string(most));
      else if (declared->second > most)
        refuse("limit", limit,
               limit + " " + std::to_string(declared->second) + " is more than " +
                   std::to_string(most) + " of",
               "declare it, at most " + std::to_string(most));
    }
  }

  const Normal& normal_;
  const Ceiling& ceiling_;
  std::vector<Refusal>& out_;
};

}  // namespace

std::vector<Refusal> check_ceilings(const Normal& normal) {
  std::vector<Refusal> out;
  for (const Ceiling& ceiling : normal.ceilings) CeilingCheck(normal, ceiling, out).run();
  return out;
}

}  // namespace ethos::sandbox
