// SPDX-License-Identifier: Apache-2.0
// What becomes of execve and execveat: judged and listed as the file that would start.
#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "sandbox/based_path.h"
#include "sandbox/exec_check.h"
#include "sandbox/judge.h"
#include "sandbox/proc_dir.h"

namespace ethos::sandbox {
namespace {

// Of the cage's devices /dev/zero alone can be mapped.
bool is_mappable(const Place& place) {
  return S_ISREG(place.mode) || (S_ISCHR(place.mode) && place.path == "/dev/zero");
}

}  // namespace

Verdict Judge::refuse_exec(const Call& call, const std::string& path) {
  const bool is_visible = grants_.cover(path) != Cover::outside;
  return refuse_path(call, path, "no-exec", "outside every exec grant",
                     is_visible ? EACCES : ENOENT);
}

Verdict Judge::decide_exec(const Call& call) {
  const bool is_at = call.nr == 322;
  const std::uint64_t flags = is_at ? call.args[4] : 0;
  std::string text;
  Verdict verdict;
  if (!read_text(call, call.args[is_at ? 1 : 0], text, verdict)) return verdict;
  if (text.empty() && (flags & AT_EMPTY_PATH) == 0) return {0};  // ENOENT
  PathQuery query;
  query.dir_fd =
      is_at ? static_cast<std::int32_t>(static_cast<std::uint32_t>(call.args[0])) : AT_FDCWD;
  query.text = text;
  query.follows_last = (flags & AT_SYMLINK_NOFOLLOW) == 0;
  Place place;
  const bool is_found = find_place(call, query, place, verdict);
  const bool is_memory = place.reach == Reach::nameless && S_ISREG(place.mode);
  if (is_memory)
    verdict = refuse_memory(call, place);
  else if (!is_found || !may_start_place(call, place, verdict))
    return verdict;
  if (verdict.error != 0 || !may_interpret(call, place, verdict)) return verdict;
  if (uses_ != nullptr) uses_->on_use(Use::execute, place.path);
  // The name as it was given says more than where links led; but a descriptor's says nothing.
  const bool is_telling =
      !place.by_descriptor && text.front() == '/' && text.find("/..") == std::string::npos;
  note_exec(call, is_telling ? plain_path(text) : place.path);
  return {0};
}

// What the cage hides comes first: a mask looks like a file that nobody may start, and what it
// hides is none. False: `verdict` is the answer.
bool Judge::may_start_place(const Call& call, const Place& place, Verdict& verdict) {
  const Cover cover = grants_.cover(place.path);
  const bool is_there = place.reach == Reach::object;
  verdict = {0};
  if (cover == Cover::hidden || cover == Cover::git) {
    // A directory starts nowhere.
    if (!is_there || !S_ISDIR(place.mode)) verdict = refuse_masked(call, place, cover);
    return false;
  }
  if (!is_there && is_granted(cover)) return false;  // ENOENT
  // EACCES, as outside the cage
  if (is_there && !may_start(place, plan_->identity)) return false;
  if (is_there && grants_.may_execute(place.path)) return true;
  verdict = refuse_exec(call, place.path);
  return false;
}

// Code in memory: the kernel starts it only where the plan lets programs make such files.
Verdict Judge::refuse_memory(const Call& call, const Place& place) {
  return plan_->may_exec_memory
             ? Verdict{0}
             : refuse_path(call, place.path, "no-exec", "code in memory is not granted", EACCES);
}

// A library or plugin: the kernel maps no code of a file on a mount without programs (EPERM), and
// Landlock does not ask.
Verdict Judge::decide_mapping(const Call& call) {
  PathQuery query;
  query.dir_fd = static_cast<std::int32_t>(static_cast<std::uint32_t>(call.args[4]));
  Place place;
  Verdict verdict;
  if (!find_place(call, query, place, verdict)) return verdict;
  if (place.reach != Reach::object || !is_mappable(place) || grants_.may_map_code(place.path))
    return {0};
  // What is not open for reading nobody maps, in a cage or outside: EBADF, EACCES.
  const auto flags = open_flags(call.pid, query.dir_fd);
  if (!flags || (*flags & O_PATH) != 0 || (*flags & O_ACCMODE) == O_WRONLY) return {0};
  return refuse_path(call, place.path, "no-exec", "outside every exec grant", EPERM);
}

// The interpreters that the kernel starts in the file's place must be executable as well. False:
// `verdict` is the answer.
bool Judge::may_interpret(const Call& call, const Place& file, Verdict& verdict) {
  constexpr int kMaxScripts = 5;  // as deep as the kernel goes
  Place at;
  const Place* current = &file;
  for (int depth = 0; depth <= kMaxScripts; ++depth) {
    const Interpreter interpreter = named_interpreter(*current);
    verdict = {0};
    if (interpreter.name.empty()) return true;
    PathQuery query;
    query.dir_fd = AT_FDCWD;
    query.text = interpreter.name;
    Place next;
    const bool is_found = find_place(call, query, next, verdict);
    if (next.reach == Reach::nameless && S_ISREG(next.mode)) {
      verdict = refuse_memory(call, next);
      if (verdict.error != 0 || interpreter.is_loader) return verdict.error == 0;
      at = std::move(next);
      current = &at;
      continue;
    }
    if (!is_found || !may_start_place(call, next, verdict)) return false;
    if (interpreter.is_loader) return true;
    at = std::move(next);
    current = &at;
  }
  return false;  // ELOOP
}

void Judge::note_exec(const Call& call, std::string path) {
  ExecEvent event;
  event.path = fitting_path(std::move(path));
  event.where = based_path(event.path, plan_->workspace);
  event.pid = call.pid;
  event.is_tool = !has_seen_tool_;
  has_seen_tool_ = true;
  evidence_->add(std::move(event), now_ns_);
}

}  // namespace ethos::sandbox
