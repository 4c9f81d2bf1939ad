// SPDX-License-Identifier: Apache-2.0
// What becomes of calls that name a path. The question is always the same: where does the path
// lead, and would the kernel refuse the act there because of the cage? What it refuses for reasons
// of its own (no such file, a loop of links, a directory opened for writing, a name that is taken)
// goes through to it and is no denial.
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <string_view>

#include "sandbox/address_text.h"
#include "sandbox/based_path.h"
#include "sandbox/cage_object.h"
#include "sandbox/filter/rules.h"
#include "sandbox/judge.h"
#include "sandbox/path_calls.h"
#include "sandbox/tool_memory.h"

namespace ethos::sandbox {
namespace {

std::int32_t as_int(std::uint64_t word) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(word));
}

// chmod, chown and utime in all their forms.
bool changes_inode(std::int32_t nr) {
  constexpr std::array<std::int32_t, 12> kCalls{90,  91,  92,  93,  94,  132,
                                                235, 260, 261, 268, 280, 452};
  return std::ranges::find(kCalls, nr) != kCalls.end();
}

std::string_view write_rule(Cover cover) {
  switch (cover) {
    case Cover::git:
      return "git";
    case Cover::hidden:
      return "hidden";
    case Cover::policy:
      return "policy";
    default:
      return "outside-grants";
  }
}

constexpr std::int32_t kSymlink = 88;
constexpr std::int32_t kSymlinkAt = 266;

bool is_device(std::uint64_t mode) { return S_ISCHR(mode) || S_ISBLK(mode); }

}  // namespace

// The text of a path argument. False: `verdict` is already the answer.
bool Judge::read_text(const Call& call, std::uint64_t address, std::string& text,
                      Verdict& verdict) {
  const MemoryRead read = read_string(call.pid, address, text);
  verdict = {0};
  if (read == MemoryRead::ok) return true;
  if (!listener_->is_valid(call.id)) {
    evidence_->add_gap("target_gone", now_ns_);
  } else if (read == MemoryRead::forbidden) {
    // A process that hides its memory gets no path-changing call.
    verdict = refuse_call(call, "unreadable", "the arguments cannot be read", EACCES);
  } else {
    // What the kernel would say. Nothing is let through unread: the kernel might be able to.
    verdict = {read == MemoryRead::too_long ? ENAMETOOLONG : EFAULT};
  }
  return false;
}

// Where a path leads. False: `verdict` is already the answer.
bool Judge::find_place(const Call& call, const PathQuery& query, Place& place, Verdict& verdict) {
  place = walker_.walk(call.pid, query);
  verdict = {0};
  if (!listener_->is_valid(call.id)) {
    evidence_->add_gap("target_gone", now_ns_);
    return false;
  }
  if (is_barred(place)) {
    verdict = refuse_path(call, place.path, "permission", "not readable for the tool", EACCES);
    return false;
  }
  switch (place.reach) {
    case Reach::nameless:  // pipes, sockets, memory: no grant speaks of them
    case Reach::fault:
      return false;
    case Reach::broken:
      // In a granted tree it is simply not there; elsewhere only the host knows.
      return !is_granted(grants_.cover(place.break_at)) || is_withheld(place.path);
    case Reach::too_deep:
      if (!place.path.empty()) return true;
      evidence_->add_gap("unreadable", now_ns_);
      return false;
    case Reach::object:
    case Reach::vacant:
      break;
  }
  return true;
}

Verdict Judge::refuse_path(const Call& call, const std::string& path, std::string_view rule,
                           std::string_view reason, int error) {
  Denial denial;
  denial.object = fitting_path(path);
  denial.object_kind = "path";
  denial.where = based_path(denial.object, plan_->workspace);
  denial.rule = std::string(rule);
  denial.reason = std::string(reason);
  return refuse(call, std::move(denial), error);
}

Verdict Judge::refuse_write(const Call& call, const std::string& path, Cover cover) {
  return refuse_path(call, path, write_rule(cover),
                     cover == Cover::policy ? "never writable from inside" : kOutsideWriteGrants,
                     EACCES);
}

Verdict Judge::decide_open(const Call& call) {
  Opening opening;
  opening.dir_fd = AT_FDCWD;
  switch (call.nr) {
    case 85:  // creat
      opening.address = call.args[0];
      opening.flags = O_WRONLY | O_CREAT | O_TRUNC;
      opening.mode = call.args[1];
      break;
    case 2:  // open
      opening.address = call.args[0];
      opening.flags = call.args[1] & 0xffffffff;
      opening.mode = call.args[2];
      break;
    default:  // openat
      opening.dir_fd = as_int(call.args[0]);
      opening.address = call.args[1];
      opening.flags = call.args[2] & 0xffffffff;
      opening.mode = call.args[3];
      break;
  }
  return decide_opening(call, opening);
}

Verdict Judge::decide_open_how(const Call& call) {
  open_how how{};
  const std::size_t size = sizeof how;
  if (call.args[3] < size) return {0};  // EINVAL by the kernel
  const MemoryRead read =
      read_bytes(call.pid, call.args[2], std::as_writable_bytes(std::span(&how, 1)));
  if (read == MemoryRead::forbidden)
    return refuse_call(call, "unreadable", "the arguments cannot be read", EACCES);
  if (read != MemoryRead::ok) return {EFAULT};
  return decide_opening(call,
                        {as_int(call.args[0]), call.args[1], how.flags, how.mode, how.resolve});
}

bool Judge::Opening::creates() const { return (flags & O_CREAT) != 0; }

bool Judge::Opening::is_new() const { return creates() && (flags & O_EXCL) != 0; }

bool Judge::Opening::is_unnamed() const {
  constexpr std::uint64_t kTmpFile = 020000000;  // __O_TMPFILE without O_DIRECTORY
  return (flags & kTmpFile) != 0;
}

bool Judge::Opening::writes() const {
  return (flags & O_ACCMODE) != O_RDONLY || (flags & O_TRUNC) != 0 || is_unnamed();
}

Glance Judge::glance_at(const Call& call, const Opening& opening, const std::string& text) {
  if (uses_ != nullptr || opening.resolve != 0 || opening.is_unnamed()) return Glance::unknown;
  if (opening.creates() && (opening.mode & filter::kSetIdBits) != 0) return Glance::unknown;
  const int root = walker_.root_of(call.pid);
  const auto at = [&](const std::string& path) {
    return opening.writes() || opening.creates() ? quick_.at_write(root, path)
                                                 : quick_.at_read(root, path, now_ns_);
  };
  if (text.front() == '/') return at(text);
  if (opening.dir_fd != AT_FDCWD) return Glance::unknown;
  const std::string directory = directory_text(call.pid);
  // What is missing there is looked for from the directory itself once more.
  return !directory.empty() && at(directory + "/" + text) == Glance::passes ? Glance::passes
                                                                            : Glance::unknown;
}

Verdict Judge::decide_opening(const Call& call, const Opening& opening) {
  if ((opening.flags & O_PATH) != 0) return {0};  // no access to content, whatever else is asked
  const bool asks_nothing = !opening.writes() && !opening.creates();
  if (asks_nothing && plan_->observe != Observe::all) return {0};
  std::string text;
  Verdict verdict;
  if (!read_text(call, opening.address, text, verdict) || text.empty()) return verdict;
  if (opening.creates() && text.back() == '/') return {0};  // EISDIR
  const Glance glance = glance_at(call, opening, text);
  if (glance == Glance::passes) return {0, true};
  PathQuery query;
  query.dir_fd = opening.dir_fd;
  query.text = text;
  query.follows_last = (opening.flags & O_NOFOLLOW) == 0 && !opening.is_new();
  query.resolve = opening.resolve;
  query.is_missing = glance == Glance::missing;
  Place place;
  if (!find_place(call, query, place, verdict)) {
    if (uses_ != nullptr && verdict.error == 0 && place.reach == Reach::broken)
      uses_->on_use(Use::absent, place.path);
    if (verdict.error != 0) return verdict;
    if (!asks_nothing)
      return is_change_behind_closed(call, place, text) ? refuse_of_others(call, place.path)
                                                        : verdict;
    return is_behind_closed(call, place, text)
               ? refuse_path(call, place.path, "permission", "not readable for the tool", EACCES)
               : verdict;
  }
  verdict = decide_access(call, opening, place, text);
  if (uses_ != nullptr && verdict.error == 0) note_opening(opening, place);
  return verdict;
}

Verdict Judge::decide_access(const Call& call, const Opening& opening, const Place& place,
                             std::string_view text) {
  const bool is_there = place.reach == Reach::object;
  if (is_there && ends_by_itself(opening, place)) return {0};
  // No cage has a terminal. Whoever has none outside one is told the same, so that nothing was
  // refused: each start of bash asks.
  if (!is_there && place.path == "/dev/tty") return {ENXIO};
  const Cover cover = grants_.cover(place.path);
  const bool makes = opening.is_unnamed() || (opening.creates() && !is_there);
  if (cover == Cover::writable) {
    if (makes && (opening.mode & filter::kSetIdBits) != 0) return refuse_set_id(call);
    const bool is_kept_away = is_there ? opening.writes() && is_of_others(place)
                                       : makes && is_in_others(call, place.path);
    if (is_kept_away) return refuse_of_others(call, place.path);
    return opening.writes() || makes ? Verdict{0} : decide_reading(call, place, cover, text);
  }
  const bool is_asked_for = !opening.creates() || place.reach == Reach::broken;
  if (!is_there && is_asked_for && cover == Cover::readable)  // ENOENT either way
    return is_withheld(place.path) ? refuse_withheld(call, place.path) : Verdict{0};
  if (opening.writes() || makes) return refuse_write(call, place.path, cover);
  return decide_reading(call, place, cover, text);
}

// The kernel's own ends: EEXIST, ELOOP for a link that is not followed, EISDIR and ENOTDIR.
bool Judge::ends_by_itself(const Opening& opening, const Place& place) {
  const bool is_directory = S_ISDIR(place.mode);
  if (opening.is_new() || S_ISLNK(place.mode)) return true;
  return opening.is_unnamed() ? !is_directory
                              : is_directory && (opening.writes() || opening.creates());
}

Verdict Judge::refuse_set_id(const Call& call) {
  return refuse_call(call, "set-id", "set-user-id and set-group-id bits", EPERM);
}

Verdict Judge::decide_path_change(const Call& call) {
  Verdict verdict = decide_paths(call);
  // Nothing that the kernel may still find by then: what was judged can be another file later.
  if (verdict.error == 0 &&
      std::ranges::find(filter::kAttributeSetting, call.nr) != filter::kAttributeSetting.end())
    verdict.error = EOPNOTSUPP;
  return verdict;
}

Verdict Judge::decide_paths(const Call& call) {
  const PathCall layout = path_call(call.nr);
  const auto arg = [&](int index) { return call.args[static_cast<std::size_t>(index)]; };
  if (call.nr == kSymlink || call.nr == kSymlinkAt) quick_.note_link();
  if (layout.chmod_arg >= 0 && (arg(layout.chmod_arg) & filter::kSetIdBits) != 0)
    return refuse_set_id(call);
  for (int i = 0; i < layout.count; ++i) {
    Verdict verdict;
    if (!may_change(call, layout, i, verdict)) return verdict;
  }
  return layout.mknod_arg < 0 ? Verdict{0} : decide_node(call, arg(layout.mknod_arg));
}

// One of the paths of a call. False: `verdict` is already the answer of the whole call.
bool Judge::may_change(const Call& call, const PathCall& layout, int index, Verdict& verdict) {
  const auto arg = [&](int i) { return call.args[static_cast<std::size_t>(i)]; };
  const PathArg& at = layout.paths[static_cast<std::size_t>(index)];
  const std::uint64_t flags = layout.flags_arg < 0 || index > 0 ? 0 : arg(layout.flags_arg);
  const bool is_fd = at.path < 0 || (arg(at.path) == 0 && layout.null_is_fd);
  std::string text;
  if (!is_fd && !read_text(call, arg(at.path), text, verdict)) return false;
  if (text.empty() && !is_fd && (flags & AT_EMPTY_PATH) == 0) return false;  // ENOENT
  PathQuery query;
  query.dir_fd = at.dir < 0 ? AT_FDCWD : as_int(arg(at.dir));
  query.text = text;
  query.follows_last = at.last == LastName::follow ? (flags & AT_SYMLINK_NOFOLLOW) == 0
                                                   : (flags & AT_SYMLINK_FOLLOW) != 0;
  query.is_last_kept = at.last == LastName::make || at.last == LastName::place;
  Place place;
  // Of what has no name the other path may still say more.
  if (!find_place(call, query, place, verdict)) {
    if (verdict.error == 0 && is_change_behind_closed(call, place, text))
      verdict = refuse_of_others(call, place.path);
    return verdict.error == 0 && place.reach == Reach::nameless;
  }
  const bool may = may_change_at(call, at.last, removes_name(call.nr, index), place, verdict);
  if (may && uses_ != nullptr) note_change(call, at.last, index, place);
  return may;
}

bool Judge::may_change_at(const Call& call, LastName last, bool removes, const Place& place,
                          Verdict& verdict) {
  const bool is_there = place.reach == Reach::object;
  const bool is_kept = last == LastName::make || last == LastName::place;
  verdict = {0};
  const Cover cover = grants_.cover(place.path);
  if (is_kept && !place.has_name) {  // "." and "..": EBUSY, EEXIST
    // In what is hidden the kernel does not come so far.
    if (cover == Cover::hidden || cover == Cover::git)
      verdict = refuse_write(call, place.path, cover);
    return false;
  }
  if (last == LastName::make && is_there) return false;  // EEXIST
  // What is granted itself stands in a directory that is not, or is mounted there: EBUSY or EROFS.
  if (cover == Cover::writable && last == LastName::place && is_there &&
      (parent_cover(place.path) != Cover::writable || grants_.is_mount_point(place.path))) {
    verdict = refuse_write(call, place.path, parent_cover(place.path));
    return false;
  }
  // The cage's devices are the machine's. The kernel lets nobody inside change mode and owner, but
  // whoever may write to one may set its times to now.
  if (cover == Cover::writable && is_there && S_ISCHR(place.mode) &&
      is_within(place.path, "/dev") && changes_inode(call.nr)) {
    verdict = refuse_path(call, place.path, "permission", "a device of the machine", EPERM);
    return false;
  }
  if (cover == Cover::writable) {
    // A name that is to go and is not there: ENOENT before anybody asks whose the directory is.
    const bool changes_directory = is_kept && (is_there || !removes);
    constexpr std::int32_t kRenameAt2 = 316;
    if (call.nr == kRenameAt2 && is_there && !removes && (call.args[4] & RENAME_NOREPLACE) != 0)
      return false;  // EEXIST
    if (!is_of_others(place) && !(changes_directory && is_in_others(call, place.path))) return true;
    verdict = refuse_of_others(call, place.path);
    return false;
  }
  const bool is_asked_for = !is_kept || removes || place.reach == Reach::broken;
  if (is_asked_for && !is_there && cover == Cover::readable) {  // ENOENT either way
    if (is_withheld(place.path))
      verdict = refuse_withheld(call, place.path);
    else if (removes && place.reach == Reach::vacant)
      verdict = {ENOENT};  // the kernel would rather say that the mount is read-only
    return false;
  }
  verdict = refuse_write(call, place.path, cover);
  return false;
}

Cover Judge::parent_cover(const std::string& path) const {
  const std::size_t slash = path.rfind('/');
  return grants_.cover(slash == 0 ? std::string("/") : path.substr(0, slash));
}

// A new node in a place that may be written.
Verdict Judge::decide_node(const Call& call, std::uint64_t mode) {
  if (is_device(mode & S_IFMT))
    return refuse_call(call, "syscall", "device nodes cannot be made", EPERM);
  return (mode & filter::kSetIdBits) != 0 ? refuse_set_id(call) : Verdict{0};
}

Verdict Judge::decide_bind(const Call& call) {
  std::array<std::byte, 128> bytes{};
  const std::size_t size =
      std::min<std::size_t>(as_int(call.args[2]) < 0 ? 0 : call.args[2] & 0xffffffff, bytes.size());
  const MemoryRead read = read_bytes(call.pid, call.args[1], std::span(bytes).first(size));
  if (read == MemoryRead::forbidden)
    return refuse_call(call, "unreadable", "the arguments cannot be read", EACCES);
  if (read != MemoryRead::ok) return {EFAULT};
  const SocketAddress address = describe_address(std::span(bytes).first(size));
  if (address.path.empty()) return {0};  // abstract and inet names stay in the cage's namespaces
  PathQuery query;
  query.dir_fd = AT_FDCWD;
  query.text = address.path;
  query.is_last_kept = true;
  Place place;
  Verdict verdict;
  if (!find_place(call, query, place, verdict)) {
    return verdict.error == 0 && is_change_behind_closed(call, place, address.path)
               ? refuse_of_others(call, place.path)
               : verdict;
  }
  // A name as any other: what is there already is EADDRINUSE by the kernel.
  if (!may_change_at(call, LastName::make, false, place, verdict)) return verdict;
  if (uses_ != nullptr) uses_->on_use(Use::make, place.path);
  return {0};
}

}  // namespace ethos::sandbox
