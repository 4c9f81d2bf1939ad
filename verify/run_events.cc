// SPDX-License-Identifier: Apache-2.0
// Checked as they come, all of them: only the first events of a run are kept.
#include "verify/run_events.h"

#include <algorithm>

#include "verify/encoding.h"
#include "verify/forms.h"
#include "verify/policy_path.h"
#include "verify/view.h"

namespace ethos::verify {

namespace {

// E-14: what must have been live for a source of limits to tell anything; "" when it is no such thing.
std::string_view live_source(std::string_view source) {
  if (source == "timer") return "timer";
  if (source == "byte_counter") return "output_counter";
  return source == "memory.events" || source == "pids.events" || source == "cpu.stat" || source == "io.stat" ? "cgroup_events" : "";
}

void check_live(const Envelope& e, std::string_view source, RunEvidence& run, Findings& findings) {
  const Value& live = run.enforced.at("sources");
  const bool is_live = std::any_of(live.items().begin(), live.items().end(), [&](const Value& v) { return v.text() == source; });
  if (source.empty() || is_live || run.has_foreign) return;
  run.report({.code = Code::contradiction, .seq = e.seq, .expected = std::string(source), .found = printable(encode_canonical(live), 200),
              .text = "a source speaks that was not live in this run"}, findings);
}

// A path as it can be compared: opened where it was committed to.
struct Place {
  Value path;
  bool is_closed = false;  // not disclosed
  bool is_path = true;     // what it opened to
};

Place place(const Value& recorded, const PathOpener& open) {
  if (!recorded.has("commit")) return {.path = recorded};
  const auto plain = open(recorded.at("commit"));
  if (!plain) return {.path = recorded, .is_closed = true};
  Value opened = make_path(recorded.text_at("base"), *plain);
  const bool is_path = plain_path(View(encode_canonical(opened)));
  return {.path = std::move(opened), .is_path = is_path};
}

// The write grants of a run, opened when the first file comes out.
const std::vector<Value>& write_grants(RunEvidence& run, const PathOpener& open) {
  if (run.write_grants) return *run.write_grants;
  run.write_grants.emplace();
  for (const Value& grant : run.grants()) {
    if (grant.text_at("cap") != "fs.write") continue;
    Value opened = grant;
    opened.set("path", place(grant.at("path"), open).path);
    run.write_grants->push_back(std::move(opened));
  }
  return *run.write_grants;
}

}  // namespace

void check_limit(const Envelope& e, RunEvidence& run, Findings& findings) {
  const View body(e.body);
  check_live(e, live_source(body.at("source").raw()), run, findings);
  const std::string name = body.at("limit").text();
  run.limits_hit.insert(name);
  if (body.at("source").raw() == "timer") run.timer_ms = parse_decimal(body.at("observed").raw()).value_or(0);
  if (body.at("source").raw() == "byte_counter") run.counted_bytes = parse_decimal(body.at("observed").raw()).value_or(0);
  if (body.at("action").raw() == "killed") {
    run.limits_killed.insert(name);
    run.killers.insert(body.at("source").text());
  }
  const std::vector<Value>& grants = run.grants();
  const auto granted = std::find_if(grants.rbegin(), grants.rend(), [&](const Value& grant) {
    return grant.text_at("cap") == "limit" && grant.text_at("name") == name;
  });
  const std::string_view by = body.at("enforced_by").raw();
  const auto has_value = [&] {
    const std::string& wanted = granted->text_at("value");
    // The kernel rounds the sizes of layers up.
    if (by == "tmpfs") return parse_decimal(body.at("value").raw()).value_or(0) >= parse_decimal(wanted).value_or(0);
    return wanted == body.at("value").raw();
  };
  const bool fits = granted != grants.rend() && granted->text_at("enforced_by") == by && has_value();
  if (fits || run.has_foreign) return;
  run.report({.code = Code::contradiction, .seq = e.seq, .expected = "a limit as it was granted", .found = name,
              .text = "a limit was reached that was not granted so"}, findings);
}

// E-15.
void check_output(const Envelope& e, RunEvidence& run, Findings& findings) {
  const View body(e.body);
  const std::uint64_t bytes = parse_decimal(body.at("bytes").raw()).value_or(0);
  run.output_bytes += std::min(bytes, UINT64_MAX - run.output_bytes);
  if (body.at("truncated").source() == "true") run.truncated_seq = e.seq;
  if (run.streams.insert(body.at("stream").text()).second || run.has_foreign) return;
  run.report({.code = Code::contradiction, .seq = e.seq, .found = body.at("stream").text(), .text = "one stream of output was captured twice"}, findings);
}

void check_artifact(const Envelope& e, const PathOpener& open, RunEvidence& run, Findings& findings) {
  const auto body = parse_canonical(e.body, kRecordLimits);
  if (!body || run.has_foreign) return;
  const Place grant = place(body->at("grant"), open);
  const Place path = place(body->at("path"), open);
  const bool is_deleted = body->text_at("action") == "deleted";
  const auto refuse = [&](Code code, const char* text) {
    run.report({.code = code, .seq = e.seq, .expected = printable(encode_canonical(grant.path), 300),
                .found = printable(encode_canonical(path.path), 300), .text = text}, findings);
  };
  if (!grant.is_path || !path.is_path) return refuse(Code::grant_mismatch, "a file was brought out at what is no path");
  if (run.open.text_at("origin") == "learn") return refuse(Code::contradiction, "a run of `ethos-run learn` brings nothing out");
  bool is_granted = false;
  bool may_delete = false;
  bool is_sure = false;
  for (const Value& g : write_grants(run, open)) {
    // Of two of which one is not disclosed nobody knows here whether they are the same.
    const bool is_open = !grant.is_closed && !g.at("path").has("commit");
    const bool is_it = is_open ? g.at("path") == grant.path
                               : grant.path.text_at("base") == g.at("path").text_at("base");
    if (!is_it) continue;
    // A directory's files come out of its layer, a file itself is replaced.
    const bool is_staged = g.at("staged").flag();
    const bool is_told = is_open && !path.is_closed;
    const bool is_there = is_told ? (is_staged ? strictly_within(text_of(path.path), text_of(grant.path)) : path.path == grant.path)
                                  : path.path.text_at("base") == g.at("path").text_at("base");
    const bool fits = is_there && (is_staged || body->text_at("action") == "replaced");
    if (fits && is_staged && run.staged_seq < 0) run.staged_seq = e.seq;
    is_granted = is_granted || fits;
    is_sure = is_sure || (fits && is_told);
    may_delete = may_delete || (fits && g.at("delete").flag());
  }
  if (!is_granted) return refuse(Code::grant_mismatch, "a file was brought out that no write grant covers");
  if (is_deleted && !may_delete) return refuse(Code::grant_mismatch, "a file was deleted under a grant that allows no deleting");
  run.has_closed_artifacts = run.has_closed_artifacts || !is_sure;
  if (!path.is_closed) run.artifacts.add(e.seq, path.path, is_deleted, body->text_at("type") == "directory");
}

void check_size(const Envelope& e, DigestSizes& sizes, RunEvidence& run, Findings& findings) {
  const View body(e.body);
  const auto digest = Digest::from_text(body.at("sha256").raw());
  const auto size = parse_decimal(body.at("size").raw());
  if (!digest || !size || sizes.agrees(*digest, *size)) return;
  run.report({.code = Code::contradiction, .seq = e.seq, .expected = "the size that it has in an earlier record", .found = std::to_string(*size),
              .text = "one digest of a file that was brought out has two sizes"}, findings);
}

namespace {

// As the writer comes to them.
enum Stage { kRuns, kGaps, kCommit, kUnread, kHidden, kStdout, kStderr, kFiles, kPrograms };

constexpr std::uint64_t kMostDenials = 4096;  // that it has room for

Stage stage_of(const Envelope& e) {
  const View body(e.body);
  if (e.type == RecordType::output_captured) return body.at("stream").raw() == "stdout" ? kStdout : kStderr;
  if (e.type == RecordType::artifact_exported) return kFiles;
  // A quotation mark inside a text is written in another way.
  if (e.type == RecordType::sandbox_denial && e.body.find(R"("phase":"commit")") != std::string_view::npos) return kCommit;
  if (e.type != RecordType::run_gap) return kRuns;
  const std::string_view reason = body.at("reason").raw();
  if (reason == "artifact_unread") return kUnread;
  return reason == "programs" ? kPrograms : reason == "not_hidden" ? kHidden : kGaps;
}

}  // namespace

void check_stage(const Envelope& e, RunEvidence& run, Findings& findings) {
  const auto refuse = [&](const char* text, const char* expected) {
    if (run.has_foreign) return;
    run.report({.code = Code::contradiction, .seq = e.seq, .expected = expected, .found = std::string(e.type_name), .text = text}, findings);
  };
  const int stage = stage_of(e);
  if (stage < run.stage) refuse("a record stands behind what the writer adds later", "what comes later at the end of a run");
  run.stage = std::max(run.stage, stage);
  if (e.type == RecordType::sandbox_denial && stage == kRuns && run.denial_records == kMostDenials + 1)
    refuse("more denials than a run has room for", "at most 4096, and a gap");
  if (e.type == RecordType::run_gap && !run.gap_reasons.insert(View(e.body).at("reason").text()).second)
    refuse("two gaps of one reason in one run", "one that counts all");
}

void check_audit(const Envelope& e, RunEvidence& run, Findings& findings) {
  const auto& sources = run.enforced.at("sources").items();
  const bool is_live = std::any_of(sources.begin(), sources.end(), [](const Value& s) { return s.text() == "landlock_audit"; });
  if (is_live || run.has_foreign) return;
  run.report({.code = Code::contradiction, .seq = e.seq, .expected = "landlock_audit among the live sources", .found = std::string(e.type_name),
              .text = "told by a source that was not live"}, findings);
}

namespace {

// What the kernel told of files, files that could not be read, and places that nothing hid tell
// nothing of programs: beside them the start of the tool was seen.
bool can_hide_a_start(std::string_view reason) {
  return reason != "not_hidden" && reason != "artifact_unread" && reason != "audit_lost" && reason != "audit_cut";
}

}  // namespace

void count_gap(const Envelope& e, RunEvidence& run, Findings& findings) {
  const View gap(e.body);
  const std::uint64_t lost = parse_decimal(gap.at("lost").raw()).value_or(0);
  const std::string_view reason = gap.at("reason").raw();
  ++run.gaps;
  run.has_flood = run.has_flood || reason == "flood" || reason == "audit_lost";
  run.has_flood_gap = run.has_flood_gap || reason == "flood";
  run.lost_artifacts = run.lost_artifacts || reason == "artifact_unread";
  if (reason == "programs") {
    ++run.program_gaps;
    run.unlisted_programs += std::min(lost, UINT64_MAX - run.unlisted_programs);
  }
  run.lost_view = run.lost_view || reason == "mask_lost" || reason == "source_lost";
  if (gap.at("source").raw() == "landlock_audit") check_audit(e, run, findings);
  if (reason == "not_hidden") {
    ++run.hide_gaps;
    run.not_hidden += std::min(lost, UINT64_MAX - run.not_hidden);
  }
  if (can_hide_a_start(reason)) ++run.start_gaps;
  // A program that started was not refused, and what nothing hides is read without being refused.
  if (reason != "programs" && reason != "not_hidden") run.lost_acts += std::min(lost, UINT64_MAX - run.lost_acts);
}

}  // namespace ethos::verify
