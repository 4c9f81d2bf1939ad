// SPDX-License-Identifier: Apache-2.0
// The kernel's view against the plan: any difference refuses the run.
#include <unistd.h>

#include <algorithm>
#include <span>
#include <string>

#include "sandbox/based_path.h"
#include "sandbox/blueprint.h"
#include "sandbox/enforced.h"
#include "sandbox/io_limit.h"

namespace ethos::sandbox {
namespace {

const char* kind_text(MountKind kind) {
  constexpr std::array<const char*, 7> kNames = {"root", "bind", "staged", "scratch",
                                                 "proc", "dev",  "mask"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string describe(const MountEntry& m) {
  std::string out = kind_text(m.kind);
  if (m.read_only) out += " ro";
  if (m.no_exec) out += " noexec";
  if (m.no_dev) out += " nodev";
  if (m.no_suid) out += " nosuid";
  if (m.is_shared) out += " shared";
  return out;
}

std::string place(const BasedPath& where) {
  return std::string(base_name(where.base)) + ":" + where.path;
}

bool is_same(const MountEntry& a, const MountEntry& b) {
  return a.where == b.where && a.kind == b.kind && a.read_only == b.read_only &&
         a.no_exec == b.no_exec && a.no_dev == b.no_dev && a.no_suid == b.no_suid &&
         a.is_shared == b.is_shared;
}

class Comparison {
 public:
  Comparison(const Plan& plan, const Enforced& found) : plan_(plan), found_(found) {}

  std::vector<Mismatch> run() {
    status();
    namespaces();
    identity();
    mounts();
    descriptors();
    rlimits();
    cgroup();
    probes();
    return std::move(out_);
  }

 private:
  void differ(std::string what, std::string expected, std::string found) {
    out_.push_back({std::move(what), std::move(expected), std::move(found)});
  }
  void want(bool holds, const char* what, std::uint64_t expected, std::uint64_t found) {
    if (!holds) differ(what, std::to_string(expected), std::to_string(found));
  }

  void status() {
    const TaskStatus& s = found_.status;
    want(s.no_new_privs, "NoNewPrivs", 1, 0);
    want(s.seccomp_mode == 2, "Seccomp", 2, s.seccomp_mode);
    want(s.seccomp_filters >= 1, "Seccomp_filters", 1, s.seccomp_filters);
    for (const auto& [name, caps] :
         {std::pair{"CapInh", s.cap_inheritable}, std::pair{"CapPrm", s.cap_permitted},
          std::pair{"CapEff", s.cap_effective}, std::pair{"CapBnd", s.cap_bounding},
          std::pair{"CapAmb", s.cap_ambient}})
      want(caps == 0, name, 0, caps);
    want(s.signals_ignored == 0, "SigIgn", 0, s.signals_ignored);
    want(found_.is_listener_live, "listener", 1, 0);
  }

  void namespaces() {
    want(found_.namespaces.size() == 7, "namespaces", 7, found_.namespaces.size());
    for (const auto& ns : found_.namespaces)
      if (!ns.is_own) differ("namespace " + ns.name, "its own", "the supervisor's");
  }

  void one_line(const char* what, const std::vector<IdMapLine>& map, IdMapLine expected) {
    if (map.size() == 1 && map[0] == expected) return;
    std::string text;
    for (const auto& line : map)
      text += std::to_string(line.inside) + " " + std::to_string(line.outside) + " " +
              std::to_string(line.count) + ";";
    differ(what, std::to_string(expected.inside) + " " + std::to_string(expected.outside) + " 1",
           text);
  }

  void identity() {
    const Identity& id = plan_.identity;
    one_line("uid_map", found_.uid_map, {id.inside_uid, id.host_uid, 1});
    one_line("gid_map", found_.gid_map, {id.inside_gid, id.host_gid, 1});
    for (const auto uid : found_.status.uid) want(uid == id.host_uid, "Uid", id.host_uid, uid);
    for (const auto gid : found_.status.gid) want(gid == id.host_gid, "Gid", id.host_gid, gid);
    // An ordinary user keeps his groups: the kernel lets nobody drop them without a privilege.
    if (id.is_mapped_by_root) {
      want(found_.status.groups.empty(), "Groups", 0, found_.status.groups.size());
    } else if (found_.setgroups != "deny") {
      differ("setgroups", "deny", found_.setgroups);
    }
  }

  void mounts() {
    const std::vector<MountEntry> expected = expected_mounts(plan_);
    auto want = expected.begin();
    auto found = found_.mounts.begin();
    // Both are sorted by place.
    while (want != expected.end() || found != found_.mounts.end()) {
      const bool is_wanted =
          found == found_.mounts.end() || (want != expected.end() && want->where <= found->where);
      const BasedPath& where = is_wanted ? want->where : found->where;
      const auto is_elsewhere = [&](const MountEntry& m) { return m.where != where; };
      const auto want_end = std::find_if(want, expected.end(), is_elsewhere);
      const auto found_end = std::find_if(found, found_.mounts.end(), is_elsewhere);
      mounts_at({want, want_end}, {found, found_end});
      want = want_end;
      found = found_end;
    }
    check_id_maps();
  }

  // What is expected at one place, and what is there.
  void mounts_at(std::span<const MountEntry> expected, std::vector<MountEntry> left) {
    for (const MountEntry& one : expected) {
      const auto at = std::find_if(left.begin(), left.end(),
                                   [&](const MountEntry& m) { return is_same(m, one); });
      if (at != left.end()) {
        left.erase(at);
        continue;
      }
      if (is_optional(one)) continue;
      differ("mount " + place(one.where), describe(one),
             left.empty() ? "nothing" : describe(left.front()));
      if (!left.empty()) left.erase(left.begin());
    }
    for (const MountEntry& extra : left)
      differ("mount " + place(extra.where), "nothing", describe(extra));
  }

  // The masks over /proc depend on which files this kernel has.
  static bool is_optional(const MountEntry& m) {
    return m.where.base == Base::system && m.where.path.starts_with("proc/");
  }

  // Root's grants must show the tool's own ids, or its files would be nobody's.
  void check_id_maps() {
    if (!plan_.identity.is_mapped_by_root) return;
    for (const MountEntry& m : found_.mounts)
      if (m.kind == MountKind::bind && m.where.base != Base::system && !m.is_id_mapped)
        differ("mount " + place(m.where), "idmapped", "not idmapped");
  }

  void descriptors() {
    std::size_t expected = 0;
    for (const FdEntry& fd : found_.fds) {
      const bool is_known =
          fd.number <= 2 ? fd.kind != "other" && fd.kind != "init" : fd.kind == "init";
      if (!is_known) differ("fd " + std::to_string(fd.number), "closed", fd.kind);
      if (fd.number <= 2) ++expected;
    }
    want(expected == 3, "standard descriptors", 3, expected);
    want(found_.fds.size() <= 4, "descriptors", 4, found_.fds.size());
  }

  // Lower than asked is the host's own, tighter limit.
  void at_most(const char* name, std::uint64_t value) {
    for (const RlimitEntry& entry : found_.rlimits)
      if (entry.name == name && !entry.is_unlimited && entry.value <= value) return;
    differ(std::string("limit ") + name, std::to_string(value), "more");
  }

  void rlimits() {
    at_most("core", 1);
    if (const auto l = plan_.limit("file_bytes")) at_most("fsize", l->value);
    if (const auto l = plan_.limit("open_files")) at_most("nofile", l->value);
    const auto memory = plan_.limit("memory_bytes");
    if (memory && memory->by == Enforcer::rlimit) at_most("data", memory->value);
    const auto pids = plan_.limit("pids");
    if (pids && pids->by != Enforcer::cgroup) at_most("nproc", pids->value);
  }

  [[nodiscard]] std::string cgroup_value(const std::string& name) const {
    for (const auto& file : found_.cgroup.files)
      if (file.name == name) return file.value;
    return "absent";
  }

  void cgroup_file(const char* limit, const char* file, const std::string& expected) {
    const auto l = plan_.limit(limit);
    if (!l || l->by != Enforcer::cgroup) return;
    const std::string value = cgroup_value(file);
    if (value != expected) differ(std::string("cgroup ") + file, expected, value);
  }

  void cgroup() {
    const auto value = [&](const char* name) {
      const auto l = plan_.limit(name);
      return l ? l->value : 0;
    };
    const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    cgroup_file("memory_bytes", "memory.max", std::to_string(value("memory_bytes") / page * page));
    cgroup_file("swap_bytes", "memory.swap.max", std::to_string(value("swap_bytes") / page * page));
    if (!plan_.limit("swap_bytes") && cgroup_value("memory.swap.max") != "absent")
      cgroup_file("memory_bytes", "memory.swap.max", "0");
    const bool limits_io = plan_.limit(std::string(kIoRead)) || plan_.limit(std::string(kIoWrite));
    if (limits_io) {
      const std::string difference = io_difference(plan_, cgroup_value("io.max"));
      if (!difference.empty()) differ("cgroup io.max", "the limit of each disk", difference);
    }
    cgroup_file("pids", "pids.max", std::to_string(value("pids")));
    cgroup_file("cpu_percent", "cpu.max", std::to_string(value("cpu_percent") * 1000) + " 100000");
  }

  void probes() {
    for (const Probe& probe : found_.probes)
      if (!probe.is_expected)
        differ("probe " + probe.name, "refused",
               probe.error == 0 ? "succeeded" : "errno " + std::to_string(probe.error));
    want(found_.probes.size() >= 6, "probes", 6, found_.probes.size());
  }

  const Plan& plan_;
  const Enforced& found_;
  std::vector<Mismatch> out_;
};

}  // namespace

std::vector<MountEntry> expected_mounts(const Plan& plan) {
  std::vector<MountEntry> out;
  bool lists_proc = false;
  for (const Mount& m : plan.mounts) {
    MountEntry entry;
    entry.where = m.where;
    entry.kind = m.kind;
    entry.read_only = m.read_only;
    entry.no_exec = m.no_exec;
    entry.no_dev = m.no_dev;
    entry.no_suid = m.no_suid;
    lists_proc |= m.at.starts_with("/proc/");
    out.push_back(std::move(entry));
  }
  if (plan.has_proc && !lists_proc) {
    for (const auto& path : proc_masks()) {
      MountEntry entry;
      entry.where = based_path(path, plan.workspace);
      entry.kind = path == "/proc/sys" ? MountKind::bind : MountKind::mask;
      entry.read_only = entry.no_exec = entry.no_dev = entry.no_suid = true;
      out.push_back(std::move(entry));
    }
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const MountEntry& a, const MountEntry& b) { return a.where < b.where; });
  return out;
}

std::vector<Mismatch> compare(const Plan& plan, const Enforced& enforced) {
  return Comparison(plan, enforced).run();
}

}  // namespace ethos::sandbox
