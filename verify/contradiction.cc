// SPDX-License-Identifier: Apache-2.0
#include "verify/contradiction.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "verify/encoding.h"
#include "verify/syscall_names.h"

namespace ethos::verify {
namespace {

constexpr std::int64_t kX32Bit = 0x40000000;
constexpr std::int64_t kNoId = 4294967295;  // (uid_t)-1: nobody's

// runtime.sandbox_denial ----------------------------------------------------------------------

// `0x` and 8 digits, of an architecture that has no name of its own here.
bool is_hex_arch(std::string_view text) {
  return text.size() == 10 && text.starts_with("0x") && text.substr(2).find_first_not_of("0123456789abcdef") == std::string_view::npos &&
         text != "0xc000003e" && text != "0x40000003";
}

const char* call_contradiction(const Denial& d) {
  const std::string_view arch = d.arch;
  const std::int64_t nr = d.call;
  if (nr < 0 || nr > INT32_MAX) return "a system call has no such number";
  const bool is_native = arch == "x86_64";
  if (!is_native && arch != "i386" && arch != "x32" && !is_hex_arch(arch)) return "`syscall.arch` is none that can be written so";
  const bool has_bit = (nr & kX32Bit) != 0;
  if ((is_native && has_bit) || (arch == "x32" && !has_bit)) return "`syscall.arch` and `syscall.nr` are of two tables";
  // One way only: such a call is never judged by anything else.
  if (!d.rule.empty() && (d.rule == "arch") == is_native) return "`rule` and `syscall.arch` contradict each other";
  const std::string_view name = is_native ? syscall_name(static_cast<std::uint32_t>(nr)) : std::string_view();
  if (is_native && may_be_newer(static_cast<std::uint32_t>(nr))) return nullptr;
  if (!same_text(d.operation, name.empty() ? std::string_view("syscall") : name)) return "`operation` is not the name of `syscall.nr`";
  return nullptr;
}

std::string_view phase_of(std::string_view source) {
  if (source == "plan" || source == "launcher") return "setup";
  return source == "commit" ? "commit" : "run";
}

// How the object came to be known: paths and addresses lie in the tool's memory, numbers in registers.
const char* mark_contradiction(const Denial& d) {
  if (d.phase != "run") return d.mark == "S" ? nullptr : "`mark` is not the supervisor's, whose own step it was";
  if (d.source == "landlock_audit") return d.mark == "K" ? nullptr : "`mark` is not the kernel's, whose audit told it";
  if (d.source != "seccomp") return nullptr;
  if (!d.has_object) return d.mark == "K" ? nullptr : "`mark` speaks of an object that is not there";
  if (d.is_object_text) return d.mark == "K" || d.mark == "A" ? nullptr : "`mark` is none that `object` can have";
  return d.mark == "A" ? nullptr : "`mark` is none that `object` can have";
}

// resource.limit ------------------------------------------------------------------------------

struct LimitRow {
  std::string_view source;
  std::array<std::string_view, 3> limits;
  std::string_view enforced_by;
  std::string_view mark;
  std::array<std::string_view, 2> actions;
};

// Which source can tell what about which limit.
constexpr LimitRow kLimitRows[] = {
    {"memory.events", {"memory_bytes"}, "cgroup", "K", {"killed"}},
    {"pids.events", {"pids"}, "cgroup", "K", {"killed", "refused"}},
    {"cpu.stat", {"cpu_percent"}, "cgroup", "K", {"throttled"}},
    {"io.stat", {"io_read_bps", "io_write_bps"}, "cgroup", "S", {"throttled"}},
    {"timer", {"wall_ms"}, "supervisor", "S", {"killed"}},
    {"byte_counter", {"output_bytes"}, "supervisor", "S", {"killed", "truncated"}},
    {"process_count", {"pids"}, "supervisor", "S", {"killed", "refused"}},
    {"wait_status", {"file_bytes"}, "rlimit", "S", {"killed"}},
    {"peak_data", {"memory_bytes"}, "rlimit", "S", {"killed", "refused"}},
    {"statfs", {"scratch_bytes", "staged_bytes", "inodes"}, "tmpfs", "S", {"refused"}},
    {"layers_sum", {"staged_bytes", "inodes"}, "tmpfs", "S", {"killed"}}};

template <std::size_t N>
bool one_of_row(const std::array<std::string_view, N>& row, std::string_view word) {
  return !word.empty() && std::find(row.begin(), row.end(), word) != row.end();
}

// E-14: how much of the limit a source sees before it speaks. A sum that could not be measured may be anything.
bool is_seen(std::string_view source, std::string_view action, std::uint64_t observed, std::uint64_t limit) {
  if (source == "io.stat") return observed >= limit - limit / 8;
  if (source == "timer") return observed >= limit;
  if (source == "byte_counter" || source == "layers_sum") return observed > limit;
  if (source == "wait_status" || source == "statfs") return observed == limit;
  if (source == "peak_data") return action == "killed" || observed >= limit - limit / 16;
  return observed > 0;
}

const char* limit_contradiction(const View& body) {
  const std::string_view source = body.at("source").raw();
  for (const LimitRow& row : kLimitRows) {
    if (row.source != source) continue;
    const std::string_view action = body.at("action").raw();
    const bool fits = one_of_row(row.limits, body.at("limit").raw()) && row.enforced_by == body.at("enforced_by").raw() &&
                      row.mark == body.at("mark").raw() && one_of_row(row.actions, action);
    if (!fits) break;
    const auto observed = parse_decimal(body.at("observed").raw());
    const auto limit = parse_decimal(body.at("value").raw());
    const bool seen = observed && limit && is_seen(source, action, *observed, *limit);
    return seen ? nullptr : "`observed` does not come up to the limit that `source` saw reached";
  }
  return "`source` cannot say this about `limit`";
}

// output.captured, artifact.exported, run.gap, run.open -----------------------------------------

const char* output_contradiction(const View& body) {
  const auto bytes = parse_decimal(body.at("bytes").raw());
  const auto kept = static_cast<std::uint64_t>(body.at("data").at("n").number());
  const bool fits = bytes && (body.at("truncated").source() == "true" ? kept <= *bytes : kept == *bytes);
  return fits ? nullptr : "`bytes`, `truncated` and the length of `data` contradict each other";
}

const char* artifact_contradiction(const View& body) {
  const bool is_content = body.at("type").raw() == "file" && body.at("action").raw() != "deleted";
  if (body.at("sha256").exists() != is_content) return "`sha256`, `type` and `action` contradict each other";
  if (!is_content && body.at("size").raw() != "0") return "`size` of what has no content";
  // No file is larger than its offsets can tell.
  if (parse_decimal(body.at("size").raw()).value_or(UINT64_MAX) > INT64_MAX) return "`size` of a file that no host can hold";
  constexpr std::string_view kOfNothing = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
  if (is_content && (body.at("size").raw() == "0") != (body.at("sha256").raw() == kOfNothing)) return "`size` and `sha256` contradict each other";
  return body.at("type").raw() == "directory" && body.at("action").raw() == "replaced" ? "a directory is never replaced" : nullptr;
}

const char* gap_contradiction(const View& body) {
  const std::string_view reason = body.at("reason").raw();
  const std::string_view lost = body.at("lost").raw();
  if (lost == "0") return "a gap in which nothing was lost";
  // More places than this are never hidden, and a look that finds more is given up.
  constexpr std::uint64_t kMostPlaces = 10'000;
  if (reason == "not_hidden" && parse_decimal(lost).value_or(UINT64_MAX) > kMostPlaces) return "more places were not hidden than a look can find";
  const bool is_one = reason == "mask_lost" || reason == "source_lost" || reason == "audit_cut";
  if (is_one && lost != "1") return "`lost` and `reason` of a gap contradict each other";
  const bool is_own = reason == "mask_lost" || reason == "not_hidden" || reason == "artifact_unread";
  const std::string_view source = is_own ? "supervisor" : reason.starts_with("audit_") ? "landlock_audit" : "seccomp";
  if (body.at("source").raw() != source) return "`source` and `reason` of a gap contradict each other";
  return nullptr;
}

// One content has one size, and only an interpreter has interpreters.
const char* programs_contradiction(const View& exe) {
  const View first = exe.at("interpreter");
  const View further = exe.at("interpreters");
  if (!first.exists()) return further.exists() ? "`exe` has `interpreters` and no `interpreter`" : nullptr;
  std::array<View, 6> files{exe, first};
  std::size_t count = 2;
  further.each_element([&](const View& file) {
    if (count < files.size()) files[count++] = file;
    return true;
  });
  for (std::size_t i = 1; i < count; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const bool is_same = files[i].at("sha256").exists() && files[i].at("sha256").raw() == files[j].at("sha256").raw();
      if (is_same && files[i].at("size").number() != files[j].at("size").number()) return "one `sha256` has two sizes in `exe`";
    }
  }
  return nullptr;
}

const char* open_contradiction(const View& body) {
  const View caller = body.at("caller");
  for (const char* key : {"uid", "gid", "login_uid"}) {
    if (caller.at(key).exists() && caller.at(key).number() >= kNoId) return "nobody has such an id in `caller`";
  }
  const View exe = body.at("exe");
  if (const char* found = programs_contradiction(exe)) return found;
  const bool from_commit = body.at("origin").raw() == "revision";
  if (body.at("source_revision").exists() != from_commit) return "`source_revision` and `origin` contradict each other";
  // Options are no file; everything else is, unless the run was refused before it was read.
  if (body.at("origin").raw() == "options" && body.at("source").exists()) return "`source` and `origin` contradict each other";
  // What is learned from is watched as closely as can be.
  if (body.at("origin").raw() == "learn" && body.at("observe").raw() != "all") return "`observe` and `origin` contradict each other";
  // The programs are of x86-64 alone; a caller with a 32-bit personality is told the other word.
  const std::string_view arch = body.at("host").at("arch").raw();
  if (arch != "x86_64" && arch != "i686") return "`host.arch` is none that the runner's programs are for";
  if (body.at("host").at("landlock_abi").number() < 0) return "there is no such `landlock_abi`";
  return nullptr;
}

// run.close -----------------------------------------------------------------------------------

constexpr std::int64_t kRefused = 120;
constexpr std::int64_t kLimit = 121;
constexpr std::int64_t kDenied = 122;
constexpr std::int64_t kWall = 124;
constexpr std::int64_t kRunner = 125;
constexpr std::int64_t kNotExecutable = 126;
constexpr std::int64_t kNotFound = 127;
constexpr std::int64_t kSignals = 64;

bool is_signal(std::int64_t number) { return number >= 1 && number <= kSignals; }

// SIGHUP, SIGINT, SIGTERM: what the runner listens to; every other one it blocks, or cannot see.
bool is_heard(std::int64_t number) { return number == 1 || number == 2 || number == 15; }

bool lists(const View& list, std::string_view word, bool is_listed) {
  bool found = false;
  list.each_element([&](const View& item) {
    found = found || (item.raw() == word) == is_listed;
    return true;
  });
  return found;
}

const char* refused_contradiction(const View& body, std::int64_t status) {
  if (status != kRefused && status != kRunner) return "`status` and `ended_by` contradict each other";
  const View down = body.at("teardown");
  const bool nothing_ran = body.at("duration_ms").number() == 0 && body.at("gaps").number() == 0 && body.at("limits").count() == 0 &&
                           !body.at("execs").exists() && body.at("denials").at("records").number() == 0 &&
                           down.at("processes_left").number() == 0 && down.at("cgroup").raw() == "none";
  return nothing_ran ? nullptr : "a refused run has traces of a tool";
}

// The tool ended by itself: how, and what ethos-run made of it.
const char* tool_contradiction(const View& body, std::int64_t status) {
  const View exit = body.at("exit");
  const View code = exit.at("code");
  const View signal = exit.at("signal");
  if (code.exists() && (code.number() < 0 || code.number() > 255)) return "there is no such exit code";
  if (signal.exists() && !is_signal(signal.number())) return "there is no such signal";
  const bool has_denials = body.at("denials").at("records").number() > 0 || body.at("gaps").number() > 0;
  if (status == kDenied && has_denials) return nullptr;
  const bool fits = code.exists() ? status == code.number()
                    : signal.exists() ? status == 128 + signal.number()
                                      : status == kNotExecutable || status == kNotFound;
  return fits ? nullptr : "`status`, `exit` and the denials contradict each other";
}

// E-16: whether something stayed, and figures that no kernel gives.
const char* usage_contradiction(const View& body) {
  constexpr std::int64_t kMostTasks = 4'194'304;  // PID_MAX_LIMIT
  const std::int64_t left = body.at("teardown").at("processes_left").number();
  if (left < 0 || left > 1) return "`processes_left` says more than whether any was left";
  const View peak = body.at("usage").at("pids_peak");
  if (peak.exists() && (peak.number() < 2 || peak.number() > kMostTasks)) return "`pids_peak` is none that is written";
  return body.at("usage").at("cpu_ms").number() < 0 ? "`cpu_ms` below 0" : nullptr;
}

const char* close_contradiction(const View& body) {
  const std::int64_t status = body.at("status").number();
  const std::string_view by = body.at("ended_by").raw();
  const View denials = body.at("denials");
  const auto acts = parse_decimal(denials.at("acts").raw());
  const auto records = static_cast<std::uint64_t>(denials.at("records").number());
  if (!acts || *acts < records || (*acts > 0 && records == 0)) return "`denials.acts` and `denials.records` contradict each other";
  if (body.at("exit").exists() && by != "tool") return "`exit` and `ended_by` contradict each other";
  if (body.at("execs").exists() && body.at("execs").at("total").raw() == "0") return "`execs` lists programs and counts none";
  if (by == "refused") return refused_contradiction(body, status);
  if (const char* why = usage_contradiction(body)) return why;
  // What stays alive is a failure of the runner, however the tool ended.
  if (body.at("teardown").at("processes_left").number() > 0) {
    return status == kRunner ? nullptr : "`processes_left` and `status` contradict each other";
  }
  const View limits = body.at("limits");
  bool fits = true;
  if (by == "tool") return tool_contradiction(body, status);
  if (by == "wall") fits = status == kWall && lists(limits, "wall_ms", true);
  if (by == "limit") fits = status == kLimit && lists(limits, "wall_ms", false);
  if (by == "interrupted") fits = is_heard(status - 128);
  if (by == "runner") fits = status == kRunner;
  return fits ? nullptr : "`status`, `ended_by` and `limits` contradict each other";
}

}  // namespace

Denial::Denial(const View& body) {
  body.each_member([&](std::string_view key, const View& value) {
    if (key == "cause") has_cause = true;
    if (key == "count") count = value.number();
    if (key == "errno") error = value.number();
    if (key == "fix") has_fix = true;
    if (key == "mark") mark = value.raw();
    if (key == "object") {
      has_object = true;
      is_object_text = value.at("text").exists();
    }
    if (key == "operation") operation = value.raw();
    if (key == "outcome") outcome = value.raw();
    if (key == "phase") phase = value.raw();
    if (key == "rule") rule = value.raw();
    if (key == "source") source = value.raw();
    if (key == "syscall") {
      has_syscall = true;
      arch = value.at("arch").raw();
      call = value.at("nr").number();
    }
    return true;
  });
}

const char* denial_contradiction(const Denial& d) {
  if (!same_text(d.phase, phase_of(d.source))) return "`source` and `phase` contradict each other";
  if (d.phase == "commit" && d.operation != "commit") return "`operation` and `phase` contradict each other";
  if (d.phase == "run" && (d.source == "landlock_audit") != (d.operation == "landlock")) {
    return "`operation` and `source` contradict each other";
  }
  if (d.source == "landlock_audit" && d.outcome != "denied") return "`outcome` and `source` contradict each other";
  if (d.phase == "run" && (d.has_cause || d.has_fix)) return "a denial of phase run has neither `cause` nor `fix`";
  if (d.phase == "setup" && d.count != 1) return "a reason of a refusal is told once";
  if (d.has_fix && d.phase != "setup") return "`fix` and `phase` contradict each other";
  if (d.phase != "run" && d.outcome != "denied") return "`outcome` and `phase` contradict each other";
  if (d.phase == "run" && (d.outcome == "attempt") != (d.error == 0)) return "`outcome` and `errno` contradict each other";
  if (d.error > 4095) return "there is no such `errno`";
  if (const char* why = mark_contradiction(d)) return why;
  if (d.has_syscall) return d.source == "seccomp" ? call_contradiction(d) : "`syscall` and `source` contradict each other";
  // A number below 0 is not written; such a call has no name.
  return d.source == "seccomp" && d.operation != "syscall" ? "`syscall` is not there and `operation` names one" : nullptr;
}

const char* contradiction(RecordType type, const View& body) {
  switch (type) {
    case RecordType::run_open: return open_contradiction(body);
    case RecordType::sandbox_denial: return denial_contradiction(Denial(body));
    case RecordType::resource_limit: return limit_contradiction(body);
    case RecordType::output_captured: return output_contradiction(body);
    case RecordType::artifact_exported: return artifact_contradiction(body);
    case RecordType::run_gap: return gap_contradiction(body);
    case RecordType::run_close: return close_contradiction(body);
    default: return nullptr;
  }
}

}  // namespace ethos::verify
