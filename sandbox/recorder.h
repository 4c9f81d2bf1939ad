// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ledger/appender.h"
#include "ledger/base/clock.h"
#include "ledger/base/result.h"
#include "sandbox/cage.h"
#include "sandbox/record_bodies.h"
#include "sandbox/record_writer.h"

// Turns what the cage tells into the records of one run. Two commits: everything up to
// `sandbox.enforced` before the tool starts, everything else with `run.close`; a refused run makes
// one. While a tool that runs longer is at work, a second thread commits what is at most a second
// old.
namespace ethos::sandbox {

class Recorder final : public EvidenceSink {
 public:
  // `sink`, `clock` and `plan` must outlive it. `grants` are the bodies of compute_grants.
  Recorder(ledger::RecordSink& sink, const base::Clock& clock, const record::RunId& run,
           OpenFacts open, std::vector<Json> grants, std::vector<ledger::Blob> blobs);
  ~Recorder() override;

  // The plan exists only for runs that are not refused by policy.
  void set_plan(const Plan& plan) { plan_ = &plan; }
  // Filled while the cage is being built: what the tool's program is.
  void set_program(std::optional<ProgramFile> program, std::vector<ProgramFile> interpreters);
  // From now on on_barrier() says no: nothing is opened, and the run can be refused.
  void keep_from_starting() { may_start_ = false; }

  // Called once, before the body of run.open is made, on the thread that makes it.
  void before_opening(std::function<void()> hook) { before_opening_ = std::move(hook); }

  void while_building() override;
  bool on_barrier(const Enforced& enforced) override;
  bool on_exec(const ExecEvent& event) override;
  bool on_denial(const Denial& denial) override;
  bool on_limit(const LimitEvent& event) override;
  bool on_gap(const Gap& gap) override;

  // One commit that opens, denies and closes the run. Only before on_barrier.
  base::Result<void> refuse(const std::vector<Refusal>& refusals, int status);
  base::Result<void> refuse(const SetupDenial& denial, int status);

  // The last commit of a run that was started.
  base::Result<void> close(const RunResult& result, const std::vector<OutputFact>& outputs,
                           std::vector<record::Disclosure> disclosures, int status);
  // After close or refuse: the commit of its own that says which SARIF file came out.
  base::Result<void> add_sarif(Json body, std::vector<record::Disclosure> disclosures);

  // Those that are only counted, in a gap, included.
  [[nodiscard]] bool has_denials() const { return all_denied_acts() > 0; }
  [[nodiscard]] std::uint64_t denied_acts() const { return denied_acts_; }
  // Those of has_denials: what is only counted, too.
  [[nodiscard]] std::uint64_t all_denied_acts() const { return denied_acts_ + lost_denials_; }
  // The first denied act, e.g. "openat .git/hooks/x"; empty when there was none. Not for records:
  // it names places as they are.
  [[nodiscard]] const std::string& first_denial() const { return first_denial_; }
  [[nodiscard]] bool is_open() const { return is_open_; }
  [[nodiscard]] const std::vector<std::string>& limits_hit() const { return limits_; }
  // What went wrong with the evidence; empty when nothing did.
  [[nodiscard]] std::string failure() const;

  // For the evidence document: where the run's records are, and the checkpoint that covers them.
  [[nodiscard]] std::vector<std::uint64_t> sequences() const { return writer_.sequences(); }
  [[nodiscard]] const std::string& checkpoint_note() const { return writer_.checkpoint_note(); }
  [[nodiscard]] const std::vector<std::string>& warnings() const { return writer_.warnings(); }
  Committer& committer() { return committer_; }

 private:
  // A record's body with what discloses its commitments.
  struct Body {
    Json json;
    std::vector<record::Disclosure> disclosures;
  };
  // Makes the bodies that say how the run begins, unless that was done.
  void make_opening();
  base::Result<void> refuse_with(std::vector<Json> denials, int status);
  Json exec_list();

  RecordWriter writer_;
  OpenFacts open_;
  std::vector<Json> grants_;
  std::vector<ledger::Blob> blobs_;
  const Plan* plan_ = nullptr;
  std::function<void()> before_opening_;
  Committer committer_;
  std::optional<Body> opening_;  // run.open
  std::vector<Body> granted_;    // one capability.grant each
  bool is_open_ = false;
  bool may_start_ = true;
  bool has_cgroup_ = false;
  std::uint64_t denied_acts_ = 0;
  std::int64_t denial_records_ = 0;
  std::int64_t gap_records_ = 0;
  std::uint64_t lost_denials_ = 0;
  std::string first_denial_;
  std::vector<std::string> limits_;
  std::map<std::string, std::uint64_t> execs_;  // encoded Path -> count
  std::uint64_t exec_total_ = 0;
  std::uint64_t unlisted_execs_ = 0;  // of exec_total_, those not in execs_
};

}  // namespace ethos::sandbox
