// SPDX-License-Identifier: Apache-2.0
#include "sandbox/plan_build.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <map>
#include <tuple>

#include "sandbox/grants.h"
#include "sandbox/path_text.h"

namespace ethos::sandbox {
namespace {

constexpr std::uint64_t kSmallTmpfs = 1U << 20;
constexpr std::uint64_t kSmallInodes = 8192;

bool is_below(std::string_view path, std::string_view parent) {
  return path != parent && is_at_or_below(path, parent);
}

// Turns grants into mounts and rules. The members are the three lists of granted paths.
class Builder {
 public:
  Builder(const Normal& normal, const Facts& facts, Plan& plan)
      : normal_(normal), facts_(facts), plan_(plan) {
    for (const PathFact& fact : facts.paths)
      if (fact.is_there()) granted_[fact.capability].push_back(&fact);
  }

  void run() {
    mount_base();
    for (const PathFact* fact : granted_[Capability::exec]) mount_exec(*fact);
    for (const PathFact* fact : granted_[Capability::read]) mount_read(*fact);
    for (const PathFact* fact : granted_[Capability::write]) mount_write(*fact);
    mount_masks();
    // Parents before children; at one place the order above. '/' sorts below every other byte of a
    // name that matters here only when compared by component.
    std::ranges::stable_sort(plan_.mounts, [](const Mount& a, const Mount& b) {
      return std::ranges::lexicographical_compare(a.at, b.at, {}, rank, rank);
    });
    landlock();
  }

 private:
  static int rank(char c) { return c == '/' ? -1 : static_cast<unsigned char>(c); }

  Mount& add(MountKind kind, std::string at, NodeType type = NodeType::directory) {
    Mount m;
    m.kind = kind;
    m.where = cage_path(at, plan_.workspace);
    m.at = std::move(at);
    m.type = type;
    plan_.mounts.push_back(std::move(m));
    return plan_.mounts.back();
  }

  // A bind of the host object at the same place.
  Mount& add_bind(const std::string& at, NodeType type, std::uint64_t device, std::uint64_t inode) {
    Mount& m = add(MountKind::bind, at, type);
    m.source = at;
    m.device = device;
    m.inode = inode;
    return m;
  }

  [[nodiscard]] std::uint64_t limit(const char* name) const {
    const auto it = normal_.limits.find(name);
    return it == normal_.limits.end() ? 0 : it->second;
  }

  // M-1 to M-6.
  void mount_base() {
    Mount& root = add(MountKind::root, "/");
    root.no_exec = false;
    root.size_bytes = kSmallTmpfs;
    root.inodes = kSmallInodes;
    for (const SystemEntry& dir : facts_.system_dirs)
      add_bind(dir.at, dir.type, dir.device, dir.inode).no_exec = false;
    for (const SystemEntry& etc : facts_.system_etc)
      add_bind(etc.at, etc.type, etc.device, etc.inode);
    if (plan_.has_proc) {
      Mount& proc = add(MountKind::proc, "/proc");
      proc.read_only = false;
    }
    Mount& dev = add(MountKind::dev, "/dev");
    dev.no_dev = false;
    dev.size_bytes = kSmallTmpfs;
    dev.inodes = kSmallInodes;
    for (const char* name :
         {"/dev/full", "/dev/null", "/dev/random", "/dev/urandom", "/dev/zero"}) {
      Mount& node = add_bind(name, NodeType::file, 0, 0);
      node.no_dev = false;
      node.read_only = false;
    }
    add(MountKind::scratch, "/dev/shm").read_only = false;
    Mount& tmp = add(MountKind::scratch, "/tmp");
    tmp.read_only = false;
    tmp.no_exec = !normal_.may_exec(kExecScratch);
    tmp.size_bytes = limit("scratch_bytes");
    tmp.inodes = limit("inodes");
  }

  // Visible already through a mount of the base runtime.
  [[nodiscard]] bool is_base(std::string_view path) const {
    const auto holds = [&](const SystemEntry& e) { return is_at_or_below(path, e.at); };
    return std::ranges::any_of(facts_.system_dirs, holds) ||
           std::ranges::any_of(facts_.system_etc, holds);
  }

  template <typename Test>
  [[nodiscard]] bool any(Capability capability, Test test) const {
    const auto it = granted_.find(capability);
    return it != granted_.end() &&
           std::ranges::any_of(it->second, [&](const PathFact* f) { return test(f->asked); });
  }
  [[nodiscard]] bool is_within_any(std::string_view path, Capability capability) const {
    return any(capability, [&](const std::string& parent) { return is_at_or_below(path, parent); });
  }
  [[nodiscard]] bool is_below_any(std::string_view path, Capability capability) const {
    return any(capability, [&](const std::string& parent) { return is_below(path, parent); });
  }

  Mount& bind_grant(const PathFact& fact) {
    return add_bind(absolute_path_of(fact.asked, plan_.workspace), fact.type, fact.device,
                    fact.inode);
  }

  // M-8.
  void mount_exec(const PathFact& fact) {
    const bool is_visible = is_base(fact.asked) || is_within_any(fact.asked, Capability::write) ||
                            is_below_any(fact.asked, Capability::exec);
    if (!is_visible) bind_grant(fact).no_exec = false;
  }

  // M-7.
  void mount_read(const PathFact& fact) {
    const bool is_visible = is_base(fact.asked) || is_within_any(fact.asked, Capability::write) ||
                            is_within_any(fact.asked, Capability::exec) ||
                            is_below_any(fact.asked, Capability::read);
    if (!is_visible) bind_grant(fact);
  }

  // M-9.
  void mount_write(const PathFact& fact) {
    Mount& m = bind_grant(fact);
    m.read_only = false;
    m.no_exec =
        !is_within_any(fact.asked, Capability::exec) &&
        !any(Capability::exec, [&](const std::string& e) { return is_at_or_below(e, fact.asked); });
    if (fact.type != NodeType::directory) return;
    m.kind = MountKind::staged;
    m.size_bytes = limit("staged_bytes");
    m.inodes = limit("inodes");
    const auto entry = std::ranges::find(normal_.write, fact.asked, &PathEntry::path);
    m.allow_delete = entry != normal_.write.end() && entry->may_delete;
  }

  // M-10.
  void mount_masks() {
    for (const HideFact& hide : facts_.hides)
      add(MountKind::mask, absolute_path_of(hide.path, plan_.workspace), hide.type).is_git_mask =
          hide.by == HiddenBy::git;
  }

  void rule(const std::string& at, Access access, NodeType type = NodeType::directory) {
    plan_.landlock.push_back({at, cage_path(at, plan_.workspace), type, access});
  }

  // L-1 to L-5.
  void landlock() {
    for (const SystemEntry& dir : facts_.system_dirs) rule(dir.at, Access::read_exec);
    rule("/etc", Access::read);
    if (plan_.has_proc) rule("/proc", Access::read);
    rule("/dev", Access::read);
    for (const char* name : {"/dev/full", "/dev/null", "/dev/random", "/dev/urandom", "/dev/zero"})
      rule(name, Access::device, NodeType::file);
    rule("/dev/shm", Access::write);
    rule("/tmp", normal_.may_exec(kExecScratch) ? Access::write_exec : Access::write);
    // One rule a path: what write gives includes read, and exec is added to either.
    std::map<std::string, const PathFact*> paths;
    for (const PathFact& fact : facts_.paths)
      if (fact.is_there()) paths.try_emplace(fact.asked, &fact);
    for (const auto& [path, fact] : paths) {
      const auto is_same = [&p = path](const std::string& other) { return other == p; };
      const bool is_write = any(Capability::write, is_same);
      const bool is_exec =
          is_write ? is_within_any(path, Capability::exec) : any(Capability::exec, is_same);
      const Access access = is_write ? (is_exec ? Access::write_exec : Access::write)
                                     : (is_exec ? Access::read_exec : Access::read);
      rule(absolute_path_of(path, plan_.workspace), access, fact->type);
    }
    const auto key = [](const LandlockRule& r) {
      return std::tuple(base_text(r.where.base), std::string_view(r.where.path),
                        access_name(r.access));
    };
    std::ranges::sort(plan_.landlock, {}, key);
    const auto same = [&](const LandlockRule& a, const LandlockRule& b) {
      return key(a) == key(b);
    };
    plan_.landlock.erase(std::unique(plan_.landlock.begin(), plan_.landlock.end(), same),
                         plan_.landlock.end());
  }

  const Normal& normal_;
  const Facts& facts_;
  Plan& plan_;
  std::map<Capability, std::vector<const PathFact*>> granted_;
};

// P-2: the tool starts where its caller stood, when it may see the place.
std::string choose_cwd(const Facts& facts) {
  const bool is_granted = std::ranges::any_of(facts.paths, [&](const PathFact& f) {
    return f.is_there() && f.type == NodeType::directory && is_at_or_below(facts.cwd, f.asked);
  });
  const bool is_hidden = std::ranges::any_of(
      facts.hides, [&](const HideFact& h) { return is_at_or_below(facts.cwd, h.path); });
  return is_granted && !is_hidden ? facts.cwd : ".";
}

}  // namespace

Plan build_plan(const Normal& normal, const Facts& facts, const std::string& workspace) {
  Plan plan;
  plan.tool = normal.tool;
  plan.workspace = workspace;
  plan.cwd = absolute_path_of(choose_cwd(facts), workspace);
  plan.has_proc = normal.profile != "no-proc";
  plan.network = normal.network;
  plan.git = normal.git;
  plan.observe = normal.observe;
  plan.may_exec_memory = normal.may_exec(kExecMemory);
  plan.truncate_output = normal.on_output_limit == "truncate";
  for (const auto& [name, value] : normal.limits) {
    const auto by = choose_enforcer(normal, facts, name);
    assert(by);
    plan.limits.push_back({name, value, *by});
  }
  plan.links = facts.system_links;
  plan.hide_patterns = normal.hide;
  plan.directories = {workspace, "/tmp/home"};
  plan.never_write.push_back({Base::workspace, ".git"});
  for (const std::string& path : facts.policy_files)
    plan.never_write.push_back({Base::workspace, path});
  std::ranges::sort(plan.never_write);
  Builder(normal, facts, plan).run();
  return plan;
}

std::string seccomp_program_name(Observe observe, Network network, bool may_exec_memory) {
  std::string name(observe_name(observe));
  name += "-";
  name += network_name(network);
  if (may_exec_memory) name += "+mem";
  return name;
}

}  // namespace ethos::sandbox
