// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "reports/control_judge.h"
#include "reports/html_parts.h"
#include "reports/words.h"

namespace ethos::reports {
namespace {

void put_ids(Html& html, const ControlKind& kind) {
  std::map<std::string, std::vector<const ControlId*>> by_framework;
  for (const ControlId& control : kind.controls)
    by_framework[control.framework].push_back(&control);
  html.raw("<ul class=\"plain\">");
  for (const auto& [framework, controls] : by_framework) {
    html.raw("<li><small>").text(framework).raw(":</small> ");
    for (std::size_t i = 0; i < controls.size(); ++i) {
      if (i != 0) html.raw(", ");
      html.raw("<span class=\"nw\">").text(controls[i]->id).raw("</span>");
      if (!controls[i]->condition.empty())
        html.raw(" <small>(").text(controls[i]->condition).raw(")</small>");
    }
    html.raw("</li>");
  }
  html.raw("</ul>");
}

void put_row(const Page& page, const ControlState& row) {
  const ControlKind& kind = page.model.control_map.kinds[row.kind];
  Html& html = page.html;
  html.raw("<tr><th scope=\"row\">")
      .text(kind.title)
      .raw("</th><td><span class=\"long\"><strong")
      .attribute("class", "c-" + std::string(name_of(row.state)));
  html.raw(">")
      .raw(shown_symbol(row.state))
      .text(label_of(row.state))
      .raw("</strong><br>")
      .text(row.statement);
  if (!row.missing.empty()) html.raw("<br><small>missing: ").text(row.missing).raw("</small>");
  for (const Ref& ref : row.evidence) {
    html.raw("<br>");
    put_ref(html, ref);
  }
  const bool is_there =
      row.state == Shown::shown || row.state == Shown::recorded || row.state == Shown::partly;
  html.raw("</span></td><td><span class=\"long\">")
      .text(says_text(row, kind))
      .raw("</span></td><td><span class=\"long\">")
      .text(is_there ? std::string_view(kind.does_not_show) : std::string_view("–"));
  html.raw("</span></td><td><span class=\"long\">");
  put_ids(html, kind);
  html.raw("</span></td></tr>\n");
}

}  // namespace

void put_controls(const Page& page) {
  const Model& model = page.model;
  Html& html = page.html;
  html.raw(
      "<section id=\"controls\"><h2>Evidence by control</h2>\n<p>What there is in the period of "
      "each kind of evidence, and which controls "
      "that kind <em>bears on</em>. No control is called met: that judgement is the reader's. "
      "Map ");
  put_code(html, model.control_map.id + " " + model.control_map.version);
  html.raw(", ");
  put_code(html, model.control_map.digest);
  html.raw(
      "; <code>--controls FILE</code> replaces it.</p>\n"
      "<ul class=\"legend\"><li><span class=\"sym\">◆</span>shown: by the kernel or by a "
      "measurement</li><li><span class=\"sym\">◇</span>recorded: written down, and nothing else "
      "says so</li><li><span class=\"sym\">◈</span>in part: what is missing is named</li><li><span "
      "class=\"sym\">□</span>no such event recorded</li><li><span class=\"sym\">∅</span>absent or "
      "not recorded</li><li><span class=\"sym\">✗</span>contradicted by the "
      "verifier</li></ul>\n");
  open_table(
      html,
      {"",
       "Records named here are examples, not all. Says: what the evidence of this period says; "
       "nothing, where there is none (□, ∅) or the verifier contradicts it (✗).",
       "",
       {{"Kind of evidence"}, {"State in the period"}, {"Says"}, {"Does not say"}, {"Bears on"}}});
  for (const ControlState& row : model.controls) put_row(page, row);
  close_table(html);
  html.raw("</section>\n");
}

}  // namespace ethos::reports
