// SPDX-License-Identifier: Apache-2.0
#include "verify/judge_traces.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "verify/encoding.h"
#include "verify/view.h"

namespace ethos::verify {
namespace {

constexpr std::int64_t kSlackMs = 2000;
// Denials that the writer has room for; the first writers counted programs among them.
constexpr std::uint64_t kRoom = 4096;
// Processors that a kernel for x86-64 can be built for.
constexpr std::uint64_t kMostProcessors = 8192;
// Tasks that belong to the cage itself.
constexpr std::int64_t kOwn = 8;

class TraceJudge {
 public:
  TraceJudge(RunEvidence& run, Findings& findings)
      : run_(run), close_(run.close), by_(run.close.text_at("ended_by")), findings_(findings) {}

  void judge() {
    killed();
    unread();
    unstarted();
    outputs();
    flood();
    usage();
    duration();
    rates();
    if (View(run_.writer).at("cage").exists() && run_.open.at("caller").at("uid").number() != 0)
      contradict("a cage of the service's is built by root", "uid 0", "");
  }

 private:
  void contradict(std::string text, std::string expected, std::string found,
                  std::int64_t seq = -1) {
    run_.report({.code = Code::contradiction,
                 .seq = seq < 0 ? run_.last_seq : seq,
                 .expected = printable(expected, 300),
                 .found = printable(found, 300),
                 .text = std::move(text)},
                findings_);
  }
  [[nodiscard]] bool has_exit(const char* how) const { return close_.at("exit").has(how); }

  // These sources end a run at once. The counters of a cgroup and of the layers are asked once more
  // when the tool has ended by itself, and may tell then of one of its processes.
  void killed() {
    const bool by_itself = has_exit("code") || has_exit("signal");
    for (const char* source : {"timer", "byte_counter", "peak_data", "process_count"}) {
      if (by_itself && run_.killers.contains(source))
        contradict("a limit ended the tool and it ended by itself", source, by_);
    }
    // The tool's own process ended by that signal.
    if (has_exit("code") && run_.killers.contains("wait_status"))
      contradict("a limit ended the tool and it ended by itself", "wait_status", by_);
  }

  void unread() {
    if (run_.lost_artifacts && by_ != "runner" && by_ != "interrupted")
      contradict("files could not be read and the run did not end by that", "runner or interrupted",
                 by_);
  }

  // What could not be executed wrote nothing.
  void unstarted() {
    if (by_ != "tool" || has_exit("code") || has_exit("signal")) return;
    if (close_.at("teardown").at("processes_left").number() > 0) return;
    if (run_.output_bytes > 0)
      contradict("a tool that could not be executed wrote something", "0 bytes",
                 std::to_string(run_.output_bytes));
    if (run_.act_seq >= 0)
      contradict("a tool that could not be executed was denied something", "execve", "another call",
                 run_.act_seq);
    // Pid 1 of the cage and what it started, beside what belongs to the cage.
    if (close_.at("usage").at("pids_peak").number() > kOwn)
      contradict("a tool that could not be executed had processes", "at most " + std::to_string(kOwn),
                 std::to_string(close_.at("usage").at("pids_peak").number()));
    const std::uint64_t started = parse_decimal(close_.at("execs").text_at("total")).value_or(0);
    if (started > 1)
      contradict("a tool that could not be executed started programs", "1",
                 std::to_string(started));
  }

  // Directories come out when the tool has ended with a code, and at no other time.
  void outputs() {
    if (run_.staged_seq >= 0 && !has_exit("code") && by_ != "runner" && !run_.lost_artifacts)
      contradict("files came out of a run that brings nothing out", "exit.code", by_,
                 run_.staged_seq);
    // The counter counts what both streams bring, and what they bring is captured.
    if (run_.streams.size() != 2)
      contradict("a run ended and not both streams of its output were captured", "stdout and stderr",
                 std::to_string(run_.streams.size()));
    if (run_.output_bytes < run_.counted_bytes)
      contradict("less output was captured than the counter of it saw", std::to_string(run_.counted_bytes),
                 std::to_string(run_.output_bytes));
    const std::uint64_t limit = granted("output_bytes").second;
    if (limit > 0 && run_.output_bytes > limit && run_.truncated_seq < 0)
      contradict("more output than was granted was passed on whole", std::to_string(limit),
                 std::to_string(run_.output_bytes));
  }

  void flood() {
    if (!run_.has_flood_gap) return;
    const std::uint64_t started = parse_decimal(close_.at("execs").text_at("total")).value_or(0);
    if (run_.denial_records + std::min(started, kRoom) < kRoom)
      contradict("denials were left out and there was room", std::to_string(kRoom),
                 std::to_string(run_.denial_records));
  }

  void usage() {
    // No more than the kernel let be there at once, but for what belongs to the cage.
    const auto [means, most] = granted("pids");
    const auto peak = static_cast<std::uint64_t>(std::max<std::int64_t>(close_.at("usage").at("pids_peak").number(), kOwn) - kOwn);
    if (means == "cgroup" && peak > most)
      contradict("more processes were there than there could be", "at most " + std::to_string(most), std::to_string(peak));
    if (close_.at("usage").has("memory_peak_bytes") && granted("memory_bytes").first != "cgroup")
      contradict("a cgroup's peak and no cgroup that counts memory", "", "memory_peak_bytes");
  }

  // Both ends of it lie between the two records, on the same clock.
  void duration() {
    if (run_.close_mono_ns < run_.open_mono_ns) return;  // told where it stands
    const auto between =
        static_cast<std::int64_t>((run_.close_mono_ns - run_.open_mono_ns) / 1'000'000U);
    const std::int64_t stated = close_.at("duration_ms").number();
    // On the same clock, from the same beginning, and before the end.
    if (run_.timer_ms > static_cast<std::uint64_t>(std::max<std::int64_t>(stated, 0) + kSlackMs))
      contradict("the clock ended the tool after the tool's own time",
                 "at most " + std::to_string(stated + kSlackMs) + " ms",
                 std::to_string(run_.timer_ms) + " ms");
    if (stated > between + kSlackMs)
      contradict("the tool ran longer than lies between its records",
                 "at most " + std::to_string(between + kSlackMs) + " ms",
                 std::to_string(stated) + " ms");
  }

  // What no machine does in that time: a thousand million acts a second, or more processors' time.
  void rates() {
    if (run_.close_mono_ns < run_.open_mono_ns) return;
    const std::uint64_t between = (run_.close_mono_ns - run_.open_mono_ns) / 1'000'000U;
    constexpr std::uint64_t kPerMs = 1'000'000;
    const std::uint64_t most = std::min<std::uint64_t>(between + kSlackMs, RunEvidence::kMaxActs / kPerMs) * kPerMs;
    const std::uint64_t started = parse_decimal(close_.at("execs").text_at("total")).value_or(0);
    if (run_.denial_acts > most || run_.lost_acts > most || started > most)
      contradict("more acts than there was time for", "at most " + std::to_string(most),
                 std::to_string(std::max({run_.denial_acts, run_.lost_acts, started})));
    // The cage may have been in the making before the first record.
    constexpr std::uint64_t kBefore = 600'000;
    const auto spent = static_cast<std::uint64_t>(std::max<std::int64_t>(close_.at("usage").at("cpu_ms").number(), 0));
    if (spent / kMostProcessors > between + kBefore)
      contradict("more of the processors was used than there was time for", std::to_string(between) + " ms of each",
                 std::to_string(spent) + " ms");
  }

  // The means and the value of a limit.
  [[nodiscard]] std::pair<std::string, std::uint64_t> granted(std::string_view name) const {
    for (const Value& grant : run_.grants()) {
      if (grant.text_at("cap") == "limit" && grant.text_at("name") == name)
        return {grant.text_at("enforced_by"), parse_decimal(grant.text_at("value")).value_or(0)};
    }
    return {};
  }

  RunEvidence& run_;
  const Value& close_;
  std::string by_;
  Findings& findings_;
};

}  // namespace

void judge_traces(RunEvidence& run, Findings& findings) { TraceJudge(run, findings).judge(); }

}  // namespace ethos::verify
