// SPDX-License-Identifier: Apache-2.0
#include "sandbox/conflicts.h"

#include <algorithm>
#include <array>

#include "sandbox/git_rules.h"
#include "sandbox/hide_pattern.h"
#include "sandbox/path_text.h"

namespace ethos::sandbox {
namespace {

bool is_below(std::string_view path, std::string_view parent) {
  return path != parent && is_at_or_below(path, parent);
}

// a: what the cage makes itself, or never shows.
bool is_reserved(std::string_view path) {
  static constexpr auto kExact = std::to_array<std::string_view>({"/", "/etc", "/tmp"});
  static constexpr auto kTrees =
      std::to_array<std::string_view>({"/proc", "/sys", "/dev", "/run", "/etc/passwd", "/etc/group",
                                       "/etc/nsswitch.conf", "/etc/hosts", "/tmp/home"});
  return std::ranges::find(kExact, path) != kExact.end() ||
         std::ranges::any_of(kTrees,
                             [&](std::string_view tree) { return is_at_or_below(path, tree); });
}

bool is_system_tree(std::string_view path) {
  static constexpr auto kTrees =
      std::to_array<std::string_view>({"/usr", "/etc", "/bin", "/sbin", "/boot"});
  return path.starts_with("/lib") || std::ranges::any_of(kTrees, [&](std::string_view tree) {
           return is_at_or_below(path, tree);
         });
}

class Conflicts {
 public:
  Conflicts(const Normal& normal, const Facts& facts, std::vector<Refusal>& out)
      : normal_(normal), facts_(facts), out_(out) {
    for (const std::string& pattern : normal.hide) patterns_.emplace_back(pattern);
  }

  void run() {
    for (const PathFact& fact : facts_.paths) path(fact);
    if (facts_.hides.size() > kMaxHides)
      refuse("hide:" + std::to_string(facts_.hides.size()), "hide",
             "more than " + std::to_string(kMaxHides) + " places would have to be hidden",
             "hide whole directories, or grant less");
    memory();
  }

 private:
  void refuse(const std::string& on, std::string_view key, const std::string& cause,
              const std::string& fix) {
    Refusal r;
    r.rule = "conflict";
    r.on = on;
    r.key = key;
    r.cause = cause;
    r.fix = fix;
    out_.push_back(std::move(r));
  }

  void refuse_path(const PathFact& fact, const std::string& cause, const std::string& fix) {
    const std::string cap(capability_name(fact.capability));
    refuse(cap + ":" + fact.asked, cap, cap + " of " + fact.asked + ": " + cause, fix);
    out_.back().path = host_path(fact.asked);
  }

  // One refusal an entry: the first reason counts.
  void path(const PathFact& fact) {
    const bool is_write = fact.capability == Capability::write;
    if (is_reserved(fact.asked))
      return refuse_path(fact, "the cage has its own", "grant something below or beside it");
    if (!fact.holds.empty())
      return refuse_path(fact, "it holds the " + fact.holds.front(),
                         "grant only the part that is needed");
    if (is_write && has_git_component(fact.asked))
      return refuse_path(fact, "nothing in .git is ever writable", "write somewhere else");
    if (is_hidden(fact)) {
      const bool is_by_git = !is_hidden_by_pattern(fact) && has_git_component(fact.asked);
      const char* fix = !is_by_git ? "take it out of hide, or do not grant it"
                        : normal_.git == Git::none
                            ? "declare \"git\": \"read\" for the repository, or do not grant it"
                            : "do not grant it: this part of a repository is never shown";
      return refuse_path(fact, "it is hidden or lies below something hidden", fix);
    }
    if (is_write) write(fact);
  }

  void write(const PathFact& fact) {
    if (is_policy(fact.asked))
      return refuse_path(fact, "a declaration, ceiling or decision is never writable",
                         "write somewhere else");
    const bool is_nested = std::ranges::any_of(
        normal_.write, [&](const PathEntry& w) { return is_below(fact.asked, w.path); });
    if (is_nested)
      return refuse_path(fact, "it lies below another write grant", "keep one of the two");
    if (is_system_tree(fact.asked))
      return refuse_path(fact, "the system is never writable", "write somewhere else");
    if (fact.is_there() && fact.type == NodeType::file && fact.links > 1)
      refuse_path(fact, "it has other names (hard links)", "copy it first");
  }

  [[nodiscard]] bool is_policy(std::string_view path) const {
    return std::ranges::any_of(facts_.policy_files,
                               [&](const std::string& p) { return is_at_or_below(path, p); });
  }

  // The path itself or one of its parents, as text: a pattern of `hide`, or .git under `git: none`.
  [[nodiscard]] bool is_hidden(const PathFact& fact) const {
    if (fact.asked.starts_with('/') || fact.asked == ".") return false;
    if (std::ranges::any_of(facts_.hides,
                            [&](const HideFact& h) { return is_at_or_below(fact.asked, h.path); }))
      return true;
    if (fact.capability != Capability::write && is_within_git_hidden(fact.asked, normal_.git))
      return true;
    return is_hidden_by_pattern(fact);
  }

  [[nodiscard]] bool is_hidden_by_pattern(const PathFact& fact) const {
    const bool is_directory = fact.is_there() && fact.type == NodeType::directory;
    return std::ranges::any_of(patterns_, [&](const HidePattern& p) {
      return p.matches_at_or_above(fact.asked, is_directory);
    });
  }

  void memory() {
    const auto value = [&](const char* name) {
      const auto it = normal_.limits.find(name);
      return it == normal_.limits.end() ? std::uint64_t{0} : it->second;
    };
    const std::uint64_t memory = value("memory_bytes");
    if (memory == 0 || choose_enforcer(normal_, facts_, "memory_bytes") != Enforcer::cgroup) return;
    if (value("scratch_bytes") + value("staged_bytes") >= memory)
      refuse("limit:memory_bytes", "limits",
             "scratch and staged together are not less than memory, which they count against",
             "raise memory, or lower scratch and staged");
  }

  const Normal& normal_;
  const Facts& facts_;
  std::vector<Refusal>& out_;
  std::vector<HidePattern> patterns_;
};

}  // namespace

void find_conflicts(const Normal& normal, const Facts& facts, std::vector<Refusal>& out) {
  Conflicts(normal, facts, out).run();
}

}  // namespace ethos::sandbox
