// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "reports/html.h"
#include "reports/html_parts.h"
#include "reports/limit_forms.h"
#include "reports/limit_words.h"
#include "reports/programs.h"
#include "reports/text.h"
#include "reports/unwatched.h"
#include "reports/words.h"

namespace ethos::reports {
namespace {

// Which runs a page shows: all, or those with exceptions first when there are too many.
std::vector<std::uint32_t> chosen_runs(const Model& model, std::size_t most) {
  std::vector<std::uint32_t> order(model.runs.size());
  std::iota(order.begin(), order.end(), 0U);
  if (order.size() <= most) return order;
  std::stable_partition(order.begin(), order.end(),
                        [&](std::uint32_t i) { return is_deviating(model.runs[i]); });
  order.resize(most);
  std::sort(order.begin(), order.end());
  return order;
}

// Those with exceptions as far as they fit, and every one of the sample.
std::vector<std::uint32_t> detailed_runs(const Model& model, std::size_t most) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t i = 0; i < model.runs.size() && out.size() < most; ++i) {
    if (is_deviating(model.runs[i])) out.push_back(i);
  }
  // Of a short period every run is told whole.
  constexpr std::size_t kFewRuns = 40;
  if (model.runs.size() <= std::min(kFewRuns, most)) {
    out.resize(model.runs.size());
    std::iota(out.begin(), out.end(), 0U);
  }
  if (model.sample) out.insert(out.end(), model.sample->picks.begin(), model.sample->picks.end());
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

// A label and what the record says, on a line of its own.
void put_line(Html& html, Markup label, std::string_view value) {
  html.raw("<span class=\"line\"><span class=\"mute\">").raw(label).raw("</span> ");
  put_code(html, value);
  html.raw("</span>");
}

// Paths and whole digests: a page is read where nothing can hover, too.
void put_program(const Page& page, NameId path, NameId digest, NameId interpreter,
                 NameId interpreter_digest, const std::vector<Interpreter>& more, bool interprets) {
  const Model& model = page.model;
  Html& html = page.html;
  if (path != NameId::none) put_code(html, model.text(path));
  html.raw(" <span class=\"ref\">").text(digest_or_why(model, path, digest)).raw("</span>");
  if (interpreter != NameId::none) {
    html.raw("<span class=\"line\"><span class=\"mute\">read by ")
        .text(model.text(interpreter))
        .raw("</span> <span class=\"ref\">");
    html.text(digest_or_why(model, interpreter, interpreter_digest)).raw("</span></span>");
  }
  for (const Interpreter& one : more) {
    html.raw("<span class=\"line\"><span class=\"mute\">which is read by ")
        .text(model.text(one.path))
        .raw("</span> <span class=\"ref\">")
        .text(digest_or_why(model, one.path, one.digest))
        .raw("</span></span>");
  }
  if (interprets)
    html.raw("<span class=\"line mute\">interpreter: its script has no digest</span>");
}

void put_when(const Page& page, const Run& run) {
  Html& html = page.html;
  put_time(page, run.started_ms);
  html.raw("<span class=\"line\"><span class=\"mute\">to</span> ");
  if (run.ended) {
    put_time(page, run.ended_ms);
  } else {
    html.raw("no end recorded");
  }
  html.raw("</span>");
  if (run.state == RunState::closed)
    html.raw("<span class=\"line mute\">ran for ")
        .text(human_duration(run.duration_ms))
        .raw("</span>");
}

void put_ids(Html& html, const Run& run, bool has_details) {
  // With details, the deep link opens them; without, it points at the row.
  if (has_details) html.raw("<a").attribute("href", "#run-" + run.id).raw(">");
  html.text(run.id);
  if (has_details) html.raw("</a>");
  html.raw("<br>");
  put_ref(html, run.opened);
  if (run.ended) {
    html.raw("<span class=\"line\"><span class=\"mute\">ended</span> ");
    put_ref(html, *run.ended);
    html.raw("</span>");
  }
}

void put_rules(const Page& page, const Run& run) {
  const Model& model = page.model;
  Html& html = page.html;
  html.text(model.text(run.origin)).raw(", ").text(model.text(run.profile));
  if (run.ceilings != NameId::none) html.raw(", under ").text(model.text(run.ceilings));
  put_line(html, "SHA-256 of its file", declaration_file_words(model, run));
  put_line(html, "commitment", declaration_words(run));
  put_line(html, "revision",
           run.revision == NameId::none ? std::string_view("not recorded")
                                        : std::string_view(model.text(run.revision)));
}

void put_row(const Page& page, const Run& run, bool has_details) {
  const Model& model = page.model;
  Html& html = page.html;
  html.raw("<tr");
  if (!has_details) html.attribute("id", "run-" + run.id);
  html.raw("><td class=\"id\"");
  html.attribute("title", run.id).raw(">");
  put_ids(html, run, has_details);
  html.raw("</td><td>").text(model.text(run.tool));
  html.raw("<span class=\"line\"><span class=\"mute\">by user id</span> ")
      .text(caller_text(model, run))
      .raw("</span>");
  put_line(html, "command", shortened(command_words(model, run), 120));
  html.raw("</td><td class=\"wide\">");
  put_program(page, run.exe_path, run.exe_sha256, run.interpreter, run.interpreter_sha256,
              run.interpreters, run.interprets);
  html.raw("</td><td class=\"wide\">");
  put_rules(page, run);
  html.raw("</td><td>");
  put_when(page, run);
  html.raw("</td><td>").text(ending_text(model, run));
  if (run.ended && run.state != RunState::aborted)
    html.raw("<span class=\"line\"><span class=\"mute\">ethos-run</span> ")
        .text(status_text(model, run))
        .raw("</span>");
  html.raw("</td><td class=\"n\">").number(run.denied_acts);
  if (const std::string_view label = watch_label(model, run); !label.empty())
    html.raw("<span class=\"line mute\">").text(label).raw("</span>");
  html.raw("</td><td>");
  if (run.limits_hit != NameId::none)
    html.raw("limit records: ").text(limit_labels(model.text(run.limits_hit)));
  if (run.limits_hit != NameId::none && run.weaker != NameId::none) html.raw("<br>");
  if (run.weaker != NameId::none)
    html.raw("weaker: ").text(short_form_labels(model.text(run.weaker)));
  html.raw("</td><td class=\"n\">").number(std::uint64_t{run.exports}).raw("</td><td>");
  html.text(model.text(run.network)).raw("</td></tr>\n");
}

void put_fact(Html& html, Markup label, std::string_view value) {
  if (value.empty()) return;
  html.raw("<dt>").raw(label).raw("</dt><dd>").text(value).raw("</dd>\n");
}

void put_grants_of(const Page& page, const Run& run) {
  const Model& model = page.model;
  Html& html = page.html;
  const std::vector<GrantId>& set = model.grant_sets[run.grant_set];
  if (set.empty()) return;
  html.raw("<dt>").raw(run.enforced ? Markup("Had") : Markup("Asked for")).raw("</dt><dd>");
  html.raw("base runtime; ");
  for (std::size_t i = 0; i < set.size(); ++i) {
    const Grant& grant = model.grants[static_cast<std::size_t>(set[i])];
    if (i != 0) html.raw("; ");
    html.text(model.text(grant.cap)).raw(" ");
    put_code(html, shortened(model.text(grant.object), 200));
    if (grant.capability == Capability::limits)
      html.raw(" ").text(limit_figure(model.text(grant.object), grant.value));
    if (grant.detail != NameId::none) {
      html.raw(" (").text(grant.capability == Capability::limits
                              ? short_enforcer(model.text(grant.object), model.text(grant.detail))
                              : model.text(grant.detail));
      html.raw(")");
    }
  }
  html.raw("</dd>\n");
}

void put_details(const Page& page, std::uint32_t index,
                 const std::vector<const Exception*>& exceptions) {
  const Model& model = page.model;
  const Run& run = model.runs[index];
  Html& html = page.html;
  open_details(page)
      .attribute("id", "run-" + run.id)
      .raw("><summary>")
      .text(model.text(run.tool))
      .raw(", ");
  put_time(page, run.started_ms);
  html.raw(", ")
      .text(outcome_text(model, run))
      .raw("</summary><div class=\"inner\"><dl class=\"facts\">");
  html.raw("<dt>Run</dt><dd><code>").text(run.id).raw("</code></dd>\n");
  html.raw("<dt>Records</dt><dd>").text(run_records_text(run)).raw(" <span class=\"mute\">(");
  put_ref(html, run.opened);
  if (run.ended) {
    html.raw(" opened, ");
    put_ref(html, *run.ended);
    html.raw(" ended");
  }
  html.raw(")</span></dd>\n<dt>Opened</dt><dd>");
  put_time_both(page, run.started_ms);
  html.raw("</dd>\n");
  if (run.ended) {
    html.raw("<dt>Ended</dt><dd>");
    put_time_both(page, run.ended_ms);
    html.raw("</dd>\n");
  }
  put_fact(html, "Between them", span_text(run));
  put_fact(html, "The tool ended", ending_text(model, run));
  if (run.ended) put_fact(html, "Status of ethos-run", status_text(model, run));
  if (run.caller != NameId::none)
    put_fact(html, "Started by", "user id " + caller_text(model, run));
  put_fact(html, "Decision",
           run.decision == NameId::none ? "none recorded" : model.text(run.decision));
  put_fact(html, "Declaration",
           "origin " + model.text(run.origin) + ", profile " + model.text(run.profile) +
               (run.ceilings == NameId::none ? ", under no ceiling"
                                             : ", under " + model.text(run.ceilings)));
  put_fact(
      html, "Revision",
      run.revision == NameId::none
          ? std::string("not recorded")
          : std::string(
                "commit " + model.text(run.revision) +
                " of the workspace's Git data when the run was opened; whether the files differed "
                "from it is not recorded"));
  if (run.exe_path != NameId::none)
    put_fact(html, "Program",
             model.text(run.exe_path) + " " + model.text(run.exe_sha256) +
                 (run.interprets ? ": an interpreter, whose script has no digest here" : ""));
  if (run.interpreter != NameId::none)
    put_fact(html, "Read by",
             model.text(run.interpreter) + " " + model.text(run.interpreter_sha256));
  put_fact(html, "Which is read by", interpreters_text(model, run.interpreters));
  html.raw("<dt>Command line</dt><dd><span class=\"long\">");
  put_code(html, command_words(model, run));
  html.raw("</span></dd>\n");
  put_fact(html, "SHA-256 of the declaration's file", declaration_file_words(model, run));
  put_fact(html, "Commitment to the declaration", declaration_words(run));
  put_fact(html, "Host", model.text(run.kernel) + ", ethos-run " + model.text(run.product));
  put_grants_of(page, run);
  put_fact(html, "Held more weakly", form_labels(model.text(run.weaker)));
  put_fact(html, "Live sensors", model.text(run.sources));
  if (run.enforced) put_fact(html, "Watched", observation_label(model.text(run.observe)));
  if (run.state == RunState::closed) {
    put_fact(
        html, "Used",
        human_duration(run.duration_ms) + ", CPU " + human_duration(run.cpu_ms) +
            ", memory of the largest process " + human_bytes(run.max_rss_bytes) +
            " (resident, the kernel's figure at its end, of which a limit record may have been "
            "made, "
            "too), output " +
            human_bytes(run.output_bytes) +
            (run.program_starts ? ", program starts seen: " + std::to_string(*run.program_starts) +
                                      ", the tool's own among them"
                                : "") +
            (run.truncated ? " (truncated)" : ""));
  }
  html.raw("</dl>");
  if (!exceptions.empty()) html.raw("<ul>\n");
  for (const Exception* row : exceptions) {
    html.raw("<li><span")
        .attribute("class", "tag k-" + std::string(name_of(row->kind)))
        .raw(">")
        .text(label_of(*row))
        .raw("</span> ");
    if (!row->rule.empty())
      html.text(row->kind == ExceptionKind::limit ? limit_label(row->rule) : row->rule).raw(": ");
    put_code(html, row->tried);
    html.raw(" ").text(row->happened).raw(" ");
    put_ref(html, row->ref);
    html.raw("</li>\n");
  }
  html.raw(exceptions.empty() ? Markup("</div></details>\n") : Markup("</ul></div></details>\n"));
}

}  // namespace

namespace {

void put_programs(const Page& page) {
  const Model& model = page.model;
  Html& html = page.html;
  const std::size_t shown = std::min(model.programs.size(), page.limits.rows);
  html.raw("<h3 id=\"programs\">Programs by digest</h3>\n");
  put_shown(html, shown, model.programs.size(), "in the order of the ledger", "programs.csv");
  open_table(html, {"programs",
                    "",
                    std::string(program_rows_text()),
                    {{"Ran as tool"},
                     {"Program and SHA-256"},
                     {"Runs", true},
                     {"Started", true},
                     {"First opened"},
                     {"Last opened"}}});
  for (std::size_t i = 0; i < shown; ++i) {
    const ProgramUse& row = model.programs[i];
    html.raw("<tr><th scope=\"row\">").text(model.text(row.tool)).raw("</th><td class=\"wide\">");
    put_program(page, row.path, row.digest, row.interpreter, row.interpreter_digest,
                row.interpreters, row.interprets);
    html.raw("</td><td class=\"n\">").number(row.runs).raw("</td><td class=\"n\">");
    html.number(row.started).raw("</td><td>");
    put_time(page, row.first_ms);
    html.raw("<br>");
    put_ref(html, row.first);
    html.raw("</td><td>");
    put_time(page, row.last_ms);
    html.raw("<br>");
    put_ref(html, row.last);
    html.raw("</td></tr>\n");
  }
  close_table(html);
}

}  // namespace

void put_runs(const Page& page) {
  const Model& model = page.model;
  Html& html = page.html;
  html.raw("<section id=\"runs\"><h2>Runs</h2>\n");
  if (model.runs.empty()) {
    html.raw("<p>").text(empty_period_text()).raw("</p></section>\n");
    return;
  }
  put_programs(page);
  html.raw("<h3>Run by run</h3>\n");
  const std::vector<std::uint32_t> detailed = detailed_runs(model, page.limits.details);
  std::vector<bool> has_details(model.runs.size(), false);
  for (const std::uint32_t index : detailed) has_details[index] = true;
  const std::vector<std::uint32_t> order = chosen_runs(model, page.limits.run_rows);
  put_shown(html, order.size(), model.runs.size(),
            "runs with exceptions before others, in the order of the ledger", "runs.csv");
  open_table(html,
             {"run-rows",
              "In the order of the ledger. A linked run has details below. \"Reads not watched\": "
              "a refused read leaves no record there, so 0 is not \"none was tried\". ",
              std::string(run_columns_text()),
              {{"Run and records"},
               {"Tool, started by, command"},
               {"Program and SHA-256"},
               {"Declaration and revision"},
               {"Opened, ended, ran for"},
               {"How it ended: tool, status of ethos-run"},
               {"Refused acts", true},
               {"Limits"},
               {"Exports", true},
               {"Network"}}});
  for (const std::uint32_t index : order) put_row(page, model.runs[index], has_details[index]);
  close_table(html);
  if (!detailed.empty()) {
    std::vector<std::vector<const Exception*>> of_run(model.runs.size());
    for (const Exception& row : model.exceptions) of_run[row.run].push_back(&row);
    std::size_t deviating = 0;
    std::size_t shown = 0;
    for (std::uint32_t i = 0; i < model.runs.size(); ++i) {
      if (!is_deviating(model.runs[i])) continue;
      ++deviating;
      shown += has_details[i] ? 1U : 0U;
    }
    html.raw(detailed.size() == model.runs.size() ? Markup("<h3>Each run in detail</h3>\n")
             : model.sample ? Markup("<h3>Runs with exceptions, and the sample</h3>\n")
                            : Markup("<h3>Runs with exceptions</h3>\n"));
    put_shown(html, shown, deviating, "in the order of the ledger", "runs.csv");
    for (const std::uint32_t index : detailed) put_details(page, index, of_run[index]);
  }
  html.raw("</section>\n");
}

}  // namespace ethos::reports
