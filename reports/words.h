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

// "Integrity", and "passed", "failed", "incomplete", "could not be checked", "nothing of the kind".
std::string_view verdict_label(std::string_view name);
std::string_view verdict_word(std::string_view result);
// What a verdict speaks about, one clause.
std::string_view verdict_meaning(std::string_view name);

// How a run ended: "exit 0", "signal 9", "refused", "no end recorded".
// 268435456 of `memory_bytes` -> "256.0 MiB", 15000 of `wall_ms` -> "15 s", 64 of `pids` -> "64".
std::string limit_figure(std::string_view limit, std::uint64_t value);

// "limit 64, seen 56 (counted now and then; what was refused in between was not counted)": a record
// says that a limit was reached, and the figure by which that was known may lie below it.
std::string limit_text(const Model& model, const LimitEvent& event);
std::string limit_text(std::string_view limit, std::string_view source, std::uint64_t value,
                       std::uint64_t observed);

// "connect 192.0.2.1:443"; of a socket call, which knows no destination yet, says so.
std::string act_text(std::string_view operation, std::string_view object);

// What pruned runs mean for this period; empty when nothing was pruned.
std::string pruned_text(const Model& model);

std::string ending_text(const Model& model, const Run& run);

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

// Whether something is withheld, by which policy and authority, and where the other report is;
// empty for a report that stands alone.
std::string redaction_text(const Model& model);

// How the population was chosen, in one paragraph.
std::string query_text(const Model& model);

// The commands that redo the verification and the report.
std::vector<std::string> redo_commands(const Model& model);

// Why zero denials may or may not mean a quiet period.
std::string sensor_text(const Model& model);

struct Term {
  std::string_view word, meaning;
};
const std::vector<Term>& glossary();

}  // namespace ethos::reports
