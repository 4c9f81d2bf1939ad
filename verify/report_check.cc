// SPDX-License-Identifier: Apache-2.0
#include "verify/report_check.h"

#include <algorithm>
#include <set>

#include "verify/assertion.h"
#include "verify/batch.h"
#include "verify/documents.h"
#include "verify/encoding.h"
#include "verify/input.h"
#include "verify/report_grants.h"
#include "verify/report_head.h"
#include "verify/report_rows.h"
#include "verify/report_tables.h"
#include "verify/times.h"
#include "verify/tree.h"
#include "verify/view.h"

namespace ethos::verify {
namespace {

constexpr std::size_t kMaxDifferences = 20;

// The words of a command line as a report writes them; nothing where it may write them in another
// way: they are cut at 2,000 characters, and what is no plain text is shown in a form of the
// report's own.
std::optional<std::string> command_words(std::string_view argv) {
  constexpr std::size_t kMost = 1990;
  constexpr std::string_view kPlain =
      "%+,-./:=@_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  std::string out;
  while (!argv.empty()) {
    const std::string_view word = argv.substr(0, argv.find('\0'));
    argv.remove_prefix(std::min(argv.size(), word.size() + 1));
    if (!out.empty()) out += ' ';
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) {
      out += word;
    } else {
      out += '\'';
      for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
      out += '\'';
    }
    if (out.size() > kMost) return std::nullopt;
  }
  const bool is_text =
      std::all_of(out.begin(), out.end(), [](char c) { return c >= ' ' && c <= '~'; });
  return is_text ? std::optional(std::move(out)) : std::nullopt;
}

// A number of a body, which may be a decimal string; "0" where there is none.
std::string number_text(const View& value) {
  if (value.is_integer()) return std::to_string(value.number());
  const auto number = value.is_string() ? parse_decimal(value.raw()) : std::nullopt;
  return std::to_string(number.value_or(0));
}

const std::string* field(const ReportClaims::Fields& fields, std::string_view key) {
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const auto& f) { return f.first == key; });
  return found == fields.end() ? nullptr : &found->second;
}

// Counts the records of the report's period again.
class Recount {
 public:
  explicit Recount(const ReportClaims& claims)
      : claims_(claims),
        next_leaf_(claims.leaves.begin()),
        tables_(claims),
        rows_(claims,
              [this](std::int64_t seq, const std::string& run, const std::string& what,
                     const std::string& expected, const std::string* found, bool may_be_withheld) {
                may_be_withheld ? same_tool(seq, run, what, expected, found)
                                : same(seq, run, what, expected, found);
              }),
        grants_(claims, [this](std::int64_t seq, const std::string& run, const std::string& what,
                               const std::string& expected, const std::string* found,
                               bool may_be_withheld) {
          may_be_withheld ? same_tool(seq, run, what, expected, found)
                          : same(seq, run, what, expected, found);
        }) {}

  void on_record(const CheckedRecord& record) {
    const Envelope& e = record.scan.envelope;
    check_leaf(e.seq, record.leaf);
    if (first_ms_ < 0) first_ms_ = e.wall_ms;
    last_ms_ = e.wall_ms;
    if (!e.has_run()) {
      rows_.on_ledger(e, View(e.body));
      return rows_.on_type(e.type_name, ReportRows::Where::ledger);
    }
    straddle(e);
    grants_.on_record(e, View(e.body));
    if (e.type == RecordType::run_open && e.wall_ms >= claims_.from_ms && e.wall_ms < claims_.until_ms) open(e);
    const auto run = runs_.find(e.run);
    if (run != runs_.end()) count(run->second, e);
    if (e.type == RecordType::run_open && e.wall_ms >= claims_.until_ms) later_.emplace(e.run);
    rows_.on_type(e.type_name, run != runs_.end() ? ReportRows::Where::period : later_.contains(e.run) ? ReportRows::Where::after : ReportRows::Where::before);
    if (run != runs_.end()) rows_.on_record(e, View(e.body));
  }
  // A record that was pruned.
  void on_dropped() { rows_.on_dropped(); }

  // Looks into what the records commit to.
  void look_into(EvidenceSource& source) { source_ = &source; }

  void finish(std::vector<ReportDifference>& out) {
    std::string ids;
    std::set<std::string> tools;
    std::map<std::int64_t, std::pair<std::string, const Run*>> in_order;
    for (const auto& [id, run] : runs_) in_order.emplace(run.opened, std::pair(id, &run));
    for (const auto& [seq, entry] : in_order) {
      ids += entry.first + "\n";
      tools.insert(entry.second->tool);
      compare_run(seq, entry.first, *entry.second);
    }
    for (const auto& [seq, row] : claims_.runs) {
      if (!in_order.contains(seq)) add({seq, row.run, "a run that does not begin there in this period", "no run", printable(row.run)});
    }
    total("runs") = runs_.size();
    total("tools") = tools.size();
    total("open") = total("runs") - total("closed") - total("refused") - total("aborted");
    compare_figures();
    compare_coverage();
    compare_tables(in_order);
    rows_.finish();
    grants_.finish();
    if (claims_.population != std::to_string(runs_.size())) add({-1, "", "the number of runs in the population", std::to_string(runs_.size()), claims_.population});
    Sha256 hash;
    const std::string population = hash.of(ids).text();
    if (claims_.population_sha256 != population) add({-1, "", "the digest of the population", population, printable(claims_.population_sha256)});
    left("denials", claims_.denials);
    left("limits", claims_.limits);
    left("gaps", claims_.gaps);
    left("artifacts", claims_.artifacts);
    if (next_leaf_ != claims_.leaves.end()) add({next_leaf_->first, "", "a record that this report names", "none of that number", std::to_string(next_leaf_->first)});
    out = std::move(differences_);
  }

  [[nodiscard]] std::uint64_t compared() const { return compared_; }
  [[nodiscard]] std::uint64_t withheld() const { return withheld_; }
  // Command lines in the report whose words are not disclosed here.
  [[nodiscard]] std::uint64_t closed_commands() const { return closed_commands_; }
  // Of a later program; "" when there is none.
  [[nodiscard]] const std::string& unknown_figure() const { return unknown_figure_; }

 private:
  struct Run {
    std::int64_t opened = 0;
    std::int64_t wall_ms = 0;
    std::string tool;
    std::string state = "open";
    std::int64_t ended = -1;
    std::int64_t ended_ms = 0;
    bool has_left_something = false;
    std::map<std::string, std::uint64_t, std::less<>> n;
  };

  // Runs that began before the period, wherever they end.
  void straddle(const Envelope& e) {
    if (e.type == RecordType::run_open && e.wall_ms < claims_.from_ms) {
      tables_.on_open(e.wall_ms);
      earlier_.emplace(e.run, e.wall_ms);
    }
    if (e.type != RecordType::run_close && e.type != RecordType::run_abort) return;
    const auto known = earlier_.find(e.run);
    if (known == earlier_.end()) return;
    tables_.on_end(known->second, e.wall_ms);
    earlier_.erase(known);
  }

  void compare_tables(const std::map<std::int64_t, std::pair<std::string, const Run*>>& in_order) {
    std::vector<RecountedRun> runs;
    for (const auto& [seq, entry] : in_order) {
      const Run& run = *entry.second;
      const auto n = [&](const char* key) {
        const auto at = run.n.find(key);
        return at == run.n.end() ? 0 : at->second;
      };
      runs.push_back({entry.first, run.tool, run.state, seq, run.wall_ms, run.ended, run.ended_ms, run.has_left_something, n("denial_records"),
                      n("denied_acts"), n("limit_records")});
    }
    tables_.finish(
        runs, [this](std::int64_t seq, const std::string& run, const std::string& what, const std::string& expected, const std::string* found) { same(seq, run, what, expected, found); },
        [this](std::int64_t seq, const std::string& run, const std::string& what, const std::string& expected, const std::string* found) { same_tool(seq, run, what, expected, found); });
  }

  void add(ReportDifference difference) {
    if (differences_.size() < kMaxDifferences) differences_.push_back(std::move(difference));
  }
  std::uint64_t& total(const char* name) { return totals_[name]; }

  void same(std::int64_t seq, const std::string& run, const std::string& what, const std::string& expected, const std::string* found) {
    ++compared_;
    if (found == nullptr) return add({seq, run, what, expected, "nothing"});
    if (*found != expected) add({seq, run, what, printable(expected, 200), printable(*found, 200)});
  }

  // The only one of all that is compared that a redaction can withhold; it is said to be, and does not count.
  void same_tool(std::int64_t seq, const std::string& run, const std::string& what, const std::string& expected, const std::string* found) {
    if (claims_.is_redacted && found != nullptr && found->starts_with("[withheld: ")) {
      ++withheld_;
    } else {
      same(seq, run, what, expected, found);
    }
  }

  void check_leaf(std::int64_t seq, const Digest& leaf) {
    if (next_leaf_ == claims_.leaves.end() || next_leaf_->first != seq) return;
    const std::string start = encode_hex(leaf.view()).substr(0, 16);
    same(seq, "", "the hash of a record", start, &next_leaf_->second);
    ++next_leaf_;
  }

  void open(const Envelope& e) {
    Run run;
    run.opened = e.seq;
    run.wall_ms = e.wall_ms;
    run.tool = View(e.body).at("tool").text();
    runs_.try_emplace(std::string(e.run), std::move(run));
    compare_command(e);
  }

  void compare_command(const Envelope& e) {
    const auto row = claims_.runs.find(e.seq);
    const std::string* const claimed =
        row == claims_.runs.end() ? nullptr : field(row->second.fields, "command");
    if (claimed == nullptr || source_ == nullptr) return;
    const auto c = Digest::from_base64(View(e.body).at("argv").at("c").raw());
    const auto stored = c ? source_->disclosure(*c) : std::nullopt;
    const bool is_right =
        stored && stored->kind == "argv" && commit(stored->salt, stored->bytes, hash_) == *c;
    if (!is_right) {
      ++closed_commands_;
      return;
    }
    if (const auto words = command_words(stored->bytes))
      same_tool(e.seq, std::string(e.run), "runs, command", *words, claimed);
  }

  void count(Run& run, const Envelope& e) {
    using enum RecordType;
    const View body(e.body);
    ++run.n["records"];
    switch (e.type) {
      case sandbox_enforced:
        ++total("started");
        if (body.at("weaker").count() > 0) ++total("runs_with_weaker");
        break;
      case sandbox_denial: denial(run, e, body); break;
      case resource_limit:
        ++total("limit_records");
        if (++run.n["limit_records"] == 1) ++total("runs_with_limits");
        tables_.on_limit(e, body);
        compare_row(claims_.limits, e, body, "limits", {"limit", "action", "enforced_by", "mark", "source"}, {"observed", "value"});
        break;
      case run_gap: {
        ++total("gap_records");
        tables_.on_gap(e, body);
        ++run.n["gaps"];
        const std::uint64_t lost = parse_decimal(number_text(body.at("lost"))).value_or(0);
        total("lost_acts") += lost;
        run.n["lost_acts"] += lost;
        compare_row(claims_.gaps, e, body, "gaps", {"reason", "source"}, {"lost"});
        break;
      }
      case artifact_exported:
        ++total("exports");
        ++run.n["exports"];
        artifact(e, body, "exported", "size");
        break;
      case sarif_written:
        ++total("sarif_files");
        artifact(e, body, "sarif", "results");
        break;
      case run_close: {
        run.state = body.at("ended_by").raw() == "refused" ? "refused" : "closed";
        ++total(run.state == "refused" ? "refused" : "closed");
        end(run, e);
        const View down = body.at("teardown");
        run.has_left_something = down.at("processes_left").number() > 0 || down.at("cgroup").raw() == "left";
        const View exit = body.at("exit");
        const std::string_view by = body.at("ended_by").raw();
        if (by == "wall") ++total("stopped_wall");
        if (by == "limit") ++total("stopped_limit");
        if (by == "interrupted" || by == "runner") ++total("stopped_other");
        // Released, and there was no such program, or it could not be started.
        const bool is_not_executed = body.at("ended_by").raw() == "tool" && !exit.exists();
        if (is_not_executed) ++total("not_executed");
        if (is_not_executed || exit.at("signal").exists() || exit.at("code").number() != 0) ++total("failed");
        break;
      }
      case run_abort:
        run.state = "aborted";
        end(run, e);
        ++total("aborted");
        break;
      default: break;
    }
  }

  // Reports of earlier programs have no such table. Of an exported file the digest and the path may be withheld.
  void artifact(const Envelope& e, const View& body, const char* kind, const char* number) {
    if (!claims_.has_artifacts) return;
    compare_row(claims_.artifacts, e, body, "artifacts", {}, {number});
    const auto row = claims_.artifacts.find(e.seq);
    if (row == claims_.artifacts.end()) return;
    const auto& fields = row->second.fields;
    const std::string run(e.run);
    const std::string name(kind);
    same(e.seq, run, "artifacts, kind", name, field(fields, "kind"));
    same(e.seq, run, "artifacts, action", name == "sarif" ? std::string("written") : body.at("action").text(), field(fields, "action"));
    const std::string* const digest = field(fields, "sha256");
    if (body.at("sha256").exists()) {
      same_tool(e.seq, run, "artifacts, sha256", body.at("sha256").text(), digest);
    } else if (digest != nullptr) {
      add({e.seq, run, "artifacts, sha256", "none", printable(*digest, 100)});
    }
    if (name == "sarif") sarif(e, body, fields);
    const View path = body.at("path");
    if (path.at("path").exists()) same_tool(e.seq, run, "artifacts, path", path.at("base").text() + ":" + path.at("path").text(), field(fields, "path"));
  }

  // What reports of earlier programs do not tell. Each denial and limit record of the run is one result (SD-1).
  void sarif(const Envelope& e, const View& body, const ReportClaims::Fields& fields) {
    const std::string run(e.run);
    const View converter = body.at("converter");
    const auto told = [&](const char* key, const std::string& expected) {
      if (const std::string* const found = field(fields, key)) same(e.seq, run, std::string("artifacts, ") + key, expected, found);
    };
    told("converter", converter.at("product").text());
    told("breaks_schema", converter.at("status").number() != 0 ? "true" : "false");
    const auto known = runs_.find(e.run);
    if (known == runs_.end()) return;
    std::int64_t own = body.at("results").number();
    for (const char* key : {"denial_records", "setup_denials", "limit_records"}) {
      const auto counted = known->second.n.find(key);
      if (counted != known->second.n.end()) own -= static_cast<std::int64_t>(counted->second);
    }
    told("own_results", std::to_string(std::max<std::int64_t>(0, own)));
  }

  static void end(Run& run, const Envelope& e) {
    run.ended = e.seq;
    run.ended_ms = e.wall_ms;
  }

  void denial(Run& run, const Envelope& e, const View& body) {
    tables_.on_denial(e, body);
    compare_object(e, body.at("object"));
    compare_row(claims_.denials, e, body, "denials", {"phase", "rule", "operation", "outcome", "mark", "source"}, {"count", "errno"});
    if (body.at("phase").raw() == "setup") {
      ++total("setup_denials");
      ++run.n["setup_denials"];
      return;
    }
    const auto acts = static_cast<std::uint64_t>(std::max<std::int64_t>(0, body.at("count").number()));
    ++total("denial_records");
    total("denied_acts") += acts;
    if (body.at("outcome").raw() == "attempt") total("attempts") += acts;
    if (++run.n["denial_records"] == 1) ++total("runs_with_denials");
    run.n["denied_acts"] += acts;
  }

  void compare_row(const std::map<std::int64_t, ReportClaims::Row>& table, const Envelope& e, const View& body, const char* name,
                   std::initializer_list<const char*> texts, std::initializer_list<const char*> numbers) {
    const std::string run(e.run);
    const auto row = table.find(e.seq);
    if (row == table.end()) return add({e.seq, run, std::string("a record that is not in the report's ") + name, std::string(e.type_name), "nothing"});
    ++matched_[name];
    const auto& fields = row->second.fields;
    const std::string prefix = std::string(name) + ", ";
    same(e.seq, run, prefix + "run", run, &row->second.run);
    if (const auto* tool = field(fields, "tool")) same_tool(e.seq, run, prefix + "tool", runs_.find(run)->second.tool, tool);
    same(e.seq, run, prefix + "at_ms", std::to_string(e.wall_ms), field(fields, "at_ms"));
    same(e.seq, run, prefix + "at", utc_text(e.wall_ms), field(fields, "at"));
    for (const char* key : texts) same(e.seq, run, prefix + key, body.at(key).text(), field(fields, key));
    for (const char* key : numbers) same(e.seq, run, prefix + key, number_text(body.at(key)), field(fields, key));
  }

  // What a redaction may withhold, as it may a tool; of a committed path the report has no name either.
  void compare_object(const Envelope& e, const View& object) {
    const auto row = claims_.denials.find(e.seq);
    if (row == claims_.denials.end()) return;
    std::string text;
    if (object.at("text").exists()) {
      text = object.at("text").text();
    } else if (object.at("address").exists()) {
      text = object.at("address").text();
    } else if (object.at("path").exists()) {
      text = object.at("base").text() + ":" + object.at("path").text();
    } else if (object.at("commit").exists()) {
      text = object.at("base").text() + ":(withheld)";
    } else if (object.exists()) {
      return;  // bytes that are no text: shown in a form of the report's own
    }
    same_tool(e.seq, std::string(e.run), "denials, object", text, field(row->second.fields, "object"));
  }

  void compare_run(std::int64_t seq, const std::string& id, const Run& run) {
    const auto row = claims_.runs.find(seq);
    if (row == claims_.runs.end()) return add({seq, id, "a run of the period that is not in the report", printable(run.tool), "nothing"});
    const auto& fields = row->second.fields;
    same(seq, id, "runs, run", id, &row->second.run);
    same_tool(seq, id, "runs, tool", run.tool, field(fields, "tool"));
    same(seq, id, "runs, state", run.state, field(fields, "state"));
    same(seq, id, "runs, started_ms", std::to_string(run.wall_ms), field(fields, "started_ms"));
    same(seq, id, "runs, started", utc_text(run.wall_ms), field(fields, "started"));
    for (const char* key : {"records", "denial_records", "denied_acts", "setup_denials", "limit_records", "gaps", "lost_acts", "exports"}) {
      const auto n = run.n.find(key);
      same(seq, id, std::string("runs, ") + key, std::to_string(n == run.n.end() ? 0 : n->second), field(fields, key));
    }
  }

  // How much of the period the records reach over: reports of earlier programs do not say.
  void compare_coverage() {
    if (claims_.covered.empty()) return;
    const bool is_outside = claims_.until_ms <= first_ms_ || claims_.from_ms > last_ms_;
    const bool is_whole = claims_.from_ms >= first_ms_ && claims_.until_ms <= last_ms_;
    same(-1, "", "how much of the period is covered", is_outside ? "none" : is_whole ? "whole" : "part", &claims_.covered);
  }

  void compare_figures() {
    constexpr std::string_view kFigures[] = {"runs", "tools", "started", "not_executed", "closed", "refused", "aborted", "open", "failed", "stopped_wall", "stopped_limit", "stopped_other", "denial_records",
                                        "denied_acts", "attempts", "setup_denials", "limit_records", "gap_records", "lost_acts", "exports",
                                        "sarif_files", "runs_with_denials", "runs_with_limits", "runs_with_weaker"};
    for (const std::string_view name : kFigures) {
      const std::string* const claimed = field(claims_.figures, name);
      if (claimed == nullptr && (name == "not_executed" || name.starts_with("stopped_"))) continue;  // reports of earlier programs
      same(-1, "", "the figure " + std::string(name), std::to_string(totals_[std::string(name)]), claimed);
    }
    for (const auto& [name, value] : claims_.figures) {
      if (std::find(std::begin(kFigures), std::end(kFigures), name) == std::end(kFigures)) unknown_figure_ = name;
    }
  }

  void left(const char* name, const std::map<std::int64_t, ReportClaims::Row>& table) {
    const auto matched = matched_.find(name);
    const std::size_t rows = matched == matched_.end() ? 0 : matched->second;
    if (table.size() > rows) add({-1, "", std::string("rows of ") + name + " that are no such record of the period", std::to_string(rows), std::to_string(table.size())});
  }

  const ReportClaims& claims_;
  std::map<std::int64_t, std::string>::const_iterator next_leaf_;
  std::map<std::string, Run, std::less<>> runs_;
  std::map<std::string, std::uint64_t, std::less<>> totals_;
  std::map<std::string, std::size_t, std::less<>> matched_;
  ReportTables tables_;
  ReportRows rows_;
  ReportGrants grants_;
  std::set<std::string, std::less<>> later_;  // runs that begin after the period
  std::map<std::string, std::int64_t, std::less<>> earlier_;  // runs that began before the period and have no end yet
  std::vector<ReportDifference> differences_;
  std::int64_t first_ms_ = -1;  // wall clock of the first and last record
  std::int64_t last_ms_ = -1;
  std::uint64_t compared_ = 0;
  std::uint64_t withheld_ = 0;
  std::uint64_t closed_commands_ = 0;
  EvidenceSource* source_ = nullptr;
  Sha256 hash_;
  std::string unknown_figure_;
};

// Reads [0, size) again; false when the records do not give the report's root.
bool read_again(const std::string& input, const ReportClaims& claims, Recount& recount) {
  Findings findings;
  std::string kind;
  auto source = open_input(input, kind, findings);
  if (!source || *source == nullptr || (*source)->coverage() != EvidenceSource::Coverage::whole) return false;
  recount.look_into(**source);
  Sha256 hash;
  StreamingTree tree;
  RecordBatch batch;
  CheckedBatch checked;
  while (tree.size() < claims.size && (*source)->next_records(batch, findings)) {
    check_batch(batch, tree.size(), checked, hash);
    for (std::size_t i = 0; i < checked.records.size() && tree.size() < claims.size; ++i) {
      const CheckedRecord& record = checked.records[i];
      tree.append(record.leaf, hash);
      if (batch.rows[i].is_absent) {
        recount.on_dropped();
      } else if (record.scan.fault == RecordFault::none) {
        recount.on_record(record);
      }
    }
  }
  return tree.size() == claims.size && tree.root(hash) == claims.root;
}

std::string signature_words(const ReportDirectory& directory) {
  using Signature = ReportDirectory::Signature;
  switch (directory.signature) {
    case Signature::right:
      return "; signed by " + printable(directory.signer, 300);
    case Signature::not_checked:
      return "; its signature was not checked: no key was given (--signer)";
    case Signature::none:
      return "; it is not signed";
    case Signature::wrong:
      break;
  }
  return "";
}

}  // namespace

Value check_report(const std::string& name, const ReportClaims& claims, const std::string& input, const AuditReport& audited,
                   const Pin* pin, bool asks_witnesses, Findings& findings) {
  std::vector<ReportDifference> differences;
  Recount recount(claims);
  if (claims.directory) differences = claims.directory->differences;
  compare_head(claims, audited, pin, differences);
  std::string unknown = differences.empty() ? why_not_judged(claims, audited, asks_witnesses) : "";
  if (differences.empty() && unknown.empty() && claims.directory) unknown = claims.directory->unknown;
  if (differences.empty() && unknown.empty()) {
    if (read_again(input, claims, recount)) {
      recount.finish(differences);
      if (differences.empty() && !recount.unknown_figure().empty()) {
        unknown = "it has a figure that this verifier does not know: " + printable(recount.unknown_figure(), 60);
      }
    } else {
      unknown = "this evidence does not show all records that the report covers";
    }
  }
  const char* const result = !differences.empty() ? "fail" : unknown.empty() ? "pass" : "unknown";
  std::string text = unknown.empty() ? std::to_string(recount.compared()) + " figures, rows and record hashes follow from the records" : unknown;
  if (unknown.empty() && recount.withheld() > 0) text += "; " + std::to_string(recount.withheld()) + " names of tools and objects are withheld";
  if (unknown.empty() && recount.closed_commands() > 0) {
    text += "; " + std::to_string(recount.closed_commands()) +
            " command lines could not be compared: they are not disclosed here";
  }
  if (unknown.empty() && claims.directory)
    text +=
        "; the " + std::to_string(claims.directory->files) +
        " files of the directory are those of its manifest (ethos-report verify makes each again)" +
        signature_words(*claims.directory);
  const bool is_of_files = claims.directory && !claims.directory->differences.empty();
  if (!differences.empty()) {
    text = differences[0].what + ": " + differences[0].expected + (is_of_files ? " by the manifest, " : " by the ledger, ") + differences[0].found +
           (is_of_files ? " in the directory" : " in the report");
  }
  for (const ReportDifference& d : differences) {
    findings.add({.code = Code::report_mismatch, .seq = d.seq, .run = d.run, .expected = d.expected, .found = d.found, .text = printable(name, 200) + ": " + d.what});
  }
  if (!unknown.empty()) findings.add({.code = Code::report_unknown, .text = printable(name, 200) + ": " + unknown});
  Value v = Value::object();
  v.set("file", Value::of(printable(name, 4000))).set("result", Value::of(result));
  v.set("compared", Value::of(static_cast<std::int64_t>(recount.compared()))).set("period", Value::of(printable(claims.period, 60)));
  v.set("size", Value::of(static_cast<std::int64_t>(claims.size))).set("text", Value::of(text));
  if (claims.directory) {
    constexpr const char* kSignatures[] = {"none", "not_checked", "right", "wrong"};
    v.set("signature",
          Value::of(kSignatures[static_cast<std::size_t>(claims.directory->signature)]));
    if (!claims.directory->signer.empty())
      v.set("signer", Value::of(printable(claims.directory->signer, 300)));
  }
  return v;
}

}  // namespace ethos::verify
