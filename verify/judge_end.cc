// SPDX-License-Identifier: Apache-2.0
#include "verify/judge_end.h"

#include <algorithm>

#include "verify/encoding.h"
#include "verify/forms.h"
#include "verify/judge_traces.h"
#include "verify/view.h"

namespace ethos::verify {
namespace {

constexpr std::int64_t kDenied = 122;
constexpr std::int64_t kRunner = 125;
constexpr std::size_t kMaxExecs = 1024;

class EndChecker {
 public:
  EndChecker(RunEvidence& run, DocumentReader& reader, Findings& findings)
      : run_(run), close_(run.close), reader_(reader), findings_(findings) {}

  std::optional<std::string> check() {
    if (!close_.is_object()) return std::nullopt;
    counts();
    if (close_.text_at("ended_by") == "refused") {
      refusal();
      return std::nullopt;
    }
    ending();
    output();
    cage();
    judge_traces(run_, findings_);
    return execs();
  }

 private:
  void report(Code code, std::string text, std::string expected, std::string found) {
    run_.report({.code = code, .seq = run_.last_seq, .expected = printable(expected, 300), .found = printable(found, 300),
                 .text = std::move(text)}, findings_);
  }
  void contradict(std::string text, std::string expected, std::string found) {
    report(Code::contradiction, std::move(text), std::move(expected), std::move(found));
  }
  [[nodiscard]] std::string status() const { return std::to_string(close_.at("status").number()); }

  void counts() {
    const auto compare = [&](const char* what, const std::string& stated, const std::string& counted) {
      if (stated != counted) report(Code::counts_mismatch, std::string(what) + " in run.close", counted, stated);
    };
    compare("denied acts", close_.at("denials").text_at("acts"), std::to_string(run_.denial_acts));
    compare("denial records", std::to_string(close_.at("denials").at("records").number()), std::to_string(run_.denial_records));
    if (run_.denial_acts >= RunEvidence::kMaxActs) contradict("more denied acts than can be counted", "", "");
    compare("gaps", std::to_string(close_.at("gaps").number()), std::to_string(run_.gaps));
    std::set<std::string> stated;
    for (const Value& name : close_.at("limits").items()) stated.insert(name.text());
    if (stated != run_.limits_hit) {
      report(Code::counts_mismatch, "limits reached in run.close", "those of the resource.limit records",
             encode_canonical(close_.at("limits")));
    }
  }

  // Refused by the rules or the host (120), or because the runner itself failed (125).
  void refusal() {
    bool runner = false;
    for (std::size_t i = 0; i < run_.denial_texts.size() && !runner; ++i) {
      runner = run_.denial(i).text_at("operation") == "runner";
    }
    if ((close_.at("status").number() == kRunner) != runner) {
      contradict("the status of the refusal and its denial contradict each other", runner ? "125" : "120", status());
    }
  }

  void ending() {
    const std::string& by = close_.text_at("ended_by");
    const auto& killed = run_.limits_killed;
    const bool wall = killed.contains("wall_ms");
    if (by == "wall" && !wall) contradict("the run was ended by the clock and no record says so", "resource.limit wall_ms, killed", "");
    if (by == "wall") {
      const std::uint64_t limit = granted_limit("wall_ms");
      if (static_cast<std::uint64_t>(close_.at("duration_ms").number()) < limit) {
        contradict("the run was ended by the clock before its time", std::to_string(limit),
                   std::to_string(close_.at("duration_ms").number()));
      }
    }
    if (by != "runner" && run_.lost_view) contradict("nobody saw what the tool did any more, and the run did not end by that", "runner", by);
    if (by == "limit" && killed.size() <= (wall ? 1U : 0U)) {
      contradict("the run was ended by a limit and no record says which", "resource.limit, killed", "");
    }
    const bool own = close_.at("exit").at("code").number() == kDenied;
    if (by == "tool" && close_.at("status").number() == kDenied && !own && run_.denial_acts == 0 && !run_.has_flood) {
      contradict("the status speaks of a denied act and no record does", "a denial", status());
    }
  }

  // What is not whole was cut at the limit of both streams together.
  void output() {
    if (run_.truncated_seq < 0) return;
    const std::uint64_t limit = granted_limit("output_bytes");
    if (limit > 0 && run_.output_bytes > limit) return;
    run_.report({.code = Code::contradiction, .seq = run_.truncated_seq, .expected = "more than " + std::to_string(limit) + " bytes",
                 .found = std::to_string(run_.output_bytes), .text = "output was cut and no limit cut it"}, findings_);
  }

  std::uint64_t granted_limit(std::string_view name) const {
    for (const Value& grant : run_.grants()) {
      if (grant.text_at("cap") == "limit" && grant.text_at("name") == name) return parse_decimal(grant.text_at("value")).value_or(0);
    }
    return 0;
  }

  void cage() {
    const bool had = run_.enforced.at("k").has("cgroup");
    const std::string& left = close_.at("teardown").text_at("cgroup");
    if ((left != "none") != had) {
      contradict("`teardown.cgroup` and the cage contradict each other", had ? "removed or left" : "none", left);
    }
  }

  // The programs whose start was seen. The tool is the first of them.
  std::optional<std::string> execs() {
    const Value& execs = close_.at("execs");
    if (run_.hide_gaps > 1) contradict("more than one look for what should have been hidden", "1", std::to_string(run_.hide_gaps));
    if (run_.program_gaps > 1) contradict("more than one gap of programs in one run", "1", std::to_string(run_.program_gaps));
    if (!execs.is_object()) {
      if (run_.program_gaps > 0) contradict("programs were not listed and no list is there", "execs", "");
      // Lost only when its process was gone before it could be looked at, which is a gap.
      if (close_.at("exit").has("code") && run_.start_gaps == 0) contradict("the tool ran and no start of a program was seen", "execs", "");
      return std::nullopt;
    }
    auto text = reader_.open(execs.at("list"));
    if (!text) return std::nullopt;  // the disclosure verdict tells
    const std::string fault = list_fault(*text, parse_decimal(execs.text_at("total")).value_or(0));
    if (fault.empty()) return text;
    contradict("the list of programs in run.close " + fault, "", *text);
    return std::nullopt;
  }

  std::string list_fault(const std::string& text, std::uint64_t total) const {
    Scanner scan(text, kDocumentLimits);
    if (!scan.whole_value() || !View(text).is_array()) return "is not an array in canonical form";
    std::uint64_t sum = 0;
    std::size_t n = 0;
    std::string_view last;
    const bool good = View(text).each_element([&](const View& item) {
      const auto count = parse_decimal(item.at("count").raw());
      const View path = item.at("path");
      if (item.count() != 2 || !count || *count == 0 || !plain_path(path)) return false;
      if (n > 0 && last >= path.source()) return false;
      last = path.source();
      sum += std::min(*count, UINT64_MAX - sum);
      return ++n <= kMaxExecs;
    });
    if (!good || n == 0) return "does not have the form it must have";
    if (sum >= RunEvidence::kMaxActs || total >= RunEvidence::kMaxActs) return "counts more starts than can be";
    // Beyond its room, programs are counted and not listed; a writer of before had no gap for them.
    if (run_.program_gaps > 0) return n == kMaxExecs && total >= sum && total - sum == run_.unlisted_programs ? "" : "and the gap of programs contradict each other";
    const bool fits = n < kMaxExecs ? sum == total : sum <= total;
    return fits ? "" : "does not add up to `total`";
  }

  RunEvidence& run_;
  const Value& close_;
  DocumentReader& reader_;
  Findings& findings_;
};

}  // namespace

std::optional<std::string> check_end(RunEvidence& run, DocumentReader& reader, Findings& findings) {
  return EndChecker(run, reader, findings).check();
}

}  // namespace ethos::verify
