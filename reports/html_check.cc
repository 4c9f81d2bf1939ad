// SPDX-License-Identifier: Apache-2.0
#include "reports/html_parts.h"
#include "reports/redo.h"
#include "reports/withheld.h"
#include "reports/words.h"

namespace ethos::reports {
namespace {

void put_verdict_table(const Page& page) {
  const Model& model = page.model;
  const Verdict& verdict = model.verdict;
  Html& html = page.html;
  html.raw(
          "<section id=\"check\"><h2>Verification transcript</h2>\n<div class=\"scroll\" "
          "tabindex=\"0\" role=\"group\" aria-label=\"Table\"><table><caption>What ethos-verify ")
      .text(verdict.verifier);
  html.raw(" answered; exit status ")
      .number(static_cast<std::int64_t>(verdict.exit))
      .raw(
          ". This report then read the same records again and got the same root "
          "hash. How many checkpoints and disclosed values this copy of the evidence carries is "
          "left out, so that a bundle of the ledger gives the same report.</caption><thead><tr><th "
          "scope=\"col\">Check</th><th scope=\"col\">Result</th><th "
          "scope=\"col\" class=\"n\">Checked</th><th scope=\"col\">What that "
          "says</th></tr></thead><tbody>\n");
  for (const Verdict::Check& check : verdict.checks) {
    html.raw("<tr><th scope=\"row\">")
        .text(verdict_label(check.name))
        .raw("</th><td")
        .attribute("class", is_qualified(model, check) ? "v-incomplete" : "v-" + check.result)
        .raw(">");
    html.raw(verdict_symbol(model, check))
        .text(verdict_word(model, check))
        .raw("</td><td class=\"n\">")
        .text(checked_text(check))
        .raw("</td><td>")
        .text(verdict_says(check))
        .text(check.name == "disclosure" ? ". " + disclosure_text(model) + "." : std::string())
        .raw("</td></tr>\n");
  }
  close_table(html);
  if (!verdict.problems.empty() || verdict.first_bad) {
    html.raw("<h3>Problems the verifier named</h3><ul>\n");
    if (verdict.first_bad) {
      html.raw("<li>first bad record ").number(verdict.first_bad->seq).raw(": ");
      put_code(html, verdict.first_bad->code);
      html.raw(" ").text(verdict.first_bad->text).raw("</li>\n");
    }
    for (const Verdict::Problem& problem : verdict.problems) {
      html.raw("<li>");
      put_code(html, problem.code);
      if (problem.seq >= 0) html.raw(" at record ").number(problem.seq);
      html.raw(": ").text(problem.text).raw("</li>\n");
    }
    html.raw("</ul>\n");
  }
}

void put_checkpoint(const Page& page) {
  const Model& model = page.model;
  Html& html = page.html;
  html.raw("<h3>The checkpoint</h3><pre data-copy>").text("").prepared("");
  // A note is lines of text; each is escaped by itself so that line ends stay line ends.
  std::string_view note = model.source.checkpoint;
  while (!note.empty()) {
    const auto end = note.find('\n');
    html.text(note.substr(0, end)).raw("\n");
    note = end == std::string_view::npos ? std::string_view() : note.substr(end + 1);
  }
  html.raw("</pre>\n");
}

void put_pin(const Page& page) {
  Html& html = page.html;
  html.raw("<li><strong>Your pin.</strong> ").text(pin_text()).raw("\n<dl class=\"facts\">");
  for (const PinPart& part : pin_parts(page.model)) {
    html.raw("<dt>").text(part.name).raw("</dt><dd>");
    put_code(html, part.value);
    html.raw("</dd>\n");
  }
  html.raw("</dl></li>\n");
}

void put_program(const Page& page) {
  const Model& model = page.model;
  Html& html = page.html;
  html.raw("<li><strong>Your verifier.</strong> ").text(verifier_source_text());
  html.raw("\n");
  open_table(
      html,
      {"",
       "Programs that had a part in this report. SHA-256 is of the file as it was "
       "run, with its debug information.",
       "",
       {{"Program"}, {"What it did"}, {"Version"}, {"Its digits are printed by"}, {"SHA-256"}}});
  for (const ProgramRow& row : program_rows(model)) {
    html.raw("<tr><th scope=\"row\">").text(row.name).raw("</th><td>").text(row.did);
    html.raw("</td><td>").text(row.version).raw("</td><td>");
    put_code(html, row.check);
    html.raw("</td><td><span class=\"long\">");
    put_code(html, row.digest);
    html.raw("</span></td></tr>\n");
  }
  close_table(html);
  html.raw("<p>")
      .text(same_program_text())
      .raw("</p>\n<p class=\"keep\">In the source tree:</p>\n<pre data-copy>");
  for (const std::string& command : verifier_build_commands()) {
    put_command(html, command);
    html.raw("\n");
  }
  html.raw("</pre></li>\n");
}

void put_steps(const Page& page) {
  const Model& model = page.model;
  Html& html = page.html;
  html.raw(
      "<li><strong>The evidence</strong>, from whoever made this report: the ledger, or a bundle "
      "of the whole of it, and the "
      "directory of this report. A ledger is several files at rest (<code>ledger.db</code> and "
      "<code>ledger.db-wal</code>): a copy of the first alone is an older "
      "state.</li>\n<li><strong>The "
      "commands.</strong> ");
  html.text(placeholders_text()).raw(".\n<ol>\n");
  for (const RedoStep& step : redo_steps(model)) {
    html.raw("<li>").text(step.what).raw(":\n<pre data-copy>");
    put_command(html, step.command);
    html.raw("\n</pre>\n<small>A good answer: exit status <strong>")
        .number(static_cast<std::int64_t>(step.status))
        .raw("</strong> (<code>echo $?</code>), ")
        .text(step.is_each_line ? "each line ends in" : "last line:")
        .raw(" </small>");
    put_code(html, step.answer);
    html.raw("<br><small>A bad answer: ").text(step.bad).raw(".</small>");
    html.raw("</li>\n");
  }
  html.raw("</ol></li>\n</ol>\n<p>")
      .text(maker_program_text())
      .raw("</p>\n<p>")
      .text(asked_text(model))
      .raw("</p>\n<p>LEDGER may have grown since: only its first ")
      .number(model.source.size)
      .raw(
          " records count. With a bundle of it (<code>--bundle BUNDLE</code> in place of "
          "<code>--ledger LEDGER</code>) the same records and options give the same bytes too; for "
          "ethos-verify put the checkpoint above into a file and say <code>--at FILE</code>. To "
          "open what a record commits to (command line, declaration), with your verifier alone, "
          "as far as the evidence still keeps it: ");
  put_code(html, open_command(model));
  html.raw(" (the first record of a run). To look at one record's bytes: ");
  put_code(html, show_command(model));
  html.raw(
      " (from its number to the next one) prints the exact bytes; SHA-256 over one zero byte and "
      "these bytes is the leaf hash whose "
      "start stands beside each #number. A program of another version may word or count "
      "differently: then the files differ, and ethos-verify --report says whether the figures "
      "still follow from the records.</p>\n");
}

}  // namespace

void put_check(const Page& page) {
  put_verdict_table(page);
  put_checkpoint(page);
  page.html.raw(
      "<h3 id=\"again\">Do it again, without us</h3>\n<p>You need three things. Two must come on "
      "another way than from whoever made this report: your pin and your verifier. The third, the "
      "evidence, only they can hand over, and it needs no trust: your verifier checks it against "
      "your pin. No network is used.</p>\n<ol class=\"again\">\n");
  put_pin(page);
  put_program(page);
  put_steps(page);
  page.html.raw("</section>\n");
}

}  // namespace ethos::reports
