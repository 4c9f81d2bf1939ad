// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "reports/html_parts.h"
#include "reports/limit_forms.h"
#include "reports/svg_chart.h"
#include "reports/text.h"
#include "reports/unwatched.h"
#include "reports/withheld.h"
#include "reports/words.h"

namespace ethos::reports {
namespace {

void put_counted(const Page& page, Markup caption, Markup head,
                 const std::vector<CountedName>& rows,
                 std::string (*label)(std::string_view) = nullptr) {
  Html& html = page.html;
  html.raw(
          "<div class=\"scroll\" tabindex=\"0\" role=\"group\" "
          "aria-label=\"Table\"><table><caption>")
      .raw(caption)
      .raw("</caption><thead><tr><th scope=\"col\">")
      .raw(head);
  html.raw(
      "</th><th scope=\"col\" class=\"n\">Runs</th><th scope=\"col\">First run opened "
      "by</th></tr></thead><tbody>\n");
  for (const CountedName& row : rows) {
    html.raw("<tr><th scope=\"row\">");
    const std::string& name = page.model.text(row.name);
    if (label != nullptr && label(name) != name) html.text(label(name)).raw("<br>");
    put_code(html, name.empty() ? "(not recorded)" : name);
    html.raw("</th><td class=\"n\">").number(row.runs).raw("</td><td>");
    if (row.first) put_ref(html, *row.first);
    html.raw("</td></tr>\n");
  }
  close_table(html);
}

RangeChart key_chart(const Model& model) {
  RangeChart chart{"chart-keys", "Keys, period and clock steps along the ledger", "", 1, {}, {}};
  chart.size = static_cast<std::uint64_t>(std::max<std::int64_t>(1, model.source.size));
  constexpr std::size_t kMostEpochs = 12;
  const std::size_t skip =
      model.epochs.size() > kMostEpochs ? model.epochs.size() - kMostEpochs : 0;
  for (std::size_t i = skip; i < model.epochs.size(); ++i) {
    const KeyEpoch& epoch = model.epochs[i];
    chart.ranges.push_back(
        {"key epoch " + std::to_string(epoch.epoch), epoch.first_seq, epoch.last_seq, false});
  }
  if (!model.runs.empty()) {
    std::uint64_t last = model.runs.back().opened.seq;
    for (const Run& run : model.runs) last = std::max(last, run.last.seq);
    chart.ranges.push_back({"runs of the period", model.runs.front().opened.seq, last, true});
  }
  for (const LedgerEvent& event : model.events) {
    if (chart.marks.size() == 100) break;
    chart.marks.push_back(
        {event.kind + ", record " + std::to_string(event.ref.seq), event.ref.seq});
  }
  const auto plural = [](std::size_t count, const char* one, const char* many) {
    return std::to_string(count) + (count == 1 ? one : many);
  };
  chart.description = plural(model.epochs.size(), " key epoch, ", " key epochs, ") +
                      plural(model.events.size(), " mark", " marks") +
                      " for clock steps, revocations, erasures, holds and time stamps.";
  return chart;
}

}  // namespace

void put_weaker(const Page& page) {
  const Model& model = page.model;
  Html& html = page.html;
  html.raw("<section id=\"weaker\"><h2>Strength of enforcement</h2>\n");
  if (model.now.started == 0) {
    html.raw("<p>")
        .text(model.runs.empty() ? empty_period_text() : "No tool was started.")
        .raw("</p></section>\n");
    return;
  }
  html.raw("<p>Of ")
      .number(model.now.started)
      .raw(" runs in a cage, ")
      .number(model.now.runs_with_weaker);
  html.raw(" had a weaker form: ");
  html.text(weaker_meaning());
  html.raw(
      ". No cgroup held it, and the declaration, or the default of that limit, allows the form "
      "named "
      "here. ethos-run takes a cgroup where it can get one; why it got none is not recorded. "
      "Weaker "
      "is not absent: the limit was in force in the form named.</p>\n");
  if (!model.weaker.empty()) {
    put_counted(
        page,
        "A cgroup counts the whole cage in the kernel. Memory by rlimit: the kernel refuses "
        "each process by itself what is beyond it, the supervisor looks at all of them "
        "together and ends the run when they have more. Processes: the kernel refuses each "
        "start beyond the limit (RLIMIT_NPROC, of all processes of the run), and the "
        "supervisor looks ten times a second, without being told of a refusal.",
        "Limit, by what", model.weaker, form_labels);
  }
  put_counted(page,
              "Sensors that were live. A run without denials says something only about the acts "
              "these can see.",
              "Sensor", model.sensors, sensor_label);
  put_counted(
      page,
      "What was observed: of which refused calls ethos-run was told, so that there is a record. "
      "The cage is built to refuse what was not observed all the same, without one. What that is "
      "in each case stands below.",
      "Observation", model.observe, observation_label);
  html.raw("<p>").text(recorded_calls_text()).raw(" Never, under whatever observation: ");
  html.text(unrecorded_calls_text()).raw("</p>\n");
  put_counted(page, "Kernels the runs had.", "Kernel", model.kernels);
  put_counted(page, "Versions of ethos-run.", "Version", model.products);
  put_counted(page, "Where declarations came from, and who can change them.", "Origin",
              model.origins, origin_label);
  html.raw("<p>").text(ceiling_text(model)).raw("</p>\n");
  if (const std::string root = root_text(model); !root.empty())
    html.raw("<p>").text(root).raw("</p>\n");
  html.raw("</section>\n");
}

void put_keys(const Page& page) {
  const Model& model = page.model;
  Html& html = page.html;
  html.raw("<section id=\"keys\"><h2>Signers and keys</h2>\n<figure>");
  put_range_chart(html, key_chart(model));
  html.raw(
      "<figcaption>Record numbers from left to right. Lines mark what the table below "
      "lists.</figcaption></figure>\n");
  open_table(html, {"",
                    "Each key signs the checkpoints that end inside its range; the record that "
                    "names a new key is signed by both.",
                    "",
                    {{"Epoch", true},
                     {"Public key"},
                     {"Why"},
                     {"Since"},
                     {"From record", true},
                     {"To record", true},
                     {"Record"}}});
  for (const KeyEpoch& row : model.epochs) {
    html.raw("<tr><th scope=\"row\" class=\"n\">")
        .number(row.epoch)
        .raw("</th><td><span class=\"long\">");
    put_code(html, row.vkey);
    html.raw("</span></td><td>").text(row.reason).raw("</td><td>");
    put_time(page, row.at_ms);
    html.raw("</td><td class=\"n\">")
        .number(row.first_seq)
        .raw("</td><td class=\"n\">")
        .number(row.last_seq)
        .raw("</td><td>");
    put_ref(html, row.ref);
    html.raw("</td></tr>\n");
  }
  close_table(html);
  if (model.events.empty()) {
    html.raw(
        "<p>No revocation, erasure, legal hold, time stamp, seal or clock step is recorded in the "
        "whole ledger.</p></section>\n");
    return;
  }
  constexpr std::size_t kMostEvents = 500;
  const std::size_t shown = std::min(model.events.size(), kMostEvents);
  put_shown(html, shown, model.events.size(), "by record number", "report.json");
  open_table(html,
             {"",
              "Clock steps, revocations, erasures, legal holds, time stamps and seal of the whole "
              "ledger.",
              "",
              {{"Kind"}, {"What"}, {"When"}, {"In the period"}, {"Record"}}});
  for (std::size_t i = 0; i < shown; ++i) {
    const LedgerEvent& row = model.events[i];
    html.raw("<tr><td class=\"nw\">");
    put_code(html, row.kind);
    html.raw("</td><td>").text(row.text).raw("</td><td>");
    put_time(page, row.at_ms);
    html.raw("</td><td>").raw(row.in_period ? Markup("yes") : Markup("no")).raw("</td><td>");
    put_ref(html, row.ref);
    html.raw("</td></tr>\n");
  }
  html.raw("</tbody></table></div></section>\n");
}

void put_not_proved(const Page& page) {
  page.html.raw("<section id=\"not-proved\"><h2>What is not proved</h2>\n<ul>\n");
  for (const std::string& text : not_proved(page.model))
    page.html.raw("<li>").text(text).raw("</li>\n");
  page.html.raw("</ul></section>\n");
}

namespace {

void put_redactions(const Page& page) {
  const Model& model = page.model;
  Html& html = page.html;
  if (!model.redaction) {
    html.raw(
        "<p><strong>Redaction.</strong> No redaction policy was used: "
        "what the records show openly is not left out of this report.</p>\n");
    return;
  }
  html.raw("<p><strong>Redaction.</strong> ").text(redaction_text(model));
  html.raw(
      " A content digest is the SHA-256 of report.json without the line that names the other: ");
  put_code(html, "grep -v '^\"counterpart\"' report.json | sha256sum");
  html.raw("</p>\n");
  open_table(html, {"",
                    "What was withheld. Equal values have equal numbers.",
                    "",
                    {{"Field"}, {"Match"}, {"Reason"}, {"Values", true}, {"Places", true}}});
  for (const RedactionRule& rule : model.redaction->rules) {
    html.raw("<tr><td>").text(rule.field).raw("</td><td>");
    put_code(html, rule.match);
    html.raw("</td><td>").text(rule.reason).raw("</td><td class=\"n\">").number(rule.values);
    html.raw("</td><td class=\"n\">").number(rule.places).raw("</td></tr>\n");
  }
  close_table(html);
}

}  // namespace

void put_method(const Page& page) {
  const Model& model = page.model;
  Html& html = page.html;
  html.raw("<section id=\"method\"><h2>Method and glossary</h2>\n<p><strong>Query.</strong> ")
      .text(query_text(model))
      .raw("</p>\n");
  html.raw(
      "<p><strong>Names</strong> that tools chose (paths, arguments, addresses) are shown as "
      "recorded; characters that hide or reorder text are shown as "
      "escapes such as <b class=\"u\">\\u{202e}</b>.</p>\n");
  html.raw("<p><strong>Withheld.</strong> ").text(withheld_text(model)).raw("</p>\n");
  put_redactions(page);
  html.raw("<p><strong>Time.</strong> Wall clock of the host, shown in ")
      .text(model.zone.name())
      .raw(" (tzdata ")
      .text(model.tzdata)
      .raw(", file ");
  put_code(html, model.zone.digest());
  html.raw(
      "); UTC beside it or in the tooltip. On a day when the clock changes the abbreviation tells "
      "the two hours apart.</p>\n<dl>\n");
  for (const Term& term : glossary()) {
    html.raw("<dt><strong>")
        .text(term.word)
        .raw("</strong></dt><dd>")
        .text(term.meaning)
        .raw("</dd>\n");
  }
  html.raw("</dl></section>\n");
}

}  // namespace ethos::reports
