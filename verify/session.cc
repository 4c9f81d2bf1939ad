// SPDX-License-Identifier: Apache-2.0
#include "verify/session.h"

#include <optional>
#include <utility>

#include "verify/assertion.h"
#include "verify/audit.h"
#include "verify/commands.h"
#include "verify/encoding.h"
#include "verify/input.h"
#include "verify/pin.h"
#include "verify/prefix.h"
#include "verify/report_json.h"
#include "verify/report_text.h"
#include "verify/sarif_check.h"
#include "verify/snapshot.h"

namespace ethos::verify {
namespace {

constexpr std::uint64_t kMaxPin = 16384;

// Tells how far the work is, on one line that is overwritten.
class Progress {
 public:
  Progress(std::ostream& err, bool wanted) : err_(err), wanted_(wanted) {}
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(std::uint64_t done, std::uint64_t expected) {
    if (!wanted_ || done < next_) return;
    next_ = done + 50'000;
    err_ << "\r  " << done;
    if (expected > 0) err_ << " of " << expected;
    err_ << " records " << std::flush;
    shown_ = true;
  }
  void clear() {
    if (shown_) err_ << "\r" << std::string(60, ' ') << "\r" << std::flush;
    shown_ = false;
  }

 private:
  std::ostream& err_;
  bool wanted_;
  bool shown_ = false;
  std::uint64_t next_ = 50'000;
};

class Session {
 public:
  Session(const SessionOptions& options, std::ostream& out, std::ostream& err) : options_(options), out_(out), err_(err) {}

  int run() {
    if (const int status = prepare(); status != 0) return status;
    auto source = open_input(options_.input, context_.input_kind, findings_);
    if (source && *source && prefix_) source = open_prefix(*std::move(source), *std::move(prefix_));
    if (!source) return complain(err_, exit_unverifiable, options_.input + ": " + source.error().what);
    Progress progress(err_, options_.progress);
    audit_.on_progress = [&](std::uint64_t done, std::uint64_t expected) { progress.show(done, expected); };
    audit_.wants_effective = [this](const RunEvidence& run) { return (in_period(run) && !assertions_.empty()) || shows(run); };
    audit_.on_run = [this](const RunEvidence& run, const RunJudgement& judgement) { on_run(run, judgement); };
    audit_.on_sarif = [this](const std::string& run, std::int64_t, const Value& body) { sarif_.on_sarif_written(run, body); };
    audit_.on_finish = [this](EvidenceSource& evidence, const std::vector<Vkey>& keys, Findings& findings) {
      on_finish(evidence, keys, findings);
    };
    const AuditReport report = audit(source->get(), std::move(findings_), audit_);
    progress.clear();
    return tell(report);
  }

 private:
  // Everything that can be wrong with the command line is found before the ledger is opened.
  int prepare() {
    if (!options_.pin.empty()) {
      const auto bytes = read_file(options_.pin, kMaxPin);
      if (!bytes) return complain(err_, exit_usage, "--pin: " + bytes.error().what);
      auto pin = parse_pin(*bytes);
      if (!pin) {
        const int status = pin.error().code == Errc::unsupported ? exit_unverifiable : exit_usage;
        return complain(err_, status, "--pin " + options_.pin + ": " + pin.error().what);
      }
      audit_.pin = *std::move(pin);
    }
    if (!options_.at.empty()) {
      auto prefix = read_prefix(options_.at);
      if (!prefix) return complain(err_, exit_usage, "--at: " + prefix.error().what);
      prefix_ = *std::move(prefix);
    }
    for (const std::string& text : options_.assertions) {
      auto assertion = Assertion::parse(text);
      if (!assertion) return complain(err_, exit_usage, "--assert '" + text + "': " + assertion.error().what);
      assertions_.push_back(*std::move(assertion));
    }
    if (!options_.period.empty()) {
      const auto period = parse_period(options_.period, options_.zone);
      if (!period) return complain(err_, exit_usage, "--period: " + period.error().what);
      period_ = *period;
    }
    for (const std::string& name : options_.sarif) {
      const auto bytes = read_file(name, kMaxSarif);
      if (!bytes) return complain(err_, exit_unverifiable, "--sarif: " + bytes.error().what);
      auto file = parse_sarif(*bytes);
      if (!file) return complain(err_, exit_unverifiable, "--sarif " + name + ": " + file.error().what);
      sarif_.add(name, *std::move(file));
    }
    return 0;
  }

  [[nodiscard]] bool in_period(const RunEvidence& run) const { return !period_ || period_->holds(run.wall_ms); }
  [[nodiscard]] bool chosen(const RunEvidence& run) const {
    return !options_.quiet && (options_.run.empty() ? in_period(run) : run.id == options_.run);
  }
  // Whether more of the run is told than that it is there.
  [[nodiscard]] bool shows(const RunEvidence& run) const {
    return chosen(run) && (options_.json || !options_.run.empty() || options_.all_runs || shown_ < kShortRuns);
  }

  void on_run(const RunEvidence& run, const RunJudgement& judgement) {
    sarif_.on_run_end(run.id, run.first_seq, run.last_seq, !run.has_foreign);
    if (in_period(run)) {
      ++in_period_;
      for (Assertion& assertion : assertions_) assertion.judge(run, judgement);
    }
    if (!chosen(run)) return;
    ++shown_;
    if (options_.json) {
      if (!runs_.empty()) runs_.add(",");
      runs_.add(encode_canonical(run_json(run, judgement)));
    } else if (!options_.run.empty() || options_.all_runs) {
      runs_.add(run_words(run, judgement));
    } else if (shown_ <= kShortRuns) {
      runs_.add(run_line(run, judgement));
    }
  }

  void on_finish(EvidenceSource& evidence, const std::vector<Vkey>& keys, Findings& findings) {
    context_.sarif = sarif_.check(evidence, keys, findings);
    if (period_ && in_period_ == 0) {
      findings.add({.code = Code::period_empty, .expected = options_.period, .text = "no run began in the period"});
    }
    for (const Assertion& assertion : assertions_) add_assertion(assertion, findings);
  }

  void add_assertion(const Assertion& assertion, Findings& findings) {
    Value v = Value::object();
    v.set("expr", Value::of(assertion.text())).set("runs", Value::of(static_cast<std::int64_t>(assertion.runs())));
    Value example;
    switch (assertion.outcome()) {
      case Assertion::Outcome::pass: v.set("result", Value::of("pass")); break;
      case Assertion::Outcome::empty:
        v.set("result", Value::of("empty"));
        findings.add({.code = Code::assertion_empty, .expected = assertion.text(), .text = "no run to judge for an assertion"});
        break;
      case Assertion::Outcome::fail: case Assertion::Outcome::unknown: {
        const auto& found = *assertion.counterexample();
        const bool fails = assertion.outcome() == Assertion::Outcome::fail;
        v.set("result", Value::of(fails ? "fail" : "unknown"));
        example = Value::object();
        example.set("run", Value::of(found.run)).set("seq", Value::of(found.seq)).set("text", Value::of(found.text));
        findings.add({.code = fails ? Code::assertion_failed : Code::assertion_unknown, .seq = found.seq, .run = found.run,
                      .expected = assertion.text(), .found = found.text,
                      .text = fails ? "an assertion does not hold" : "the records cannot say whether an assertion holds"});
        break;
      }
    }
    v.set("counterexample", std::move(example));
    context_.assertions.push(std::move(v));
  }

  int tell(const AuditReport& report) {
    context_.input_path = options_.input;
    context_.pin = audit_.pin ? &*audit_.pin : nullptr;
    context_.pin_path = options_.pin;
    context_.exit = exit_status(report);
    if (!options_.run.empty() && shown_ == 0) {
      if (context_.exit == exit_verified) context_.exit = exit_unverifiable;
      complain(err_, context_.exit, "run " + options_.run + " is not in this ledger");
    }
    if (options_.quiet) return context_.exit;
    bool written = true;
    if (options_.json) {
      written = write_json(out_, report, context_, runs_);
    } else {
      if (shown_ > kShortRuns && options_.run.empty() && !options_.all_runs) {
        runs_.add("  ... and " + std::to_string(shown_ - kShortRuns) + " more (--runs shows all, in words)\n");
      }
      written = write_text(out_, report, context_, runs_);
    }
    return written ? context_.exit : complain(err_, exit_unverifiable, "the report could not be written");
  }

  static constexpr std::uint64_t kShortRuns = 40;

  const SessionOptions& options_;
  std::ostream& out_;
  std::ostream& err_;
  Findings findings_;
  AuditOptions audit_;
  std::vector<Assertion> assertions_;
  std::optional<Period> period_;
  std::optional<Prefix> prefix_;
  SarifChecker sarif_;
  Spool runs_;
  std::uint64_t shown_ = 0;
  std::uint64_t in_period_ = 0;
  ReportContext context_;
};

}  // namespace

int complain(std::ostream& err, int status, const std::string& text) {
  err << "ethos-verify: " << printable(text, 2000) << "\n";
  return status;
}

int run_session(const SessionOptions& options, std::ostream& out, std::ostream& err) {
  return Session(options, out, err).run();
}

}  // namespace ethos::verify
