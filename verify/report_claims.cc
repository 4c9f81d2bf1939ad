// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <chrono>
#include <optional>

#include <sys/stat.h>

#include "verify/checkpoint.h"
#include "verify/encoding.h"
#include "verify/json_text.h"
#include "verify/report_check.h"

namespace ethos::verify {
std::string report_chain_words(const Value& interpreters) {
  std::string out;
  for (const Value& one : interpreters.items()) out += one.text_at("path") + " " + one.text_at("sha256") + "\n";
  return out;
}

namespace {

// verdict.md V-10. A short text can say a great many empty things.
constexpr std::size_t kMaxRows = 2'000'000;
constexpr std::size_t kMaxFields = 16'000'000;  // of all rows
constexpr std::size_t kMaxValues = 1'000'000;   // of one row, or of one member that is no list
constexpr std::string_view kCounted[] = {"weaker", "sensors", "observe", "kernels", "products", "origins"};
constexpr std::string_view kLists[] = {"matrix", "limit_forms", "commitments", "programs"};
constexpr std::string_view kParts[] = {"definition",   "coverage",   "source", "verification", "summary",
                                       "completeness", "comparison", "sample", "bucket_unit"};
constexpr std::size_t kMaxStretches = 10'000;  // each is held against every run; a report has some hundred

template <std::size_t Size>
bool is_one_of(const std::string_view (&words)[Size], std::string_view word) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

std::size_t size_of(const Value& value) {
  std::size_t out = 1;
  for (const Value& item : value.items()) out += size_of(item);
  return out;
}

std::string text_of(const Value& value) {
  if (value.is_integer()) return std::to_string(value.number());
  if (value.is_boolean()) return value.flag() ? "true" : "false";
  return value.text();
}

// "null" of a figure that the report says nobody knows; empty of one that is not there at all.
std::string text_or_null(const Value& parent, std::string_view key) {
  const Value* value = parent.find(key);
  if (value == nullptr) return {};
  return value->kind() == Value::Kind::none ? "null" : text_of(*value);
}

// `2026-10-01T00:00:00Z`
std::optional<std::int64_t> instant_ms(std::string_view text) {
  if (text.size() != 20 || text[4] != '-' || text[7] != '-' || text[10] != 'T' || text[13] != ':' || text[16] != ':' || text[19] != 'Z') return std::nullopt;
  std::array<int, 6> parts{};
  constexpr std::array<std::pair<std::size_t, std::size_t>, 6> places{{{0, 4}, {5, 2}, {8, 2}, {11, 2}, {14, 2}, {17, 2}}};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (const char c : text.substr(places[i].first, places[i].second)) {
      if (c < '0' || c > '9') return std::nullopt;
      parts[i] = parts[i] * 10 + (c - '0');
    }
  }
  const std::chrono::year_month_day date{std::chrono::year{parts[0]}, std::chrono::month{static_cast<unsigned>(parts[1])},
                                         std::chrono::day{static_cast<unsigned>(parts[2])}};
  if (!date.ok() || parts[3] > 23 || parts[4] > 59 || parts[5] > 59) return std::nullopt;
  return std::chrono::sys_days{date}.time_since_epoch().count() * std::int64_t{86'400'000} + ((parts[3] * 60 + parts[4]) * 60 + parts[5]) * std::int64_t{1000};
}

class ClaimsReader {
 public:
  explicit ClaimsReader(std::string_view bytes) : reader_(bytes, {.decimals = true, .nul = true, .bytes = kMaxReport, .depth = 16, .members = 4096, .values = kMaxValues}) {}

  Result<ReportClaims> read() {
    const bool good = reader_.begin() && reader_.walk_object(0, [&](const std::string& key) { return member(key); }) && reader_.end();
    if (!good) return fault_.empty() ? reader_.error() : malformed(fault_);
    if (format_ != "ethos-report/1") {
      return Error{format_.empty() ? Errc::malformed : Errc::unsupported, "not a report of format ethos-report/1" + (format_.empty() ? "" : ": " + printable(format_, 60))};
    }
    if (out_.origin.empty() || out_.figures.empty() || out_.until_ms <= out_.from_ms) return malformed("the report has no source, definition or summary");
    return std::move(out_);
  }

 private:
  bool wrong(std::string why) {
    if (fault_.empty()) fault_ = std::move(why);
    return false;
  }

  bool member(const std::string& key) {
    reader_.release(0);
    std::map<std::int64_t, ReportClaims::Row>* table = nullptr;
    if (key == "runs") table = &out_.runs;
    if (key == "denials") table = &out_.denials;
    if (key == "limits") table = &out_.limits;
    if (key == "gaps") table = &out_.gaps;
    if (key == "artifacts") {
      table = &out_.artifacts;
      out_.has_artifacts = true;
    }
    out_.has_grants = out_.has_grants || key == "grants";
    out_.has_drift = out_.has_drift || key == "drift";
    if (reader_.peek() == '[') {
      if (is_one_of(kLists, key)) out_.lists[key];  // also an empty one is there
      return reader_.walk_array(1, [&] {
        Value element;
        reader_.release(0);
        if (!reader_.value(element, 2) || !collect(element)) return false;
        fields_ += element.size();
        if (fields_ > kMaxFields) return wrong("the report has too many fields");
        if (key == "grants") return granted(element);
        if (key == "drift") return drifted(element);
        if (key == "rules") return listed(element, "first", out_.rules);
        if (key == "exceptions") return listed(element, "record", out_.exceptions);
        if (key == "keys") return listed(element, "record", out_.keys);
        if (key == "events") return listed(element, "record", out_.events);
        if (key == "buckets") return stretch(element);
        if (is_one_of(kLists, key)) return kept(element, out_.lists[key]);
        if (is_one_of(kCounted, key)) return listed(element, "first", out_.counted[key]);
        return (table == nullptr || row(element, key == "runs" ? "opened" : "record", *table));
      });
    }
    Value value;
    return reader_.value(value, 1) && collect(value) && scalar(key, value) && keep(key, value);
  }

  bool keep(const std::string& key, Value& value) {
    if (is_one_of(kLists, key)) return wrong("a table of the report is no list");
    if (is_one_of(kParts, key)) out_.parts[key] = std::move(value);
    return true;
  }
  bool kept(Value& element, std::vector<Value>& list) {
    if (!element.is_object()) return wrong("a row of the report is no object");
    fields_ += size_of(element);
    list.push_back(std::move(element));
    return fields_ <= kMaxFields || wrong("the report has too many fields");
  }

  // Every `{"leaf":..., "seq":...}` is a record.
  bool collect(const Value& value) {
    if (value.is_object() && value.at("leaf").is_string() && value.at("seq").is_integer()) {
      const auto [at, is_new] = out_.leaves.try_emplace(value.at("seq").number(), value.text_at("leaf"));
      if (!is_new && at->second != value.text_at("leaf")) out_.contradiction = "record " + std::to_string(at->first) + " has two hashes";
      if (out_.leaves.size() > kMaxRows) return wrong("the report names too many records");
    }
    return std::all_of(value.items().begin(), value.items().end(), [&](const Value& item) { return collect(item); });
  }

  static ReportClaims::Fields fields_of(const Value& element) {
    ReportClaims::Fields out;
    for (std::size_t i = 0; i < element.size(); ++i) {
      const Value& item = element.items()[i];
      if (item.is_string() || item.is_integer() || item.is_boolean()) out.emplace_back(element.keys()[i], text_of(item));
    }
    return out;
  }

  bool listed(const Value& element, const char* place, std::vector<ReportClaims::Row>& table) {
    if (!element.is_object()) return wrong("a row of the report is no object");
    const Value& seq = element.at(place).at("seq");
    table.push_back({element.text_at("run"), fields_of(element), seq.is_integer() ? seq.number() : -1});
    return table.size() <= kMaxRows || wrong("the report has too many rows");
  }

  bool granted(const Value& element) {
    if (!listed(element, "first", out_.grants)) return false;
    for (const char* key : {"last", "first_use"}) {
      const Value& seq = element.at(key).at("seq");
      if (seq.is_integer()) out_.grants.back().fields.emplace_back(key, text_of(seq));
    }
    return true;
  }

  bool drifted(const Value& element) {
    std::vector<ReportClaims::Row> rows;
    if (!listed(element, "record", rows)) return false;
    ReportClaims::DriftRow row{std::move(rows.front()), -1, {}};
    const Value& before = element.at("before").at("seq");
    if (before.is_integer()) row.before = before.number();
    for (const Value& change : element.at("changes").items()) {
      fields_ += 4;
      row.changes.push_back(change.text_at("direction") + " " + change.text_at("grant") +
                            " from `" + change.text_at("from") + "` to `" + change.text_at("to") +
                            "`");
    }
    std::sort(row.changes.begin(), row.changes.end());
    out_.drift.push_back(std::move(row));
    return out_.drift.size() <= kMaxRows || wrong("the report has too many rows");
  }

  bool stretch(const Value& element) {
    if (!element.is_object()) return wrong("a row of the report is no object");
    const auto from = instant_ms(element.text_at("from"));
    const auto until = instant_ms(element.text_at("until"));
    if (!from || !until || *until <= *from) return wrong("a stretch of the report's period has no beginning or end");
    out_.stretches.push_back({*from, *until, fields_of(element)});
    return out_.stretches.size() <= kMaxStretches || wrong("the report has too many rows");
  }

  bool row(const Value& element, const char* place, std::map<std::int64_t, ReportClaims::Row>& table) {
    const Value& seq = element.at(place).at("seq");
    if (!seq.is_integer() || !element.at("run").is_string()) return wrong("a row of the report names no run or record");
    ReportClaims::Row out;
    out.run = element.text_at("run");
    out.fields = fields_of(element);
    if (element.has("interpreters")) out.fields.emplace_back("interpreters", report_chain_words(element.at("interpreters")));
    for (const char* other : {"ended", "last"}) {
      const Value& at = element.at(other).at("seq");
      if (at.is_integer()) out.fields.emplace_back(other, text_of(at));
    }
    if (!table.emplace(seq.number(), std::move(out)).second) out_.contradiction = "record " + std::to_string(seq.number()) + " stands twice";
    return table.size() <= kMaxRows || wrong("the report has too many rows");
  }

  bool scalar(const std::string& key, const Value& value) {
    if (key == "format") format_ = value.text();
    if (key == "redaction") out_.is_redacted = value.is_object() && value.at("applied").flag();
    if (key == "verification") {
      out_.is_verified = value.at("verified").flag();
      for (const Value& verdict : value.at("verdicts").items()) {
        if (out_.is_verified && verdict.text_at("result") == "fail") out_.contradiction = "verified, with the verdict " + printable(verdict.text_at("name"), 40) + " failed";
      }
      if (out_.is_verified && value.at("exit").number() == 1) out_.contradiction = "verified, with the exit status 1";
      for (const Value& verdict : value.at("verdicts").items()) out_.verdicts.emplace_back(verdict.text_at("name"), verdict.text_at("result"));
      out_.pin = value.text_at("pin");
    }
    if (key == "population") {
      out_.population = text_of(value.at("rows"));
      out_.population_sha256 = value.text_at("sha256");
    }
    if (key == "completeness") {
      out_.open_at_start = text_or_null(value, "open_at_start");
      out_.open_at_end = text_or_null(value, "open_at_end");
      out_.open_at_last = text_or_null(value, "open_at_last_record");
      for (const Value& type : value.at("records").items()) {
        if (!listed(type, "first", out_.record_types)) return false;
      }
    }
    if (key == "summary") {
      out_.exceptions_stated = text_of(value.at("exceptions"));
      const Value& figures = value.at("period");
      for (std::size_t i = 0; figures.is_object() && i < figures.size(); ++i) out_.figures.emplace_back(figures.keys()[i], text_of(figures.items()[i]));
      const Value& before = value.at("previous_period");
      for (std::size_t i = 0; before.is_object() && i < before.size(); ++i) out_.figures_before.emplace_back(before.keys()[i], text_of(before.items()[i]));
    }
    if (key == "coverage") out_.is_current = value.at("period").has("covered_ms");
    if (key == "definition") {
      const auto from = instant_ms(value.text_at("from"));
      const auto until = instant_ms(value.text_at("until"));
      if (!from || !until) return wrong("the report's period has no beginning or end");
      out_.from_ms = *from;
      out_.until_ms = *until;
      out_.period = value.text_at("period");
      out_.zone = value.text_at("zone");
    }
    if (key == "source") {
      const auto root = Digest::from_base64(value.text_at("root"));
      const Value& size = value.at("size");
      if (!root || !size.is_integer() || size.number() < 1 || !is_origin(value.text_at("origin"))) return wrong("the report's source is malformed");
      out_.origin = value.text_at("origin");
      out_.root = *root;
      out_.checkpoint = value.text_at("checkpoint");
      out_.size = static_cast<std::uint64_t>(size.number());
    }
    return true;
  }

  JsonTextReader reader_;
  ReportClaims out_;
  std::size_t fields_ = 0;
  std::string format_;
  std::string fault_;
};

}  // namespace

const Value& ReportClaims::part(std::string_view key) const {
  static const Value none;
  const auto at = parts.find(key);
  return at == parts.end() ? none : at->second;
}

const std::vector<Value>& ReportClaims::list(std::string_view key) const {
  static const std::vector<Value> none;
  const auto at = lists.find(key);
  return at == lists.end() ? none : at->second;
}

std::string report_path(const std::string& name) {
  struct stat st {};
  if (name == "-" || ::stat(name.c_str(), &st) != 0 || !S_ISDIR(st.st_mode)) return name;
  return name + "/report.json";
}

Result<ReportClaims> parse_report(std::string_view bytes) { return ClaimsReader(bytes).read(); }

}  // namespace ethos::verify
