// SPDX-License-Identifier: Apache-2.0
#include "verify/report_rows.h"

#include <algorithm>
#include <set>

#include "verify/encoding.h"
#include "verify/report_grant.h"
#include "verify/times.h"

namespace ethos::verify {
namespace {

std::string number_of(const View& value) {
  if (value.is_integer()) return std::to_string(value.number());
  const auto number = value.is_string() ? parse_decimal(value.raw()) : std::nullopt;
  return std::to_string(number.value_or(0));
}

std::string text_or(const View& value, const char* other) { return value.is_string() ? value.text() : other; }

std::string truth(bool is) { return is ? "true" : "false"; }

std::string joined(const View& array) {
  std::string out;
  array.each_element([&](const View& one) {
    if (!out.empty()) out += ", ";
    out += text_or(one, "?");
    return true;
  });
  return out;
}

std::string weaker_text(const View& array) {
  std::string out;
  array.each_element([&](const View& one) {
    if (!out.empty()) out += ", ";
    out += text_or(one.at("limit"), "?") + " by " + text_or(one.at("by"), "?");
    return true;
  });
  return out;
}

constexpr const char* kCounted[] = {"weaker", "sensors", "observe", "kernels", "products", "origins"};

}  // namespace

void ReportRows::field(const std::string& id, const Run& run, const char* key, const std::string& expected, bool may_be_withheld) {
  const auto row = claims_.runs.find(run.opened);
  if (row == claims_.runs.end()) return;  // told once, by whoever compares the rows
  same_(run.opened, id, std::string("runs, ") + key, expected, report_field(row->second.fields, key), may_be_withheld);
}

void ReportRows::field_if(const std::string& id, const Run& run, const char* key, bool is_there, const std::string& expected, bool may_be_withheld) {
  if (is_there) return field(id, run, key, expected, may_be_withheld);
  const auto row = claims_.runs.find(run.opened);
  const std::string* const found = row == claims_.runs.end() ? nullptr : report_field(row->second.fields, key);
  if (found != nullptr) same_(run.opened, id, std::string("runs, ") + key, "nothing", found, false);
}

void ReportRows::field_told(const std::string& id, const Run& run, const char* key, bool is_there, const std::string& expected, bool may_be_withheld) {
  const auto row = claims_.runs.find(run.opened);
  const std::string* const found = row == claims_.runs.end() ? nullptr : report_field(row->second.fields, key);
  if (found == nullptr) return;
  same_(run.opened, id, std::string("runs, ") + key, is_there ? expected : "nothing", found, is_there && may_be_withheld);
}

void ReportRows::count(const char* table, const std::string& name, std::int64_t opened) {
  Name& row = names_[table][name];
  // Runs come in the order of their first records, their other records in any.
  row.first = row.runs++ == 0 ? opened : std::min(row.first, opened);
}

void ReportRows::on_record(const Envelope& e, const View& body) {
  if (e.type == RecordType::run_open) return on_open(e, body);
  const auto at = runs_.find(e.run);
  if (at == runs_.end()) return;
  at->second.last = e.seq;
  if (at->second.is_over) return;
  const std::string& id = at->first;
  Run& run = at->second;
  switch (e.type) {
    case RecordType::capability_grant: {
      const std::string_view cap = body.at("cap").raw();
      if (cap != "network" && cap != "git") break;
      (cap == "git" ? run.has_git : run.has_network) = true;
      field(id, run, cap == "git" ? "git" : "network", body.at("mode").text());
      break;
    }
    case RecordType::sandbox_enforced: on_enforced(id, run, body); break;
    case RecordType::output_captured:
      run.output_bytes += parse_decimal(number_of(body.at("bytes"))).value_or(0);
      run.is_truncated = run.is_truncated || body.at("truncated").source() == "true";
      break;
    case RecordType::run_close: on_close(id, run, e, body); break;
    case RecordType::run_abort:
      run.is_over = true;
      field(id, run, "ended", std::to_string(e.seq));
      field(id, run, "ended_at", utc_text(e.wall_ms));
      field(id, run, "ended_at_ms", std::to_string(e.wall_ms));
      break;
    default: break;
  }
}

void ReportRows::key_until(std::size_t place, std::uint64_t last) {
  const ReportClaims::Row* const row = place < claims_.keys.size() ? &claims_.keys[place] : nullptr;
  if (row != nullptr) same_(row->seq, "", "keys, last_seq", std::to_string(last), report_field(row->fields, "last_seq"), false);
}

// They stand in the order of the ledger.
void ReportRows::on_ledger(const Envelope& e, const View& body) {
  const bool is_key = e.type == RecordType::ledger_genesis || e.type == RecordType::key_epoch;
  const std::vector<ReportClaims::Row>& rows = is_key ? claims_.keys : claims_.events;
  std::size_t& next = is_key ? next_key_ : next_event_;
  const ReportClaims::Row* const row = next < rows.size() ? &rows[next++] : nullptr;
  const std::string what = is_key ? "keys, " : "events, ";
  const auto compare = [&](const char* key, const std::string& expected) {
    same_(e.seq, "", what + key, expected, row == nullptr ? nullptr : report_field(row->fields, key), false);
  };
  const std::string seq = row == nullptr ? "" : std::to_string(row->seq);
  same_(e.seq, "", what + "record", std::to_string(e.seq), row == nullptr ? nullptr : &seq, false);
  compare("at_ms", std::to_string(e.wall_ms));
  compare("at", utc_text(e.wall_ms));
  if (is_key) {
    compare("first_seq", std::to_string(e.seq));
    if (next > 1) key_until(next - 2, static_cast<std::uint64_t>(e.seq));
    compare("epoch", std::to_string(body.at("epoch").number()));
    compare("vkey", body.at("vkey").text());
    compare("reason", e.type == RecordType::ledger_genesis ? "genesis" : body.at("reason").text());
  } else {
    compare("kind", std::string(e.type_name));
    compare("in_period", truth(e.wall_ms >= claims_.from_ms && e.wall_ms < claims_.until_ms));
  }
}

void ReportRows::on_open(const Envelope& e, const View& body) {
  const auto [at, is_new] = runs_.try_emplace(std::string(e.run));
  if (!is_new) return;
  Run& run = at->second;
  const std::string& id = at->first;
  run.opened = run.last = e.seq;
  run.observe = body.at("observe").text();
  const std::string kernel = text_or(body.at("host").at("kernel"), "?") + " " + text_or(body.at("host").at("arch"), "?");
  const std::string origin = body.at("origin").text();
  const std::string product = body.at("product").text();
  field(id, run, "arguments", std::to_string(body.at("argc").number()));
  field(id, run, "origin", origin, true);
  field(id, run, "profile", body.at("profile").text(), true);
  field(id, run, "class", body.at("class").text());
  field(id, run, "observe", run.observe);
  field(id, run, "kernel", kernel, true);
  field(id, run, "product", product);
  const View revision = body.at("repository").at("revision");
  field_if(id, run, "revision", revision.exists(), revision.text(), true);
  const View uid = body.at("caller").at("uid");
  field_if(id, run, "caller_uid", uid.exists(), std::to_string(uid.number()), true);
  const View decision = body.at("decision");
  field_if(id, run, "decision", decision.exists(), report_decision_words(decision), true);
  const View source = body.at("source").at("c");
  field_told(id, run, "declaration_commitment", source.exists(), source.text(), true);
  const View exe = body.at("exe");
  field_if(id, run, "exe_sha256", exe.at("sha256").exists(), exe.at("sha256").text(), true);
  // A path that is committed or no text has a form of the report's own.
  const View path = exe.at("path");
  if (path.at("path").exists()) field(id, run, "exe", path.at("base").text() + ":" + path.at("path").text(), true);
  const View reader = exe.at("interpreter");
  field_told(id, run, "interpreter_sha256", reader.at("sha256").exists(), reader.at("sha256").text(), true);
  const View by = reader.at("path");
  if (by.at("path").exists()) field_told(id, run, "interpreter", true, by.at("base").text() + ":" + by.at("path").text(), true);
  // Names in them may be withheld, and a path that is no text has a form of the report's own.
  std::string chain;
  bool is_plain = !claims_.is_redacted;
  exe.at("interpreters").each_element([&](const View& one) {
    const View place = one.at("path");
    is_plain = is_plain && place.at("path").exists();
    chain += place.at("base").text() + ":" + place.at("path").text() + " " + one.at("sha256").text() + "\n";
    return true;
  });
  if (is_plain) field_told(id, run, "interpreters", !chain.empty(), chain, false);
  std::string ceilings;
  body.at("ceilings").each_element([&](const View& one) {
    ceilings += (ceilings.empty() ? "" : ", ") + text_or(one.at("name"), "?");
    return true;
  });
  field_told(id, run, "ceilings", !ceilings.empty(), ceilings, true);
  count("kernels", kernel, run.opened);
  count("products", product, run.opened);
  count("origins", origin, run.opened);
}

void ReportRows::on_enforced(const std::string& id, Run& run, const View& body) {
  run.has_enforced = true;
  field(id, run, "in_force", "true");
  field(id, run, "sources", joined(body.at("sources")));
  field(id, run, "weaker", weaker_text(body.at("weaker")));
  count("observe", run.observe, run.opened);
  body.at("sources").each_element([&](const View& one) {
    count("sensors", text_or(one, "?"), run.opened);
    return true;
  });
  body.at("weaker").each_element([&](const View& one) {
    count("weaker", text_or(one.at("limit"), "?") + " by " + text_or(one.at("by"), "?"), run.opened);
    return true;
  });
}

void ReportRows::on_close(const std::string& id, Run& run, const Envelope& e, const View& body) {
  run.is_over = run.has_close = true;
  const View exit = body.at("exit");
  const View usage = body.at("usage");
  const View down = body.at("teardown");
  field(id, run, "ended", std::to_string(e.seq));
  field(id, run, "ended_at", utc_text(e.wall_ms));
  field(id, run, "ended_at_ms", std::to_string(e.wall_ms));
  field_told(id, run, "not_executed", body.at("ended_by").raw() == "tool" && !exit.exists(), "true", false);
  field(id, run, "ended_by", body.at("ended_by").text());
  field(id, run, "duration_ms", std::to_string(body.at("duration_ms").number()));
  field_if(id, run, "exit_code", exit.at("code").exists(), std::to_string(exit.at("code").number()));
  field_if(id, run, "signal", exit.at("signal").exists(), std::to_string(exit.at("signal").number()));
  field(id, run, "status", std::to_string(body.at("status").number()));
  field(id, run, "limits_hit", joined(body.at("limits")));
  field_if(id, run, "program_starts", body.at("execs").exists(), number_of(body.at("execs").at("total")));
  field(id, run, "cpu_ms", std::to_string(usage.at("cpu_ms").number()));
  field(id, run, "max_rss_bytes", number_of(usage.at("max_rss_bytes")));
  field(id, run, "left_behind", truth(down.at("processes_left").number() != 0 || down.at("cgroup").raw() == "left"));
}

void ReportRows::compare_names() {
  for (const char* table : kCounted) {
    const auto claimed = claims_.counted.find(table);
    const auto& own = names_[table];
    const bool may_be_withheld = claims_.is_redacted && (std::string_view(table) == "kernels" || std::string_view(table) == "origins");
    if (claimed == claims_.counted.end()) {
      if (!own.empty()) same_(-1, "", table, std::to_string(own.size()) + " names", nullptr, false);
      continue;
    }
    const std::string rows = std::to_string(claimed->second.size());
    if (!may_be_withheld) same_(-1, "", std::string(table) + ", rows", std::to_string(own.size()), &rows, false);
    for (const ReportClaims::Row& row : claimed->second) {
      const std::string* const name = report_field(row.fields, "name");
      const auto found = own.find(name == nullptr ? std::string() : *name);
      const std::string what = std::string(table) + ", " + printable(name == nullptr ? std::string() : *name, 100);
      if (found == own.end()) {
        same_(-1, "", what, "no run", name, may_be_withheld);
        continue;
      }
      const std::string first = std::to_string(row.seq);
      same_(found->second.first, "", what + ", runs", std::to_string(found->second.runs), report_field(row.fields, "runs"), false);
      same_(found->second.first, "", what + ", first", std::to_string(found->second.first), &first, false);
    }
  }
}

void ReportRows::compare_types() {
  std::size_t matched = 0;
  std::set<std::string> seen;
  for (const ReportClaims::Row& row : claims_.record_types) {
    const std::string* const type = report_field(row.fields, "type");
    const auto own = types_.find(type == nullptr ? std::string() : *type);
    std::array<std::uint64_t, 4> n{};
    if (own != types_.end()) n = own->second;
    matched += own != types_.end() ? 1U : 0U;
    // A type of which there is none is a type all the same, and each stands there once.
    const bool is_type = own != types_.end() || (type != nullptr && record_type(*type) != RecordType::unknown);
    if (!is_type || !seen.insert(*type).second) same_(-1, "", "completeness, records, type", is_type ? "one row" : "a type of record", type, false);
    constexpr const char* kKeys[] = {"ledger", "period", "before", "after"};
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < n.size(); ++i) {
      same_(-1, "", "records of type " + printable(type == nullptr ? std::string() : *type, 60) + ", " + kKeys[i], std::to_string(n[i]),
            report_field(row.fields, kKeys[i]), false);
      total += n[i];
    }
    same_(-1, "", "records of a type, total", std::to_string(total), report_field(row.fields, "total"), false);
  }
  const std::string found = std::to_string(matched);
  same_(-1, "", "types of records that are there", std::to_string(types_.size()), &found, false);
}

void ReportRows::finish() {
  for (const auto& [id, run] : runs_) {
    if (!run.has_network) field(id, run, "network", "");
    if (!run.has_git) field(id, run, "git", "");
    if (!run.has_enforced) {
      field(id, run, "in_force", "false");
      field(id, run, "sources", "");
      field(id, run, "weaker", "");
    }
    field(id, run, "output_bytes", std::to_string(run.output_bytes));
    field(id, run, "output_truncated", truth(run.is_truncated));
    field_told(id, run, "last", true, std::to_string(run.last), false);
    for (const char* key : {"exit_code", "signal", "ended_by", "program_starts", "not_executed"}) {
      if (!run.has_close) field_if(id, run, key, false, "");
    }
    if (!run.has_close) {
      for (const char* key : {"duration_ms", "cpu_ms", "max_rss_bytes"}) field(id, run, key, "0");
      field(id, run, "status", "-1");
      field(id, run, "limits_hit", "");
      field(id, run, "left_behind", "false");
    }
    if (!run.is_over) {
      field_if(id, run, "ended", false, "");
      field_if(id, run, "ended_at", false, "");
      field_if(id, run, "ended_at_ms", false, "");
    }
  }
  if (next_key_ > 0) key_until(next_key_ - 1, claims_.size - 1);
  const std::string keys = std::to_string(claims_.keys.size());
  same_(-1, "", "keys, rows", std::to_string(next_key_), &keys, false);
  const std::string events = std::to_string(claims_.events.size());
  same_(-1, "", "events, rows", std::to_string(next_event_), &events, false);
  compare_names();
  compare_types();
}

}  // namespace ethos::verify
