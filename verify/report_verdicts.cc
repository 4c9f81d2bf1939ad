// SPDX-License-Identifier: Apache-2.0
#include "verify/report_verdicts.h"

#include <algorithm>

#include "verify/encoding.h"

namespace ethos::verify {

void ReportVerdicts::on_record(const Envelope& e) {
  if (!e.has_run()) return;
  if (e.type == RecordType::run_open) {
    ++runs_;
    open_.try_emplace(std::string(e.run), e.seq);
    return;
  }
  const auto run = open_.find(e.run);
  if (run == open_.end()) return;
  run->second = e.seq;
  if (e.type != RecordType::run_close && e.type != RecordType::run_abort) return;
  if (e.type == RecordType::run_abort && aborted_.size() <= kMostProblems)
    aborted_.emplace(e.seq, e.run);
  open_.erase(run);
}

void ReportVerdicts::compare_results() {
  bool is_incomplete = false;
  for (const auto& [name, result] : claims_.verdicts) {
    is_incomplete = is_incomplete || result == "incomplete";
    const bool may_be_none = name == "policy" && runs_ == 0 && result == "none";
    const bool must_pass = name == "integrity" || name == "signatures" || name == "trust" ||
                           (name == "policy" && !may_be_none);
    const bool has_open = name == "completeness" && !open_.empty() && !has_dropped_;
    if (must_pass || has_open) {
      same_(-1, "", "verification, the verdict " + name, must_pass ? "pass" : "incomplete", &result,
            false);
    } else if (result != "pass" && result != "incomplete" && result != "none") {
      same_(-1, "", "verification, the verdict " + printable(name, 40), "pass, incomplete or none",
            &result, false);
    }
  }
  const ClaimedObject answer(claims_.part("verification"), "verification", same_);
  answer.must("exit", std::uint64_t{is_incomplete ? 4U : 0U});
  answer.must("reason", "");
  answer.must("tool", "ethos-verify");
}

void ReportVerdicts::compare_problem(const Value& claimed, const char* where) {
  const std::string& code = claimed.text_at("code");
  if (code != "run_aborted" && code != "run_open") return;
  const std::int64_t seq = claimed.at("seq").number();
  const std::string name = std::string("verification, ") + where + ", " + code;
  std::string run;
  if (code == "run_aborted") {
    const auto own = aborted_.find(seq);
    if (own != aborted_.end()) run = own->second;
  } else {
    const auto own = std::find_if(open_.begin(), open_.end(),
                                  [&](const auto& one) { return one.second == seq; });
    if (own != open_.end()) run = own->first;
  }
  same_(seq, run, name, run.empty() ? "no such run" : run, &claimed.text_at("run"), false);
}

void ReportVerdicts::compare_problems() {
  const Value& answer = claims_.part("verification");
  const Value& first = answer.at("first_bad");
  if (first.is_object()) {
    compare_problem(first, "first_bad");
  } else {
    const std::string found = report_text(first);
    same_(-1, "", "verification, first_bad", "null", &found, false);
  }
  // Of what was dropped nobody knows the end.
  const auto& problems = answer.at("problems").items();
  if (has_dropped_) return;
  std::uint64_t aborted = 0;
  std::uint64_t open = 0;
  for (const Value& problem : problems) {
    compare_problem(problem, "problems");
    aborted += problem.text_at("code") == "run_aborted" ? 1U : 0U;
    open += problem.text_at("code") == "run_open" ? 1U : 0U;
  }
  const auto number = [&](const char* what, std::uint64_t own, std::uint64_t listed) {
    const std::string found = std::to_string(listed);
    if (lists_all_ || listed > own)
      same_(-1, "", std::string("verification, problems of ") + what, std::to_string(own), &found,
            false);
  };
  number("aborted runs", aborted_.size(), aborted);
  number("open runs", open_.size(), open);
}

void ReportVerdicts::finish() {
  compare_results();
  compare_problems();
}

}  // namespace ethos::verify
