// SPDX-License-Identifier: Apache-2.0
#include "verify/report_records.h"

#include <algorithm>

#include "verify/encoding.h"
#include "verify/times.h"

namespace ethos::verify {
namespace {

// A number of a body, which may be a decimal string; "0" where there is none.
std::string number_text(const View& value) {
  if (value.is_integer()) return std::to_string(value.number());
  const auto number = value.is_string() ? parse_decimal(value.raw()) : std::nullopt;
  return std::to_string(number.value_or(0));
}

std::string truth(bool is) { return is ? "true" : "false"; }

}  // namespace

void ReportRecords::same(const Envelope& e, const std::string& what, const std::string& expected,
                         const std::string* found, bool may_be_withheld) {
  same_(e.seq, std::string(e.run), what, expected, found, may_be_withheld);
}

void ReportRecords::told(const Envelope& e, const std::string& what, const std::string& expected,
                         const std::string* found) {
  if (found != nullptr) same(e, what, expected, found);
}

void ReportRecords::words(const Envelope& e, const std::string& what, std::string_view expected,
                          const std::string* found, bool (*is_known)(std::string_view)) {
  if (!claims_.is_current || found == nullptr) return;
  if (is_known(*found) && !expected.empty()) return same(e, what, std::string(expected), found);
  if (*found != expected && unknown_words_.empty()) unknown_words_ = *found;
}

const ReportClaims::Fields* ReportRecords::row(const Table& table, const char* name,
                                               const Envelope& e, const View& body, const Run& run,
                                               std::initializer_list<const char*> texts,
                                               std::initializer_list<const char*> numbers) {
  const std::string id(e.run);
  const auto row = table.find(e.seq);
  if (row == table.end()) {
    same(e, std::string("a record that is not in the report's ") + name, std::string(e.type_name),
         nullptr);
    return nullptr;
  }
  ++matched_[name];
  const auto& fields = row->second.fields;
  const std::string prefix = std::string(name) + ", ";
  same(e, prefix + "run", id, &row->second.run);
  same(e, prefix + "tool", run.tool, report_field(fields, "tool"), true);
  same(e, prefix + "at_ms", std::to_string(e.wall_ms), report_field(fields, "at_ms"));
  same(e, prefix + "at", utc_text(e.wall_ms), report_field(fields, "at"));
  for (const char* key : texts)
    same(e, prefix + key, body.at(key).text(), report_field(fields, key));
  for (const char* key : numbers)
    same(e, prefix + key, number_text(body.at(key)), report_field(fields, key));
  return &fields;
}

void ReportRecords::on_denial(const Envelope& e, const View& body, const Run& run,
                              const ReportAct& act) {
  const auto* const fields =
      row(claims_.denials, "denials", e, body, run,
          {"phase", "rule", "operation", "outcome", "mark", "source"}, {"count", "errno"});
  if (fields == nullptr) return;
  object(e, body.at("object"), report_field(*fields, "object"));
  for (const char* key : {"cause", "fix"}) {
    const std::string* const found = report_field(*fields, key);
    const bool is_there = !body.at(key).raw().empty();
    if (is_there || found != nullptr)
      same(e, std::string("denials, ") + key, is_there ? body.at(key).text() : "nothing", found,
           is_there);
  }
  if (!claims_.is_current) return;
  same(e, "denials, capability", std::string(column_name(act.column)),
       report_field(*fields, "capability"));
  const std::string* const found = report_field(*fields, "act");
  if (found != nullptr && act.words.empty()) return same(e, "denials, act", "", found);
  words(e, "denials, act", act.words, found, is_act_word);
}

// What a redaction may withhold, as it may a tool; of a committed path the report has no name
// either.
void ReportRecords::object(const Envelope& e, const View& object, const std::string* found) {
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
  same(e, "denials, object", text, found, true);
}

void ReportRecords::on_limit(const Envelope& e, const View& body, const Run& run) {
  const auto* const fields =
      row(claims_.limits, "limits", e, body, run,
          {"limit", "action", "enforced_by", "mark", "source"}, {"observed", "value"});
  if (fields == nullptr) return;
  told(e, "limits, presumed", truth(is_presumed_limit(body)), report_field(*fields, "presumed"));
  words(e, "limits, outcome", limit_outcome_words(body), report_field(*fields, "outcome"),
        is_limit_outcome_word);
}

void ReportRecords::on_gap(const Envelope& e, const View& body, const Run& run) {
  row(claims_.gaps, "gaps", e, body, run, {"reason", "source"}, {"lost"});
}

// Reports of earlier programs have no such table. Digest and path may be withheld.
const ReportClaims::Fields* ReportRecords::artifact(const Envelope& e, const View& body,
                                                    const Run& run, const char* kind,
                                                    const std::string& action, const char* number) {
  if (!claims_.has_artifacts) return nullptr;
  const auto* const fields = row(claims_.artifacts, "artifacts", e, body, run, {}, {number});
  if (fields == nullptr) return nullptr;
  same(e, "artifacts, kind", kind, report_field(*fields, "kind"));
  same(e, "artifacts, action", action, report_field(*fields, "action"));
  const std::string* const digest = report_field(*fields, "sha256");
  if (body.at("sha256").exists()) {
    same(e, "artifacts, sha256", body.at("sha256").text(), digest, true);
  } else {
    told(e, "artifacts, sha256", "none", digest);
  }
  return fields;
}

void ReportRecords::on_exported(const Envelope& e, const View& body, const Run& run) {
  const auto* const fields = artifact(e, body, run, "exported", body.at("action").text(), "size");
  const View path = body.at("path");
  if (fields != nullptr && path.at("path").exists())
    same(e, "artifacts, path", path.at("base").text() + ":" + path.at("path").text(),
         report_field(*fields, "path"), true);
}

// Each denial and limit record of the run is one result (SD-1).
void ReportRecords::on_sarif(const Envelope& e, const View& body, const Run& run) {
  const auto* const fields = artifact(e, body, run, "sarif", "written", "results");
  if (fields == nullptr) return;
  const View converter = body.at("converter");
  told(e, "artifacts, converter", converter.at("product").text(),
       report_field(*fields, "converter"));
  told(e, "artifacts, breaks_schema", truth(converter.at("status").number() != 0),
       report_field(*fields, "breaks_schema"));
  std::int64_t own = body.at("results").number();
  for (const char* key : {"denial_records", "setup_denials", "limit_records"}) {
    const auto counted = run.counts.find(key);
    if (counted != run.counts.end()) own -= static_cast<std::int64_t>(counted->second);
  }
  told(e, "artifacts, own_results", std::to_string(std::max<std::int64_t>(0, own)),
       report_field(*fields, "own_results"));
}

void ReportRecords::left(const char* name, const Table& table) {
  const auto matched = matched_.find(name);
  const std::size_t rows = matched == matched_.end() ? 0 : matched->second;
  const std::string found = std::to_string(table.size());
  if (table.size() > rows)
    same_(-1, "", std::string("rows of ") + name + " that are no such record of the period",
          std::to_string(rows), &found, false);
}

void ReportRecords::finish() {
  left("denials", claims_.denials);
  left("limits", claims_.limits);
  left("gaps", claims_.gaps);
  left("artifacts", claims_.artifacts);
}

}  // namespace ethos::verify
