// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "sandbox/learn_propose.h"
#include "sandbox/learn_report.h"
#include "sandbox/learn_site.h"
#include "sandbox/signal_guard.h"

namespace ethos::sandbox {

// The runs of `ethos-run learn`, in two parts: the tool is observed in the widest cage, again as
// long as a denial that can be granted may have stopped it early; then the proposal is tried, and
// widened, as long as something is denied or the tool ends otherwise.
class Learner {
 public:
  // `joined`: what the proposal must cover beside what is seen.
  Learner(LearnSite& site, LearnFrame frame, Needs joined, std::ostream& err, bool is_quiet);

  // False: nothing can be proposed; `failure` and `status` say why.
  bool observe(int runs);
  // False: ended by a signal.
  bool confirm();

  [[nodiscard]] const std::string& failure() const { return failure_; }
  [[nodiscard]] int status() const { return status_; }
  [[nodiscard]] const ToolDeclaration& proposal() const { return proposal_; }
  [[nodiscard]] LearnReport& report() { return report_; }

 private:
  struct Trial {
    ToolDeclaration proposal;
    Observation seen;
    int status = 0;
  };

  bool fail(std::string text, int status);
  bool is_stopped();
  bool settle(ToolDeclaration& tool);
  bool look(Observation& seen, bool passes_output);
  bool take_look(const Observation& seen);
  bool widen_start();
  void decide_network(const Observation& last);
  bool attempt(const LearnFrame& frame, Trial& trial);
  [[nodiscard]] bool is_withheld(const Denial& denial) const;
  bool learn_from(const Trial& trial);
  bool raise_limits(const Trial& trial);
  bool ended_alike(const Trial& trial);
  bool is_output_alike(const Trial& trial);
  bool climb(Trial& trial);
  void note_left(const Observation& seen);
  void conclude(const Trial& trial);

  LearnSite& site_;
  LearnFrame frame_;
  NeedsReader reader_;
  Needs needs_;
  Needs denied_;  // of the observed runs: what only a denial told
  ToolDeclaration start_;
  ToolDeclaration proposal_;
  LearnReport report_;
  std::ostream& err_;
  bool is_quiet_;
  bool is_network_decided_ = false;
  bool was_output_checked_ = false;
  std::vector<std::string> endings_;
  std::set<Sha256> outputs_;
  std::map<std::string, std::string> dropped_;
  std::string failure_;
  int status_ = 0;
  SignalGuard signals_;
};

// Whether a run that observes only changes would have no record of this denial.
[[nodiscard]] bool is_denied_reading(const Denial& denial);

}  // namespace ethos::sandbox
