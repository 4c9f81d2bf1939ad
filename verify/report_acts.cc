// SPDX-License-Identifier: Apache-2.0
#include "verify/report_acts.h"

#include <algorithm>
#include <array>
#include <cerrno>

namespace ethos::verify {
namespace {

// A list with a space on both sides of each word.
bool has_word(std::string_view list, std::string_view word) {
  return !word.empty() && list.find(" " + std::string(word) + " ") != std::string_view::npos;
}

struct Calls {
  std::string_view calls;
  std::string_view words;
};
constexpr std::array kCalls = std::to_array<Calls>({
    {" creat ", "to write or create it"},
    {" mkdir mkdirat ", "to make a directory"},
    {" mknod mknodat ", "to make a node"},
    {" unlink unlinkat rmdir ", "to remove it"},
    {" rename renameat renameat2 ", "to rename it, or onto it"},
    {" link linkat ", "to link it, or make a link there"},
    {" symlink symlinkat ", "to make a link"},
    {" truncate ftruncate ", "to change its length"},
    {" chmod fchmod fchmodat fchmodat2 ", "to change its mode"},
    {" chown fchown lchown fchownat ", "to change its owner"},
    {" utime utimes utimensat futimesat ", "to change its times"},
    {" setxattr lsetxattr fsetxattr removexattr lremovexattr fremovexattr ",
     "to change its attributes"},
    {" execve execveat ", "to start it as a program"},
    {" socket socketpair ", "to reach a network"},
    {" bind ", "to take an address"},
    {" sendto sendmsg sendmmsg ", "to send"},
    {" landlock ", "refused by the kernel's own rules for files"},
    {" commit ", "to bring a result out"},
});
// The first so many of them change the tree.
constexpr std::size_t kChanges = 12;
constexpr std::string_view kNetworkCalls =
    " socket connect bind listen accept accept4 sendto sendmsg sendmmsg socketpair ";
constexpr std::string_view kToRead = "to read it";
constexpr std::string_view kToWrite = "to write or create it";
constexpr std::string_view kToEither = "to read or to write it, which of both is not recorded";

// Under `writes` only opens that may change something are told. Else the cage answers a change
// outside every grant with EACCES and a read there with ENOENT.
std::string_view open_words(std::string_view rule, std::string_view observe, std::int64_t error,
                            bool is_on_the_way) {
  if (observe == "writes" || rule == "policy" || rule == "set-id") return kToWrite;
  if (rule == "permission") return kToRead;
  if (rule == "git") return error == EACCES ? kToWrite : kToRead;
  return rule == "outside-grants" && error == EACCES && !is_on_the_way ? kToWrite : kToEither;
}

ReportColumn column_of(std::string_view rule, std::string_view call, std::string_view opened) {
  using enum ReportColumn;
  if (rule == "no-network") return network;
  if (rule == "git") return git;
  if (rule == "hidden") return hidden;
  if (rule == "syscall" || rule == "arch") return syscalls;
  if (rule == "quota") return limits;
  if (has_word(kNetworkCalls, call)) return network;
  if (call == "execve" || call == "execveat") return execute;
  if (call == "open" || call == "openat" || call == "openat2")
    return opened == kToRead ? read : opened == kToWrite ? write : files;
  const bool changes = std::any_of(kCalls.begin(), kCalls.begin() + kChanges,
                                   [&](const Calls& one) { return has_word(one.calls, call); });
  if (changes || call == "commit") return write;
  return rule == "outside-grants" || call == "landlock" ? files : syscalls;
}

constexpr std::string_view kCounters = " memory.events pids.events cpu.stat ";

constexpr std::array kOutcomes = std::to_array<std::string_view>({
    "at or near the limit when looked at; that the kernel refused a process start is presumed, "
    "not seen",
    "at or near the limit when looked at; that the kernel refused memory is presumed, not seen",
    "at or near the limit when looked at; that the kernel held the tool back is presumed, not seen",
    "at or near the limit when looked at; that the kernel refused more is presumed, not seen",
    "a process was ended by the kernel",
    "the tool was ended by the kernel",
    "the run was ended by the supervisor",
    "what came after it was cut off by the supervisor",
    "refused by the kernel, which counted it",
    "held back by the kernel, which counted it",
});

}  // namespace

std::string_view column_name(ReportColumn column) {
  constexpr std::array<std::string_view, kReportColumns> kNames{
      "read",    "write", "execute",     "files",    "hidden",
      "network", "git",   "environment", "syscalls", "limits"};
  return kNames[static_cast<std::size_t>(column)];
}

ReportColumn column_of_grant(std::string_view cap) {
  using enum ReportColumn;
  if (cap == "fs.read") return read;
  if (cap == "fs.write") return write;
  if (cap == "fs.exec" || cap == "exec.memory" || cap == "exec.scratch") return execute;
  if (cap == "fs.hide") return hidden;
  if (cap == "network") return network;
  if (cap == "git") return git;
  if (cap == "env") return environment;
  return cap == "limit" ? limits : syscalls;
}

ReportAct::ReportAct(const View& denial, std::string_view observe, bool is_on_the_way) {
  const std::string rule = denial.at("rule").text();
  const std::string call = denial.at("operation").text();
  const bool is_open = call == "open" || call == "openat" || call == "openat2";
  if (is_open && denial.at("phase").raw() == "run") {
    words = open_words(rule, observe, denial.at("errno").number(), is_on_the_way);
  } else {
    const auto* const known = std::find_if(
        kCalls.begin(), kCalls.end(), [&](const Calls& one) { return has_word(one.calls, call); });
    if (known != kCalls.end()) words = known->words;
  }
  column = column_of(rule, call, is_open ? words : std::string_view());
}

bool is_act_word(std::string_view words) {
  return words.empty() || words == kToRead || words == kToEither ||
         std::any_of(kCalls.begin(), kCalls.end(),
                     [&](const Calls& one) { return one.words == words; });
}

bool is_presumed_limit(const View& limit) {
  const std::string_view action = limit.at("action").raw();
  return (action == "refused" || action == "throttled") &&
         !has_word(kCounters, limit.at("source").raw());
}

std::string_view limit_outcome_words(const View& limit) {
  const std::string_view name = limit.at("limit").raw();
  const std::string_view action = limit.at("action").raw();
  const std::string_view source = limit.at("source").raw();
  if (is_presumed_limit(limit)) {
    if (name == "pids") return kOutcomes[0];
    if (name == "memory_bytes") return kOutcomes[1];
    return kOutcomes[action == "throttled" ? 2 : 3];
  }
  if (action == "killed")
    return kOutcomes[source == "memory.events" ? 4 : source == "wait_status" ? 5 : 6];
  if (action == "truncated") return kOutcomes[7];
  if (action == "refused") return kOutcomes[8];
  return action == "throttled" ? kOutcomes[9] : std::string_view();
}

bool is_limit_outcome_word(std::string_view words) {
  return std::find(kOutcomes.begin(), kOutcomes.end(), words) != kOutcomes.end();
}

std::string_view limit_form_seen(std::string_view limit, std::string_view enforced_by) {
  const std::string form = std::string(limit) + "/" + std::string(enforced_by);
  constexpr std::string_view kCounted =
      " wall_ms/supervisor output_bytes/supervisor memory_bytes/cgroup pids/cgroup "
      "cpu_percent/cgroup ";
  constexpr std::string_view kLookedAt =
      " io_read_bps/cgroup io_write_bps/cgroup pids/supervisor memory_bytes/rlimit "
      "file_bytes/rlimit scratch_bytes/tmpfs staged_bytes/tmpfs inodes/tmpfs ";
  if (has_word(kCounted, form)) return "counted";
  return has_word(kLookedAt, form) ? "looked_at" : "not_recorded";
}

}  // namespace ethos::verify
