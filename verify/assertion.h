// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "verify/grant_bounds.h"
#include "verify/judge.h"
#include "verify/result.h"
#include "verify/run.h"
#include "verify/zone.h"

namespace ethos::verify {

struct AssertionNode;

// One statement about runs (docs/assertions.md), e.g. `tool == "shellcheck" implies writes-within
// ".ethos/out"`. Every run that started is held against it; the first that does not fit is kept.
class Assertion {
 public:
  static Result<Assertion> parse(std::string_view text);

  // The files that it names (`grants subset of FILE`), and what stands in them: to be given before judge().
  [[nodiscard]] std::vector<std::string> files() const;
  void set_file(const std::string& name, std::shared_ptr<GrantFile> file);

  void judge(const RunEvidence& run, const RunJudgement& judgement);

  // `unknown`: no run fails, but of one the records cannot say.
  enum class Outcome { pass, fail, unknown, empty };
  [[nodiscard]] Outcome outcome() const;
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] std::uint64_t runs() const { return runs_; }

  // Of each file that it names: whether it is a declaration, and of how many runs the command was the one it declares.
  [[nodiscard]] Value commands() const;

  // Runs that do not fit, and those of which nobody can say.
  [[nodiscard]] std::uint64_t failed() const { return failed_; }
  [[nodiscard]] std::uint64_t unsure() const { return unsure_; }

  struct Counterexample {
    std::string run;
    std::int64_t seq = -1;
    std::string text;
    std::string tool = {};
    bool fails = false;       // else nobody can say
    std::string end = {};     // of the run: its state, where it has no end of its own
    std::uint64_t runs = 1;   // of this tool, as far as they fail or cannot be judged as this one
  };
  // The first that fails, else the first that nobody can judge.
  [[nodiscard]] const std::optional<Counterexample>& counterexample() const { return counterexample_; }
  // The same of each tool, in the order of the records; of at most kMaxTools tools.
  [[nodiscard]] const std::vector<Counterexample>& of_tools() const { return of_tools_; }
  static constexpr std::size_t kMaxTools = 20;

  // Tools that it names and that no judged run was of.
  [[nodiscard]] std::vector<std::string> unseen_tools() const { return {unseen_tools_.begin(), unseen_tools_.end()}; }

 private:
  std::string text_;
  std::shared_ptr<AssertionNode> root_;
  bool wants_unstarted_ = false;  // it speaks of refused runs or states
  std::uint64_t runs_ = 0;
  std::uint64_t failed_ = 0;
  std::uint64_t unsure_ = 0;
  std::optional<Counterexample> counterexample_;
  std::vector<Counterexample> of_tools_;
  std::set<std::string> unseen_tools_;

  void keep(Counterexample found);
};

// `2026-10-01..2026-12-31`: both days included, as the zone's clocks showed them.
struct Period {
  std::int64_t from_ms = 0;
  std::int64_t to_ms = 0;  // exclusive
  [[nodiscard]] bool holds(std::int64_t wall_ms) const { return wall_ms >= from_ms && wall_ms < to_ms; }
};
Result<Period> parse_period(std::string_view text, const Zone& zone);

}  // namespace ethos::verify
