// SPDX-License-Identifier: Apache-2.0
#include "reports/drift_command.h"

#include "reports/comparison_json.h"
#include "reports/drift.h"
#include "reports/grant_compare.h"
#include "reports/json_out.h"
#include "reports/text.h"
#include "reports/words.h"

namespace ethos::reports {
namespace {

std::string point_text(const GrantPoint& point) {
  return point.words + (point.ledger.empty() ? "" : " (" + visible(point.ledger) + ")");
}

std::string change_text(const GrantChange& change, const Model& model) {
  const std::string before = visible(grant_text(change.before, model));
  const std::string after = visible(grant_text(change.after, model));
  std::string out = std::string(name_of(change.direction)) + " " + model.text(change.cap) + ": ";
  if (before.empty()) return out + "added " + after;
  if (after.empty()) return out + "removed " + before;
  return out + before + " -> " + after;
}

}  // namespace

void write_drift_text(const Model& model, Sink& sink) {
  const GrantComparison& all = model.comparison;
  using State = ComparedTool::State;
  sink.write("From " + point_text(all.from) + "\nto   " + point_text(all.to) + "\n");
  for (const ComparedTool& tool : all.tools) {
    if (tool.state == State::same) continue;
    sink.write("\n" + visible(model.text(tool.tool)) + " (" + visible(model.text(tool.origin)) +
               "): " + std::string(name_of(tool.state)) + "\n");
    for (const GrantChange& change : tool.changes)
      sink.write("  " + change_text(change, model) + "\n");
    if (!tool.grants.empty())
      sink.write("  given: " + visible(given_text(tool.grants, model)) + "\n");
    if (tool.since) {
      sink.write("  since " + utc_ms_text(tool.since_ms) + " [" + ref_text(*tool.since) +
                 "], approval: " + visible(approval_text(tool.decision, model)) + "\n");
    }
    if (tool.from) sink.write("  before: [" + ref_text(*tool.from) + "]\n");
  }
  sink.write("\n" + std::to_string(all.count(State::same)) + " the same, " +
             std::to_string(all.count(State::changed)) + " changed (" +
             std::to_string(all.widened()) + " widened), " +
             std::to_string(all.count(State::added)) + " new, " +
             std::to_string(all.count(State::removed)) +
             " gone; without an approval: " + std::to_string(all.unapproved()) + "\n");
}

void write_drift_json(const Model& model, Sink& sink) {
  JsonOut out(sink);
  out.open_object().member("format", "ethos-drift/1").member("generator", model.generator);
  out.line().member("verified", model.verified).member("reason", model.unverified_reason);
  out.member("origin", model.source.origin).member("size", model.source.size);
  out.member("root", model.source.root).member("pin", model.verdict.pin_fingerprint);
  put_comparison_json(model, out);
  out.line().close_object();
  out.flush();
  sink.write("\n");
}

}  // namespace ethos::reports
