// SPDX-License-Identifier: Apache-2.0
#include "reports/build.h"

#include <cassert>
#include <fstream>
#include <span>
#include <system_error>
#include <thread>

#include "ledger/base/base64.h"
#include "ledger/base/build_version.h"
#include "ledger/base/file_io.h"
#include "reports/arguments.h"
#include "reports/bundle_file.h"
#include "reports/collect.h"
#include "reports/controls.h"
#include "reports/grant_compare.h"
#include "reports/process.h"
#include "reports/redaction.h"
#include "reports/sample.h"
#include "reports/sha256.h"
#include "reports/text.h"
#include "reports/tree_root.h"
#include "reports/words.h"

namespace ethos::reports {
namespace {

constexpr std::size_t kMaxAnswer = std::size_t{1} << 29U;

bool refuse(Refusal& refusal, int status, std::string text) {
  refusal = {status, std::move(text)};
  return false;
}

// The last line a program said on standard error, without its own prefix.
std::string last_line(const std::string& errors) {
  std::string text = errors;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const auto start = text.rfind('\n');
  if (start != std::string::npos) text.erase(0, start + 1);
  return shortened(visible(text), 300);
}

// A path that begins with `-` would read as an option.
std::string as_argument(const std::string& path) {
  return path.starts_with("-") ? "./" + path : path;
}

bool run_verifier(const Request& request, Verdict& verdict, Refusal& refusal) {
  std::vector<std::string> arguments = {"--json", "--bad-runs"};
  ProcessOptions options;
  std::optional<ScratchText> note;
  if (!request.checkpoint.empty()) {
    auto made = ScratchText::make(request.checkpoint);
    if (!made) return refuse(refusal, 3, "cannot verify: " + made.error().message());
    note = std::move(*made);
    options.keep.push_back(note->keep());
  }
  if (request.at > 0) {
    arguments.insert(arguments.end(), {"--at", note ? note->path() : std::to_string(request.at)});
  }
  if (!request.pin.empty()) arguments.insert(arguments.end(), {"--pin", as_argument(request.pin)});
  arguments.push_back(as_argument(request.ledger));
  auto process = run_program(request.verifier, arguments, kMaxAnswer, options);
  if (!process) return refuse(refusal, 3, "cannot verify: " + process.error().message());
  if (process->output.empty()) {
    return refuse(refusal, process->status == 2 ? 2 : 3,
                  "cannot verify: the verifier gave no answer (status " +
                      std::to_string(process->status) + "): " + last_line(process->errors));
  }
  auto parsed = Verdict::parse(process->output, process->status);
  if (!parsed) return refuse(refusal, 3, "cannot verify: " + parsed.error().what);
  verdict = std::move(*parsed);
  if (!request.verifier_version.empty()) verdict.verifier = request.verifier_version;
  return true;
}

}  // namespace

std::string generator_of(const Request& request) {
  return request.generator.empty() ? std::string("ethos-report ") + base::kBuildVersion
                                   : request.generator;
}

std::string program_digest(const std::string& path) {
  // Piece by piece: a program with its debug information is larger than all that a report keeps.
  constexpr std::uint64_t kMaxProgram = std::uint64_t{1} << 28U;
  constexpr std::size_t kPiece = std::size_t{1} << 18U;
  std::ifstream in(path, std::ios::binary);
  if (!in) return {};
  Sha256 hasher;
  std::string piece(kPiece, '\0');
  std::uint64_t size = 0;
  while (in.read(piece.data(), static_cast<std::streamsize>(piece.size())) || in.gcount() > 0) {
    const auto count = static_cast<std::size_t>(in.gcount());
    size += count;
    if (size > kMaxProgram) return {};
    hasher.add(std::string_view(piece).substr(0, count));
  }
  return in.bad() || size == 0 ? std::string() : "sha256:" + hex(hasher.finish());
}

std::string unverified_reason(const Verdict& verdict) {
  for (const Verdict::Check& check : verdict.checks) {
    if (check.result == "fail")
      return check.name + " failed: " + shortened(visible(check.text), 300);
  }
  for (const std::string_view name : {"integrity", "signatures", "trust", "policy"}) {
    // A ledger without a run has no policy to judge.
    if (name == "policy" && verdict.runs == 0 && verdict.result_of(name) == "none") continue;
    if (verdict.result_of(name) == "pass") continue;
    std::string why = std::string(name) + " could not be checked";
    for (const Verdict::Check& check : verdict.checks) {
      if (check.name == name && !check.text.empty())
        why += ": " + shortened(visible(check.text), 300);
    }
    return why;
  }
  if (verdict.has_problem("behind_pin") || verdict.has_problem("checkpoint_missing")) {
    return "the ledger holds fewer records than its pin or checkpoint says";
  }
  if (verdict.exit != 0 && verdict.exit != 4)
    return "the verifier ended with status " + std::to_string(verdict.exit);
  if (verdict.note.empty() || verdict.size <= 0) return "the verifier accepted no checkpoint";
  return {};
}

base::Result<std::int64_t> read_records(const Request& request, std::int64_t size,
                                        const RecordSink& sink, const DroppedSink& dropped) {
  if (!request.is_bundle) return read_ledger(request.ledger, size, sink, dropped);
  auto count = read_bundle(request.ledger, request.at, sink, dropped);
  if (count && size > 0 && *count != size) {
    return base::fail(base::Errc::mismatch,
                      request.ledger + ": holds another number of records than its checkpoint");
  }
  return count;
}

namespace {

Totals totals_of(std::int64_t count, TreeRoot& tree) {
  const Hash root = tree.root();
  return {count, base::encode_base64(std::as_bytes(std::span(root)))};
}

struct Extras {
  const GrantSnapshot* baseline = nullptr;
  const Redaction* redaction = nullptr;
  GrantSnapshot* standing = nullptr;  // filled
  Sha256* salt = nullptr;             // gets every record
};

// The records on their way into a model. Reading needs nothing of the verifier's answer; finishing
// does.
class Reading {
 public:
  // `model` has its period, zone and points of comparison.
  explicit Reading(Model& model) : model_(model), collector_(model) {}

  base::Result<std::int64_t> read(const Request& request, std::int64_t size, Sha256* salt) {
    return read_records(
        request, size,
        [&](std::uint64_t seq, std::string_view bytes) {
          const Hash leaf = tree_.add(bytes);
          collector_.add(seq, bytes, leaf);
          if (salt != nullptr) salt->add(bytes);
        },
        [&](std::uint64_t, std::string_view hash) {
          tree_.add_leaf(hash_of(hash));
          collector_.add_dropped();
        });
  }
  base::Result<Totals> finish(const Request& request, std::int64_t count, const Extras& extras) {
    model_.source.size = count;
    if (model_.shows_arguments) {
      auto opened = ArgumentReader(request).open_all(model_);
      if (!opened) return base::Unexpected(std::move(opened).error());
    }
    collector_.finish(extras.baseline, extras.redaction);
    if (extras.standing != nullptr) *extras.standing = collector_.standing();
    return totals_of(count, tree_);
  }

 private:
  Model& model_;
  TreeRoot tree_;
  Collector collector_;
};

base::Result<Totals> collect_records(const Request& request, std::int64_t size, Model& model,
                                     const Extras& extras) {
  Reading reading(model);
  auto count = reading.read(request, size, extras.salt);
  if (!count) return base::Unexpected(std::move(count).error());
  return reading.finish(request, *count, extras);
}

// Holds what was read against the verifier's answer.
bool check_totals(const Totals& totals, Model& model, Refusal& refusal) {
  model.source.root = totals.root_base64;
  if (!model.verified) return true;
  if (totals.root_base64 != model.verdict.root_base64) {
    return refuse(refusal, 1, "no report: the records changed after they were verified");
  }
  std::int64_t runs = 0;
  std::int64_t dropped = 0;
  for (const TieOutRow& row : model.tie_out) {
    if (row.type == "run.open") runs = row.total();
    if (row.type == kDroppedType) dropped = row.total();
  }
  if (dropped != model.verdict.pruned.records ||
      totals.records - dropped != model.verdict.records || runs != model.verdict.runs) {
    return refuse(refusal, 3,
                  "no report: the verifier counted other records or runs than this program");
  }
  return true;
}

bool refuse_reading(const base::Error& error, Refusal& refusal) {
  return refuse(refusal, error.code == base::Errc::mismatch ? 1 : 3,
                "no report: " + error.message());
}

// Reads what accept_ledger has accepted. Without an accepted checkpoint, what is there is read, and
// the page says that nobody vouches.
bool collect_accepted(const Request& request, Model& model, const Extras& extras,
                      Refusal& refusal) {
  auto totals = collect_records(request, model.verified ? model.verdict.size : 0, model, extras);
  if (!totals) return refuse_reading(totals.error(), refusal);
  return check_totals(*totals, model, refusal);
}

// Far from every run, so that none is kept.
base::Result<Period> no_period(const Zone& zone) {
  return Period::parse("9998-12-31..9998-12-31", zone);
}

// What stood in the other ledger, verified by itself, in the names of `model`.
bool read_baseline(const Request& request, Model& model, GrantSnapshot& out, Refusal& refusal) {
  Request theirs = request;
  theirs.ledger = request.baseline;
  theirs.pin = request.baseline_pin;
  theirs.is_bundle = true;
  theirs.at = 0;
  theirs.checkpoint.clear();
  theirs.arguments = false;
  theirs.to = request.from;
  const auto period = no_period(request.zone);
  assert(period);
  theirs.period = *period;
  Model other;
  GrantSnapshot standing;
  if (!accept_ledger(theirs, other, refusal) ||
      !collect_accepted(theirs, other, {.standing = &standing}, refusal)) {
    refusal.text.insert(0, "baseline: ");
    return false;
  }
  model.comparison.from.ledger = (other.verified ? "" : "NOT VERIFIED: ") + other.source.origin +
                                 ", " + covered_records(other.source) + ", root " +
                                 other.source.root;
  out = adopt_snapshot(standing, other, model);
  return true;
}

bool collect_with_baseline(const Request& request, Model& model, Extras extras, Refusal& refusal) {
  GrantSnapshot baseline;
  if (!request.baseline.empty()) {
    if (!read_baseline(request, model, baseline, refusal)) return false;
    extras.baseline = &baseline;
  }
  return collect_accepted(request, model, extras, refusal);
}

void finish_model(const Request& request, Model& model) {
  model.verdict.forget_form(model.epochs.size());
  judge_controls(model);
  if (request.sample > 0) draw_sample(model, request.seed, request.sample);
}

}  // namespace

base::Result<Totals> read_into(const std::string& ledger, std::int64_t size, Model& model) {
  Request request;
  request.ledger = ledger;
  return collect_records(request, size, model, {});
}

namespace {

// What a model says of its source before a record is read.
void describe_source(const Request& request, Model& model) {
  model.generator = generator_of(request);
  model.title = request.title;
  model.organisation = request.organisation;
  model.period = request.period;
  model.zone = request.zone;
  model.tzdata = request.tzdata;
  model.shaping = request.shaping;
  model.shows_arguments = request.arguments;
  model.comparison.from = request.from;
  model.comparison.to = request.to;
  model.control_map = request.control_map;
  model.source.origin = model.verdict.origin;
  model.source.checkpoint = model.verdict.note;
}

}  // namespace

namespace {

std::string digest_of_verifier(const Request& request) {
  return request.verifier_digest ? *request.verifier_digest : program_digest(request.verifier);
}

// Of the programs that had a part, one of them this one.
void digest_programs(const Request& request, Model& model) {
  if (model.verifier_digest.empty()) model.verifier_digest = digest_of_verifier(request);
  if (model.generator_digest.empty())
    model.generator_digest =
        request.generator_digest ? *request.generator_digest : program_digest("/proc/self/exe");
}

bool judge_verdict(const Request& request, Model& model, Refusal& refusal) {
  digest_programs(request, model);
  model.unverified_reason = unverified_reason(model.verdict);
  model.verified = model.unverified_reason.empty();
  if (!model.verified && !request.unverified) {
    return refuse(refusal, model.verdict.exit == 1 ? 1 : 3,
                  "no report: " + model.unverified_reason +
                      " (--unverified makes one that says so on each page)");
  }
  describe_source(request, model);
  return true;
}

// The verifier in a thread of its own, so that the records can be read meanwhile.
class Verifying {
 public:
  explicit Verifying(const Request& request) {
    try {
      thread_ = std::thread([this, &request] { ok_ = run_verifier(request, verdict_, refusal_); });
    } catch (const std::system_error&) {
      ok_ = run_verifier(request, verdict_, refusal_);
    }
  }
  Verifying(const Verifying&) = delete;
  Verifying& operator=(const Verifying&) = delete;
  ~Verifying() {
    if (thread_.joinable()) thread_.join();
  }
  // Waits for the answer. False: there is none.
  bool answer(Verdict& verdict, Refusal& refusal) {
    if (thread_.joinable()) thread_.join();
    verdict = std::move(verdict_);
    if (!ok_) refusal = refusal_;
    return ok_;
  }

 private:
  std::thread thread_;
  Verdict verdict_;
  Refusal refusal_;
  bool ok_ = false;
};

}  // namespace

bool accept_ledger(const Request& request, Model& model, Refusal& refusal) {
  return run_verifier(request, model.verdict, refusal) && judge_verdict(request, model, refusal);
}

// Most ledgers hold exactly the records of their last checkpoint, so all of them are read while the
// verifier works, on a second processor. What was read counts only if its root is the one that was
// accepted; another number of records is read again.
bool build_model(const Request& request, Model& model, Refusal& refusal) {
  if (!request.baseline.empty()) {
    if (!accept_ledger(request, model, refusal) ||
        !collect_with_baseline(request, model, {}, refusal))
      return false;
    finish_model(request, model);
    return true;
  }
  describe_source(request, model);
  Verifying verifying(request);
  Reading reading(model);
  const auto count = reading.read(request, request.at, nullptr);
  digest_programs(request, model);  // while the verifier still works
  if (!verifying.answer(model.verdict, refusal) || !judge_verdict(request, model, refusal))
    return false;
  if (count && (!model.verified || *count == model.verdict.size)) {
    auto totals = reading.finish(request, *count, {});
    if (!totals) return refuse_reading(totals.error(), refusal);
    if (!check_totals(*totals, model, refusal)) return false;
  } else {
    Verdict verdict = std::move(model.verdict);
    std::string digest = std::move(model.verifier_digest);
    std::string own_digest = std::move(model.generator_digest);
    model = Model();
    model.verdict = std::move(verdict);
    model.verifier_digest = std::move(digest);
    model.generator_digest = std::move(own_digest);
    if (!judge_verdict(request, model, refusal) || !collect_accepted(request, model, {}, refusal))
      return false;
  }
  finish_model(request, model);
  return true;
}

bool build_pair(const Request& request, Model& full, Model& redacted, Refusal& refusal) {
  assert(request.redaction);
  if (!accept_ledger(request, full, refusal)) return false;
  redacted.verdict = full.verdict;
  redacted.verifier_digest = full.verifier_digest;
  redacted.generator_digest = full.generator_digest;
  redacted.verified = full.verified;
  redacted.unverified_reason = full.unverified_reason;
  describe_source(request, redacted);
  Sha256 records;
  records.add("ethos-report/1 salt\n");
  if (!collect_with_baseline(request, full, {.salt = &records}, refusal) ||
      !collect_with_baseline(request, redacted, {.redaction = &*request.redaction}, refusal))
    return false;
  finish_model(request, full);
  finish_model(request, redacted);
  join_pair(hex(records.finish()), full, redacted);
  return true;
}

bool build_comparison(const Request& request, Model& model, Refusal& refusal) {
  auto period = no_period(request.zone);
  assert(period);
  Request narrow = request;
  narrow.period = *period;
  return accept_ledger(narrow, model, refusal) && collect_with_baseline(narrow, model, {}, refusal);
}

}  // namespace ethos::reports
