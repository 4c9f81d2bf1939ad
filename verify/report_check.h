// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "verify/audit.h"
#include "verify/json.h"
#include "verify/problem.h"
#include "verify/result.h"

namespace ethos::verify {

inline constexpr std::uint64_t kMaxReport = std::uint64_t{256} << 20U;

struct ReportDifference {
  std::int64_t seq = -1;
  std::string run;
  std::string what;
  std::string expected;  // by the records
  std::string found;     // in the report
};

// The directory that a report was written to, held against its manifest (report_directory.h).
struct ReportDirectory {
  std::vector<ReportDifference> differences;  // a file changed, missing or added; each by its name
  std::string unknown;                        // why the files could not be compared; else ""
  std::size_t files = 0;                      // that are those of the manifest
  enum class Signature { none, not_checked, right, wrong };
  Signature signature = Signature::none;  // of report.intoto.jsonl
  std::string signer;                     // the name of the key that it was held against
};

// Further interpreters of a script as one text, a line each: path and digest.
std::string report_chain_words(const Value& interpreters);

// What a report of ethos-report says (docs/report-model.md, `report.json`), as far as it can be told from the
// records again. Numbers are kept as texts.
struct ReportClaims {
  using Fields = std::vector<std::pair<std::string, std::string>>;
  struct Row {
    std::string run;
    Fields fields;
    std::int64_t seq = -1;  // of the record that it names
  };
  struct Stretch {  // of `buckets`
    std::int64_t from_ms = 0;
    std::int64_t until_ms = 0;
    Fields fields;
  };
  std::string origin;
  std::uint64_t size = 0;
  Digest root;
  std::int64_t from_ms = 0;   // of the period
  std::int64_t until_ms = 0;  // excluded
  std::string period;
  std::string zone;
  bool is_verified = false;
  bool is_redacted = false;
  std::string pin;            // fingerprint
  Fields figures;             // of `summary.period`
  Fields figures_before;      // of `summary.previous_period`, where there is one
  std::string population;     // number of runs
  std::string population_sha256;
  std::map<std::int64_t, Row> runs;     // by their first record
  std::map<std::int64_t, Row> denials;  // these by their own
  std::map<std::int64_t, Row> limits;
  std::map<std::int64_t, Row> gaps;
  std::map<std::int64_t, Row> artifacts;
  bool has_artifacts = false;  // reports of earlier programs have no such table
  // Of a program that says in milliseconds how much of the period is covered. What programs before it
  // derived from the records by other rules is not compared.
  bool is_current = false;
  // Members that are compared as they are: objects and scalars, and lists of objects.
  std::map<std::string, Value, std::less<>> parts;
  std::map<std::string, std::vector<Value>, std::less<>> lists;
  [[nodiscard]] const Value& part(std::string_view key) const;
  [[nodiscard]] const std::vector<Value>& list(std::string_view key) const;
  [[nodiscard]] bool has_list(std::string_view key) const { return lists.contains(key); }
  // Of `grants` the record numbers of `last` and `first_use` are fields too.
  std::vector<Row> grants;
  bool has_grants = false;
  struct DriftRow {
    Row row;
    std::int64_t before = -1;
    std::vector<std::string> changes;  // a line each, in order
  };
  std::vector<DriftRow> drift;
  bool has_drift = false;
  std::vector<Row> rules;
  std::vector<Row> exceptions;
  std::string exceptions_stated;  // their number in `summary`
  std::vector<Stretch> stretches;
  std::string open_at_start;      // of `completeness`
  std::string open_at_end;   // of both "null": the report says that no record tells
  std::string open_at_last;  // with such an end: at the last record
  std::map<std::string, std::vector<Row>, std::less<>> counted;  // the tables that count runs by a name
  std::vector<Row> keys;
  std::vector<Row> events;                                       // of the ledger itself
  std::vector<Row> record_types;                                 // of `completeness`
  std::vector<std::pair<std::string, std::string>> verdicts;     // name and result
  std::string checkpoint;                                        // of `source`
  std::map<std::int64_t, std::string> leaves;  // every record named anywhere, with the start of its leaf hash
  std::string contradiction;                   // one row twice, or one record with two hashes; else ""
  std::optional<ReportDirectory> directory;    // where a directory was given
};

// A directory stands for the report.json in it.
std::string report_path(const std::string& name);
Result<ReportClaims> parse_report(std::string_view bytes);

// Holds a report against the records: `input` is opened again and read up to the report's size. `state`: what the
// audit found of that size and root. The answer is an element of `reports` (verdict.md V-10).
Value check_report(const std::string& name, const ReportClaims& claims, const std::string& input, const AuditReport& audited,
                   const Pin* pin, bool asks_witnesses, Findings& findings);

}  // namespace ethos::verify
