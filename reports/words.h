// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/model.h"

// Sentences that every format says in the same words.
namespace ethos::reports {

std::string leaf_text(const Ref& ref);  // 16 hex digits
std::string ref_text(const Ref& ref);   // "#120 1a2b…" with all 16 digits
std::string time_text(const Model& model, std::int64_t wall_ms);  // local and UTC
std::string utc_ms_text(std::int64_t wall_ms);                    // 2026-10-01T08:00:00Z

// "Integrity", and "holds", "fails", "incomplete", "not checked": only what was asked for and
// passed reads as affirmed.
std::string_view verdict_label(std::string_view name);
std::string_view verdict_word(std::string_view result);
// What a verdict is about, as a question: "whether ...".
std::string_view verdict_meaning(std::string_view name);
// What a verdict says: the statement where it passed, else what stays open and what would answer
// it; with the words of the verifier.
std::string verdict_says(const Verdict::Check& check);
// "Verified to record 209: 6 of 8 answers hold, 2 not checked".
std::string verified_heading(const Model& model);
// The word of one verdict with what bounds it: "holds since it was signed".
std::string verdict_word(const Model& model, const Verdict::Check& check);
// How much was checked, in a cell of a table.
std::string checked_text(const Verdict::Check& check);
// Whether it holds and says less than a reader of the word alone would think.
bool is_qualified(const Model& model, const Verdict::Check& check);

// What pruned runs mean for this period; empty when nothing was pruned.
std::string pruned_text(const Model& model);

// How the tool of a run ended: "exit 0", "signal 9", "ended at the limit of time, no exit of its
// own", "refused", "no end recorded".
std::string ending_text(const Model& model, const Run& run);
// The exit status of ethos-run, which is not always the tool's: "122: not the tool's: ...".
std::string status_text(const Model& model, const Run& run);
// Of that, what it means; empty when there is none.
std::string status_meaning(const Model& model, const Run& run);
// Both, for where there is one cell: "tool: exit 0; ethos-run: 122: ...".
// "root (0)", "1000".
std::string caller_text(const Model& model, const Run& run);
// Which calls were notified, of `observe`.
std::string observation_label(std::string_view observe);
std::string outcome_text(const Model& model, const Run& run);
// Of where a declaration came from, who can change it.
std::string origin_label(std::string_view origin);
// Which ceilings and profiles there were, and what they are.
std::string ceiling_text(const Model& model);
// How long there was between the records of a run's opening and end, and what of it was not the
// tool; empty without an end.
std::string span_text(const Run& run);
// What root as the caller means for the tool; empty when no run had it.
std::string root_text(const Model& model);
// What the columns of the table of runs mean.
std::string_view run_columns_text();

// "161 rows of 10 tools: 141 grants, each with a record, and 20 rows of the base runtime, ...":
// why the rows of the grants are more, or fewer, than the grant records.
std::string grant_rows_text(const Model& model);

// "3 changed sets of grants; 10 first sets of tools without an earlier run, which are no change".
std::string drift_text(const Model& model);
// Why a comparison of grants compared nothing: no tool had a set at its first point.
std::string no_first_text(const Model& model);

// "records 0 to 208, both included: 209".
std::string records_text(std::uint64_t first, std::uint64_t last);
std::string covered_records(const Source& source);
// "21 records, the first #188, the last #208, both counted; ...".
std::string run_records_text(const Run& run);

// What a period without a single run may say, and never more.
std::string_view empty_period_text();

// State of a matrix cell in words, e.g. "granted and used", "not granted, tried".
struct CellWords {
  std::string_view symbol;  // ● ○ ◐ ✗ –, never the only carrier of the meaning
  std::string state;        // machine word, `+` between several
  std::string words;
};
CellWords cell_words(const MatrixCell& cell, Capability capability);

// What this report does not prove; depends on what the records say.
std::vector<std::string> not_proved(const Model& model);

// In how many runs the program is an interpreter, so that its digest says little; empty when none.
std::string interpreted_text(const Model& model);

// Whether something is withheld, by which policy and authority, and where the other report is;
// empty for a report that stands alone.
std::string redaction_text(const Model& model);
// How the population was chosen, in one paragraph.
std::string query_text(const Model& model);

// Why zero denials may or may not mean a quiet period.
std::string sensor_text(const Model& model);

// Special words of the reports (glossary.cc), in the order of the alphabet. `word` may name several
// with " / " between.
struct Term {
  std::string_view word, meaning;
};
const std::vector<Term>& glossary();

}  // namespace ethos::reports
