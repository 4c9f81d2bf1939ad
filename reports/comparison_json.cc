// SPDX-License-Identifier: Apache-2.0
#include "reports/comparison_json.h"

#include "reports/drift.h"
#include "reports/grant_compare.h"
#include "reports/json_parts.h"
#include "reports/words.h"

namespace ethos::reports {
namespace {

void put_point(std::string_view key, const GrantPoint& point, JsonOut& out) {
  out.key(key).open_object().member("words", point.words);
  if (!point.ledger.empty()) out.member("ledger", point.ledger);
  out.close_object();
}

void put_tool(const Model& model, const ComparedTool& row, JsonOut& out) {
  out.line().open_object().member("tool", model.text(row.tool));
  out.member("origin", model.text(row.origin)).member("state", name_of(row.state));
  put_ref(out, "before", row.from);
  put_ref(out, "record", row.to);
  put_ref(out, "since", row.since);
  if (row.since) put_time(out, "since_at", row.since_ms);
  out.member("approval", approval_text(row.decision, model));
  put_changes_json(model, row.changes, out);
  out.key("grants").open_list();
  for (const GrantId id : row.grants) {
    const Grant& grant = model.grants[static_cast<std::size_t>(id)];
    out.open_object().member("grant", model.text(grant.cap));
    out.member("value", grant_text(grant, model)).close_object();
  }
  out.close_list().close_object();
}

}  // namespace

void put_changes_json(const Model& model, const std::vector<GrantChange>& changes, JsonOut& out) {
  out.key("changes").open_list();
  for (const GrantChange& change : changes) {
    out.open_object().member("direction", name_of(change.direction));
    out.member("grant", model.text(change.cap)).member("from", grant_text(change.before, model));
    out.member("to", grant_text(change.after, model)).close_object();
  }
  out.close_list();
}

void put_comparison_json(const Model& model, JsonOut& out) {
  const GrantComparison& all = model.comparison;
  using State = ComparedTool::State;
  out.line().key("comparison").open_object();
  put_point("from", all.from, out);
  put_point("to", all.to, out);
  for (const State one : {State::same, State::changed, State::added, State::removed})
    out.member(name_of(one), all.count(one));
  out.member("has_first", all.has_first());
  out.member("widened", all.widened()).member("unapproved", all.unapproved());
  out.key("tools").open_list();
  for (const ComparedTool& tool : all.tools) put_tool(model, tool, out);
  out.line().close_list().close_object();
}

}  // namespace ethos::reports
