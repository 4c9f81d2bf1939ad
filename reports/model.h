// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/names.h"
#include "reports/period.h"
#include "reports/verdict.h"
#include "reports/zone.h"

// The one model behind every format (docs/report-model.md, ethos-report/1). A writer prints numbers
// from here and computes none of its own.
namespace ethos::reports {

// Where a statement stands in the ledger: record number and the first 8 bytes of its leaf hash.
struct Ref {
  std::uint64_t seq = 0;
  std::array<std::uint8_t, 8> leaf{};
};

// The columns of the allowed-versus-used matrix.
enum class Capability : std::uint8_t {
  read,
  write,
  execute,
  files,
  hidden,
  network,
  git,
  environment,
  syscalls,
  limits,
};
inline constexpr std::size_t kCapabilities = 10;
std::string_view name_of(Capability capability);   // "read": machine formats
std::string_view label_of(Capability capability);  // "Read files": pages

enum class RunState : std::uint8_t { open, closed, refused, aborted };
std::string_view name_of(RunState state);

enum class GrantId : std::uint32_t {};

// How far the evidence can tell whether a grant was used.
enum class Use : std::uint8_t {
  observed,      // records say so: an exported file, a limit's peak
  not_recorded,  // the kind of use leaves no record
  withheld,      // nothing was granted: `network none`
};
std::string_view name_of(Use use);

// One thing that runs were given, kept once however many runs had it.
struct Grant {
  NameId cap = NameId::none;  // as in the record: fs.read, network, limit, ...
  Capability capability = Capability::read;
  NameId object = NameId::none;  // path, mode, name
  NameId detail = NameId::none;  // e.g. enforced_by, "may delete"
  std::uint64_t value = 0;       // of a limit
  Use use = Use::not_recorded;
  friend bool operator==(const Grant&, const Grant&) = default;
};

// What every run in a cage has without a grant record of its own (declaration.md, table P).
inline constexpr std::string_view kRuntimeGrant = "base runtime";
inline constexpr std::string_view kRuntimeRead = "/usr, the links to it, /dev, a made /etc";
inline constexpr std::string_view kRuntimeStart = "programs of /usr";
// The object of a hide rule without a pattern.
inline constexpr std::string_view kNothingHidden = "(no pattern; Git data by the git rule)";

// Figures of a set of runs: the period's, or the one's before it.
struct Tally {
  std::int64_t runs = 0, closed = 0, refused = 0, aborted = 0, open = 0;
  std::int64_t started = 0;         // the cage stood and the tool was released
  std::int64_t not_executed = 0;    // of these: there was no such command, or it could not be run
  std::int64_t denial_records = 0;  // phase run and commit
  std::int64_t setup_denials = 0;   // phase setup
  std::int64_t limit_records = 0;
  std::int64_t gap_records = 0;
  std::int64_t exports = 0;
  std::int64_t sarif_files = 0;
  // Closed runs whose tool was ended from outside: by the limit of time, by another limit, by a
  // signal to ethos-run or because ethos-run failed. None of them is in failed_runs.
  std::int64_t stopped_wall = 0, stopped_limit = 0, stopped_other = 0;
  std::uint64_t denied_acts = 0;  // sum of counts of denial_records
  std::uint64_t attempts = 0;     // of these: let through to the kernel, answer not seen
  std::uint64_t lost_acts = 0;    // sum of run.gap
  std::int64_t runs_with_denials = 0, runs_with_limits = 0, runs_with_weaker = 0, failed_runs = 0;
  std::int64_t tools = 0;
};

// A file that an interpreter line named, with its digest.
struct Interpreter {
  NameId path = NameId::none, digest = NameId::none;
  friend bool operator==(const Interpreter&, const Interpreter&) = default;
  friend auto operator<=>(const Interpreter&, const Interpreter&) = default;
};

struct Run {
  std::string id;
  NameId tool = NameId::none;
  RunState state = RunState::open;
  bool enforced = false;  // reached sandbox.enforced: the cage stood
  Ref opened;
  std::optional<Ref> ended;
  Ref last;  // its last record: what is written after the end counts too
  std::uint64_t records = 0;
  std::int64_t started_ms = 0;
  std::int64_t ended_ms = 0;  // only with `ended`
  std::int64_t duration_ms = 0;
  std::optional<std::int64_t> exit_code, signal;
  std::int64_t status = -1;  // of ethos-run, -1 unknown
  NameId ended_by = NameId::none, origin = NameId::none, profile = NameId::none;
  NameId cage = NameId::none, observe = NameId::none, network = NameId::none, git = NameId::none;
  NameId kernel = NameId::none, product = NameId::none, revision = NameId::none;
  NameId exe_path = NameId::none, exe_sha256 = NameId::none, decision = NameId::none;
  // Of a script that names its interpreter in its first line.
  NameId interpreter = NameId::none, interpreter_sha256 = NameId::none;
  // Of an interpreter that is a script itself: the others, in the order in which the kernel reads
  // them (events.md, E-24).
  std::vector<Interpreter> interpreters;
  bool interprets = false;           // its program is a shell or another interpreter
  NameId ceilings = NameId::none;    // names, in the order applied, ", " between
  NameId command = NameId::none;     // its command line, where it was asked for and is there
  NameId sources = NameId::none;     // live sensors, ", " between
  NameId weaker = NameId::none;      // "memory_bytes by rlimit, ...", empty when none
  NameId limits_hit = NameId::none;  // names, ", " between
  NameId problem = NameId::none;     // what the verifier says about it, empty when it passes
  NameId caller = NameId::none;      // user id in decimal
  std::uint32_t denial_records = 0, setup_denials = 0, limit_records = 0, gaps = 0, exports = 0;
  std::uint64_t denied_acts = 0, lost_acts = 0, output_bytes = 0, max_rss_bytes = 0;
  std::string declaration;  // commitment to what it says: base64 of `c`
  std::string argv;         // commitment to it: base64 of `c`; until it is opened
  // SHA-256 of the declaration file's bytes, where they were asked for and are there.
  NameId declaration_sha256 = NameId::none;
  std::int64_t argc = 0;
  std::optional<std::uint64_t> program_starts;  // seen by the sensor; which ones is committed
  std::int64_t cpu_ms = 0;
  bool left_behind = false;  // teardown did not end clean
  bool truncated = false;
  bool not_executed = false;    // released, but the command was not found or not executable
  std::uint32_t grant_set = 0;  // index in Model::grant_sets
  [[nodiscard]] bool has_failed() const {
    return (exit_code && *exit_code != 0) || signal || not_executed;
  }
};

// What an open was for, as far as the records tell.
enum class Access : std::uint8_t { none, read, write, read_or_write };

struct Denial {
  std::uint32_t run = 0;  // index in Model::runs
  Ref ref;
  std::int64_t at_ms = 0;
  NameId phase = NameId::none, rule = NameId::none, operation = NameId::none;
  NameId object = NameId::none, outcome = NameId::none, mark = NameId::none;
  NameId source = NameId::none, cause = NameId::none, fix = NameId::none;
  std::int64_t error = 0;  // errno
  std::uint64_t count = 1;
  Capability capability = Capability::files;
  Access access = Access::none;
};

struct LimitEvent {
  std::uint32_t run = 0;
  Ref ref;
  std::int64_t at_ms = 0;
  NameId limit = NameId::none, action = NameId::none, enforced_by = NameId::none;
  NameId mark = NameId::none, source = NameId::none;
  std::uint64_t observed = 0, value = 0;
};

// A limit and by what it was held in the runs of the period.
struct LimitForm {
  // Whether reaching it leaves a record: each time, when a look saw it, never.
  enum class Seen : std::uint8_t { counted, looked_at, not_recorded };
  NameId limit = NameId::none, by = NameId::none;
  std::int64_t runs = 0;
  Seen seen = Seen::not_recorded;
  Ref first;
};

// A file that came out of a run, by its digest: exported, or the SARIF that was written of it.
struct Artifact {
  std::uint32_t run = 0;
  Ref ref;
  std::int64_t at_ms = 0;
  bool is_sarif = false;
  NameId path = NameId::none;    // of an exported file; where SARIF was written to is not recorded
  NameId action = NameId::none;  // created, replaced, deleted; written
  NameId digest = NameId::none;  // empty for a directory and for what was deleted
  std::uint64_t size = 0;        // bytes of an exported file
  std::int64_t results = 0;      // in a SARIF file
  NameId converter = NameId::none;  // of a SARIF file: version of the ethos-sarif that wrote it
  bool breaks_schema = false;       // the tool's own SARIF, kept as it was
};

// Runs in which one tool had the same program: what ran, by its bytes.
struct ProgramUse {
  NameId tool = NameId::none, path = NameId::none, digest = NameId::none;
  NameId interpreter = NameId::none, interpreter_digest = NameId::none;
  std::vector<Interpreter> interpreters;  // further ones, see Run
  bool interprets = false;
  std::int64_t runs = 0;
  std::int64_t started = 0;  // of these, released with a command that was there
  Ref first, last;           // the first records of the first and the last of them
  std::int64_t first_ms = 0, last_ms = 0;
};

struct Gap {
  std::uint32_t run = 0;
  Ref ref;
  std::int64_t at_ms = 0;
  NameId reason = NameId::none, source = NameId::none;
  std::uint64_t lost = 0;
};

// One line of allowed versus used: a tool and one thing it was given.
struct GrantRow {
  NameId tool = NameId::none;
  Grant grant;
  std::int64_t runs = 0;            // runs that had it in force
  std::int64_t used_runs = 0;       // with Use::observed
  std::int64_t discarded_runs = 0;  // of write grants: ended otherwise, so nothing was brought out
  std::uint64_t acts = 0;           // exported files
  std::uint64_t peak = 0;           // of a limit: highest figure seen
  bool has_peak = false;
  Ref first, last;
  std::optional<Ref> first_use;
};

struct MatrixCell {
  std::int64_t granted = 0;     // runs with at least one grant of this kind in force
  std::int64_t used = 0;        // of these, runs with recorded use
  std::int64_t unused = 0;      // use would have been recorded, and was not
  std::int64_t unrecorded = 0;  // use leaves no record
  std::int64_t tried = 0;       // runs with a denial or a limit of this kind
  std::uint64_t acts = 0;       // denied acts, or limit records
  std::optional<Ref> first_granted, first_used, first_tried;
};
struct MatrixRow {
  NameId tool = NameId::none;
  std::int64_t runs = 0, in_force = 0, refused = 0;
  std::int64_t not_executed = 0;  // of `in_force`
  std::array<MatrixCell, kCapabilities> cells;
};

struct RuleRow {
  NameId phase = NameId::none, rule = NameId::none;
  std::int64_t records = 0, runs = 0;
  std::uint64_t acts = 0;
  Ref first;
};

// How much of a stretch of time the records can speak about (coverage.h).
struct Coverage {
  enum class State : std::uint8_t { whole, part, none };
  State state = State::none;
  bool begins_earlier = false;  // the stretch begins before the ledger's first record
  bool ends_later = false;      // it ends after the last record: it is not known to be over
  // What is covered of it, milliseconds; equal when nothing is.
  std::int64_t from_ms = 0, until_ms = 0;
};

struct BucketRow {
  Bucket bucket;
  Coverage::State covered = Coverage::State::whole;
  std::int64_t runs = 0, refused = 0, limit_records = 0, denial_records = 0;
  std::uint64_t denied_acts = 0;
  // No record can tell: its figures are no zeros.
  [[nodiscard]] bool is_unknown() const { return covered == Coverage::State::none && runs == 0; }
};

// "memory_bytes held by rlimit": in how many runs, first seen where.
struct CountedName {
  NameId name = NameId::none;
  std::int64_t runs = 0;
  std::optional<Ref> first;
};

// Row of the records whose bytes were dropped: of which runs they were is not known any more.
inline constexpr std::string_view kDroppedType = "(dropped by ledger.prune)";
// Records of one type, told apart by where their run began. The columns sum to the checkpoint.
struct TieOutRow {
  std::string type;
  std::int64_t period = 0, before = 0, after = 0, ledger = 0;
  [[nodiscard]] std::int64_t total() const { return period + before + after + ledger; }
};

// Values of one kind that the records only commit to (docs/formats/commitment.md).
struct CommittedKind {
  std::string kind;
  std::int64_t values = 0;
};

struct KeyEpoch {
  std::int64_t epoch = 0;
  Ref ref;
  std::int64_t at_ms = 0;
  std::string vkey, reason;
  std::uint64_t first_seq = 0, last_seq = 0;  // records its checkpoints may end at
};
struct LedgerEvent {  // revocations, clock steps, erasures
  std::string kind, text;
  Ref ref;
  std::int64_t at_ms = 0;
  bool in_period = false;
};

// Gravest first: what nobody can vouch for, what is missing, what was tried and stopped, what never
// began.
enum class ExceptionKind : std::uint8_t {
  problem,
  left_behind,
  aborted,
  open,
  gap,
  denied,
  limit,
  refused,
};
std::string_view name_of(ExceptionKind kind);

// What a reader looks at first: something that did not go as declared.
struct Exception {
  ExceptionKind kind = ExceptionKind::problem;
  std::uint32_t run = 0;
  Ref ref;
  std::int64_t at_ms = 0;
  std::string rule;        // may be empty
  std::string tried;       // what
  std::string happened;    // and how it ended
  std::string approval;    // decision bound to the run, or "none recorded"
  bool is_open = false;    // of a denial: an act was left to the kernel, whose answer was not seen
  bool is_killed = false;  // of a limit: something was ended for it
  bool is_presumed = false;     // of a limit: seen at or near it; a refusal was not seen
  std::uint64_t records = 1;    // that it joins
  std::string refused_by = {};  // codes of acts.h, ", " between; empty where nothing was refused
  std::string limit_by = {};    // of a limit: who did what happened, or is presumed to have
  bool is_change = false;  // of a denial: an act would have changed, reached or started something
  std::vector<std::uint32_t> denials =
      {};  // of a denial: indexes in Model::denials, not all of many
};

std::string_view label_of(const Exception& row);

enum class Direction : std::uint8_t { widened, changed, narrowed };
std::string_view name_of(Direction direction);

struct GrantChange {
  Direction direction = Direction::changed;
  NameId cap = NameId::none;
  std::optional<GrantId> before, after;  // absent: was not, or is not there
};
// A set of grants that a tool had in force for the first time.
struct Drift {
  std::uint32_t run = 0;
  Ref ref;                    // sandbox.enforced of that run
  std::optional<Ref> before;  // the same of the tool's run before; absent for a tool never seen
  std::vector<GrantChange> changes;
};

// Whose grants are compared: the last set each tool had in force in a run that counts.
struct GrantPoint {
  std::int64_t until_ms = 0;  // runs opened before; every run when a revision is named
  std::string revision;       // runs of a repository revision that begins so; empty for any
  std::string words;          // "the start of the period, 2026-10-01 00:00:00 CEST"
  std::string ledger;         // of another ledger, what was verified; empty for this one
};
// One tool, by name and origin of its declaration, at both points.
struct ComparedTool {
  enum class State : std::uint8_t { same, changed, added, removed };
  NameId tool = NameId::none, origin = NameId::none;
  State state = State::same;
  std::optional<Ref> from, to;  // sandbox.enforced; `from` may be a record of the other ledger
  // The run that first had the set of `to` (again): where an approval is looked for.
  std::optional<Ref> since;
  std::int64_t since_ms = 0;
  NameId decision = NameId::none;
  std::vector<GrantChange> changes;  // of a changed one
  std::vector<GrantId> grants;       // of an added or removed one, what it was given
};
std::string_view name_of(ComparedTool::State state);
struct GrantComparison {
  GrantPoint from, to;
  std::vector<ComparedTool> tools;  // by name, then origin
  [[nodiscard]] std::int64_t count(ComparedTool::State state) const;
  // Changed tools with a change that widens.
  [[nodiscard]] std::int64_t widened() const;
  // Whether any tool had a set at the first point; if not, nothing was compared with anything.
  [[nodiscard]] bool has_first() const;
  // Widened or added ones for which no approval was found.
  [[nodiscard]] std::int64_t unapproved() const;
};

// Runs somebody outside picked by a seed.
struct Sample {
  std::string seed;
  std::int64_t asked = 0;
  std::vector<std::uint32_t> picks;  // indexes in Model::runs, in the order they were drawn
};

struct ControlId {
  std::string framework, id, condition;  // condition: holds only if so; may be empty
};
struct ControlKind {
  std::string kind, title, shows, does_not_show;
  std::vector<ControlId> controls;
};
struct ControlMap {
  std::string id, version, digest;  // digest of the file's bytes
  std::vector<ControlKind> kinds;
};

// What there is of a kind of evidence. `shown`: by the kernel (a notified call, its counters, what
// was read back of a cage) or by a measurement (a digest, the verifier's own computation).
// `recorded`: ethos-run wrote it down, and nothing else says so. `no_event` and `not_recorded` are
// no findings.
enum class Shown : std::uint8_t { shown, recorded, contradicted, partly, no_event, not_recorded };
inline constexpr std::size_t kShownStates = 6;
std::string_view name_of(Shown state);
std::string_view label_of(Shown state);

struct ControlState {
  std::size_t kind = 0;  // index in ControlMap::kinds
  Shown state = Shown::not_recorded;
  std::string statement;      // what was found, with figures
  std::string missing;        // the input that is missing; with `partly` and `not_recorded`
  std::vector<Ref> evidence;  // some records, not all
};

// What a redaction policy withholds, and how often it did.
struct RedactionRule {
  std::string field, match, reason;
  std::int64_t values = 0;  // different ones
  std::int64_t places = 0;  // cells of runs, denials, grants, events and problems that showed them
};
struct Redaction {
  std::string id, authority;
  // Of the policy's bytes; in the redacted report together with the salt, because patterns can be
  // guessed.
  std::string digest;
  std::vector<RedactionRule> rules;
  bool is_applied = false;  // false: the full report beside it
  // Only in the full report: a hash of the records, so that nobody can guess withheld values and
  // try them against the full report's digest.
  std::string salt;
  // Digest of the other report's content (content_digest.h): each names the other.
  std::string counterpart;
};

struct Source {
  std::string kind = "ledger";  // or "fleet"; a bundle of a whole ledger is its ledger
  std::string origin;
  std::int64_t size = 0;  // records covered
  std::string root;       // base64
  std::string checkpoint;
  std::int64_t head_ms = 0;  // wall clock of the last record: the time of the document
  std::int64_t first_ms = 0;
  // Of record 0, as a pin has them: the hash of the record (base64), and the key it names.
  std::string genesis, root_vkey;
};

struct Model {
  std::string title, organisation, generator;
  bool shows_arguments = false;
  std::string shaping;  // options to give again, see redo_commands
  Period period;
  Zone zone;
  std::string tzdata;
  Source source;
  Verdict verdict;
  std::string generator_digest;  // of the program that made the report; empty: not known
  std::string verifier_digest;   // of the program that gave the verdict; empty: not known
  bool verified = false;
  std::string unverified_reason;  // empty when verified

  Names names;
  std::vector<Grant> grants;
  std::vector<std::vector<GrantId>> grant_sets;
  std::vector<Run> runs;  // opened in the period, by record number
  std::vector<Denial> denials;
  std::vector<LimitEvent> limits;
  std::vector<Gap> gaps;
  std::vector<Artifact> artifacts;
  std::vector<LimitForm> limit_forms;
  std::vector<ProgramUse> programs;

  Tally now, previous;
  Coverage covered, covered_before;  // of the period, and of the one before it
  std::vector<NameId> previous_tools;
  std::int64_t open_at_start = 0;    // opened before the period, ended in it, after it or never
  std::int64_t open_at_end = 0;      // opened in the period, ended after it or never
  std::int64_t clock_anomalies = 0;  // records whose clock lies before an earlier record's
  std::vector<TieOutRow> tie_out;
  std::vector<CommittedKind> commitments;  // of the whole ledger, by kind
  std::vector<MatrixRow> matrix;
  std::vector<GrantRow> grant_rows;
  std::vector<RuleRow> rules;
  std::string bucket_unit;
  std::vector<BucketRow> buckets;
  std::vector<CountedName> weaker, sensors, observe, kernels, products, origins;
  std::vector<KeyEpoch> epochs;
  std::vector<LedgerEvent> events;
  std::vector<Exception> exceptions;
  std::vector<Drift> drift;
  GrantComparison comparison;  // its points are set before the records are read
  ControlMap control_map;
  std::vector<ControlState> controls;
  std::optional<Redaction> redaction;
  std::string population;  // digest of all runs of the period
  std::optional<Sample> sample;

  [[nodiscard]] const std::string& text(NameId id) const { return names.text(id); }
  // Of `drift`, the sets of tools that had no earlier run: nothing to compare them with.
  [[nodiscard]] std::int64_t first_sets() const;
};

}  // namespace ethos::reports
