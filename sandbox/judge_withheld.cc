// SPDX-License-Identifier: Apache-2.0
// What the cage keeps from a tool that only wants to read, whatever the kernel would answer.
#include <fcntl.h>
#include <linux/openat2.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

#include "sandbox/based_path.h"
#include "sandbox/cage_object.h"
#include "sandbox/exec_check.h"
#include "sandbox/file_rights.h"
#include "sandbox/judge.h"

namespace ethos::sandbox {
namespace {

// Below /proc/<pid>: the numbers inside and outside name different processes.
bool is_of_process(std::string_view path) {
  constexpr std::string_view kProc = "/proc/";
  return path.size() > kProc.size() && path.starts_with(kProc) && path[kProc.size()] >= '0' &&
         path[kProc.size()] <= '9';
}

// What the directory of the cage's first process, or of its thread, has for whoever the mode bits
// let read it. All else there (memory, timers, what its links lead to) the kernel opens for nobody
// but a tracer, and tells no one beforehand: what is not named here is refused, so that nothing is
// refused without a record.
constexpr auto kOpenFiles = std::to_array<std::string_view>({"",
                                                             "arch_status",
                                                             "attr",
                                                             "autogroup",
                                                             "cgroup",
                                                             "children",
                                                             "cmdline",
                                                             "comm",
                                                             "coredump_filter",
                                                             "cpu_resctrl_groups",
                                                             "cpuset",
                                                             "fail-nth",
                                                             "fd",
                                                             "gid_map",
                                                             "io",
                                                             "ksm_merging_pages",
                                                             "ksm_stat",
                                                             "latency",
                                                             "limits",
                                                             "loginuid",
                                                             "make-it-fail",
                                                             "map_files",
                                                             "mountinfo",
                                                             "mounts",
                                                             "mountstats",
                                                             "net",
                                                             "ns",
                                                             "oom_adj",
                                                             "oom_score",
                                                             "oom_score_adj",
                                                             "patch_state",
                                                             "personality",
                                                             "projid_map",
                                                             "sched",
                                                             "schedstat",
                                                             "seccomp_cache",
                                                             "sessionid",
                                                             "setgroups",
                                                             "stack",
                                                             "stack_depth",
                                                             "stat",
                                                             "statm",
                                                             "status",
                                                             "syscall",
                                                             "task",
                                                             "timens_offsets",
                                                             "timerslack_ns",
                                                             "uid_map",
                                                             "wchan"});

// The path below that directory; null where it is none of these.
const char* below_first_process(const std::string& path) {
  for (const std::string_view directory : {"/proc/1/task/1/", "/proc/1/"})
    if (path.starts_with(directory)) return path.c_str() + directory.size();
  return nullptr;
}

bool is_of_first_process(const std::string& path) {
  const char* const below = below_first_process(path);
  if (below == nullptr) return false;
  const std::string_view rest(below);
  return std::ranges::find(kOpenFiles, rest.substr(0, rest.find('/'))) == kOpenFiles.end();
}

}  // namespace

// Not there inside, though a grant or the base runtime covers the place, but there on the host: the
// cage's own /etc, /dev and /proc hold less than the host's.
bool Judge::is_withheld(const std::string& path) {
  return grants_.cover(path) == Cover::readable && grants_.is_cages_own(path) &&
         !is_of_process(path) && host_.may_exist(path);
}

// Behind a link of the cage's first process, or a name in a directory of it that nobody may search:
// EACCES, whether it is there or not.
bool Judge::is_barred(const Place& place) {
  if (place.is_barred) return true;
  if (place.reach != Reach::vacant && place.reach != Reach::broken) return false;
  const char* const below = below_first_process(place.path);
  if (below == nullptr) return false;
  const std::string_view name(below);
  return name.starts_with("fd/") || name.starts_with("fdinfo/") || name.starts_with("map_files/");
}

// ENOENT as for a path that the host does not have either: no answer tells which.
Verdict Judge::refuse_withheld(const Call& call, const std::string& path) {
  return refuse_path(call, path, "outside-grants", "outside every grant", ENOENT);
}

// Visible, but the tool may not read it where its caller could, or where the cage itself shut it.
bool Judge::is_shut(const Call& call, const Place& place, std::string_view text) {
  if (is_of_first_process(place.path)) return true;
  if (may_read(place, plan_->identity) && !is_closed_above(call, place, text)) return false;
  return grants_.is_cages_own(place.path) || could_read(place);
}

// The supervisor of a run by root passes directories that the tool may not search.
bool Judge::is_closed_above(const Call& call, const Place& place, std::string_view text) {
  if (!plan_->identity.is_mapped_by_root || place.by_descriptor || is_within(place.path, "/proc"))
    return false;
  const int root = walker_.root_of(call.pid);
  const auto is_closed = [&](std::string_view path) {
    const auto may = may_pass(root, path, plan_->identity);
    if (!may) evidence_->add_gap("unreadable", now_ns_);
    return may && !*may;
  };
  const bool is_absolute = !text.empty() && text.front() == '/';
  return is_closed(place.path) || (is_absolute && text != place.path && is_closed(text));
}

// In a directory that neither the tool nor, over the cage's mounts, root's supervisor may search.
bool Judge::is_behind_closed(const Call& call, const Place& place, std::string_view text) {
  return place.reach == Reach::broken && place.is_closed && listener_->is_valid(call.id) &&
         is_granted(grants_.cover(place.path)) && !grants_.is_cages_own(place.path) &&
         is_closed_above(call, place, text) && host_.may_exist(place.path) && could_read(place);
}

// Asked on the host, as the mounts of the cage show a caller's files as the tool's.
bool Judge::could_read(const Place& place) {
  if (!plan_->identity.is_mapped_by_root) {
    const std::string link = "/proc/self/fd/" + std::to_string(place.object.get());
    return faccessat(AT_FDCWD, link.c_str(), R_OK, AT_EACCESS) == 0;
  }
  const auto& lent = lent_rights();
  return !lent || host_.is_slow(place.path) || may_caller_read(place.path, *lent);
}

// The kernel lets nobody write, in whatever way, to what belongs to an id that the cage does not
// map, whatever its bits say: EACCES, EPERM or EOVERFLOW. In a run by root, or by service, the
// caller could have.
bool Judge::is_of_others(const Place& place) {
  const Identity& tool = plan_->identity;
  if (place.reach != Reach::object || !grants_.is_id_mapped(place.path) ||
      (place.uid == tool.host_uid && place.gid == tool.host_gid))
    return false;
  const auto& lent = lent_rights();
  return !lent || host_.is_slow(place.path) || may_caller_write(place.path, *lent);
}

// The directory that holds `path`.
bool Judge::is_in_others(const Call& call, const std::string& path) {
  if (!grants_.is_id_mapped(path)) return false;
  Place parent;
  parent.path = path.substr(0, path.rfind('/'));
  parent.object.reset(open_how_at(walker_.root_of(call.pid),
                                  parent.path.empty() ? "." : parent.path.c_str() + 1,
                                  O_PATH | O_DIRECTORY | O_CLOEXEC, RESOLVE_NO_SYMLINKS));
  const auto found = parent.object.is_open() ? look(parent.object.get()) : std::nullopt;
  if (!found) return false;
  parent.reach = Reach::object;
  parent.uid = found->stx_uid;
  parent.gid = found->stx_gid;
  return is_of_others(parent);
}

bool Judge::is_change_behind_closed(const Call& call, const Place& place, std::string_view text) {
  return place.reach == Reach::broken && place.is_closed && listener_->is_valid(call.id) &&
         is_granted(grants_.cover(place.path)) && grants_.is_id_mapped(place.path) &&
         is_closed_above(call, place, text);
}

Verdict Judge::refuse_of_others(const Call& call, const std::string& path) {
  return refuse_path(call, path, "owner", "belongs to others than the tool", EACCES);
}

Verdict Judge::decide_reading(const Call& call, const Place& place, Cover cover,
                              std::string_view text) {
  if (plan_->observe != Observe::all) return {0};
  if (cover == Cover::writable) {
    // What the tool shut itself is no refusal of the cage's.
    const bool is_strange = place.reach == Reach::object && place.uid != plan_->identity.host_uid &&
                            !grants_.is_cages_own(place.path);
    if (!is_strange) return {0};
  }
  if (is_granted(cover))
    return is_shut(call, place, text)
               ? refuse_path(call, place.path, "permission", "not readable for the tool", EACCES)
               : Verdict{0};
  if (cover == Cover::policy) return {0};
  if (cover == Cover::git || cover == Cover::hidden) return refuse_masked(call, place, cover);
  // What the host does not have either is not kept from the tool.
  const bool is_there = place.reach == Reach::object;
  if (!is_there && cover == Cover::outside && !host_.may_exist(place.path)) return {0};
  // What is visible inside says EACCES; of the rest no answer tells whether it exists.
  return refuse_path(call, place.path, "outside-grants", "outside every grant",
                     cover == Cover::outside ? ENOENT : EACCES);
}

// Reading or starting what a mask hides.
Verdict Judge::refuse_masked(const Call& call, const Place& place, Cover cover) {
  if (cover == Cover::hidden) return refuse_path(call, place.path, "hidden", "hidden", EACCES);
  // The mask of a repository is there for everybody, and empty.
  if (grants_.is_mount_point(place.path)) return {0};
  // Nothing is kept from the tool that the host does not have; no answer tells which it is.
  if (place.reach != Reach::object && !host_.may_exist(place.path)) return {0};
  return refuse_path(call, place.path, "git", "not granted by git", ENOENT);
}

}  // namespace ethos::sandbox
