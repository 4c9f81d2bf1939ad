// SPDX-License-Identifier: Apache-2.0
#include "reports/markdown.h"

#include <algorithm>
#include <vector>

#include "reports/coverage.h"
#include "reports/drift.h"
#include "reports/grant_compare.h"
#include "reports/limit_forms.h"
#include "reports/redo.h"
#include "reports/tally_rows.h"
#include "reports/text.h"
#include "reports/words.h"

namespace ethos::reports {
namespace {

constexpr std::size_t kMaxCell = 200;

std::string code(std::string_view text) { return markdown_code(shortened(text, kMaxCell)); }
std::string words(std::string_view text) { return markdown_text(shortened(text, kMaxCell * 2)); }

class Writer {
 public:
  Writer(const Model& model, std::size_t budget) : model_(model), budget_(budget) {}

  std::string write() {
    line("# " + words(model_.title));
    line("");
    if (!model_.verified) {
      line("> **NOT VERIFIED.** " + words(model_.unverified_reason) +
           " Nothing below is evidence.");
      line("");
    }
    line("Period " + model_.period.text() + " (" + model_.zone.name() +
         ", both days included), ledger " + code(model_.source.origin) + ", " +
         covered_records(model_.source) + ", root `" + model_.source.root + "`.");
    line("");
    line("Covered: " + markdown_text(coverage_text(model_)));
    line("");
    if (model_.redaction) {
      line("> " + markdown_text(redaction_text(model_)));
      line("");
    }
    verdicts();
    figures();
    exceptions();
    matrix();
    comparison();
    completeness();
    not_proved_section();
    return std::move(out_);
  }

 private:
  void line(const std::string& text) { out_ += text + "\n"; }

  void verdicts() {
    line("## Verdicts");
    line("");
    line("| Verdict | Result | Checked | Says |");
    line("|---|---|---:|---|");
    for (const Verdict::Check& check : model_.verdict.checks) {
      line("| " + std::string(verdict_label(check.name)) + " | " +
           std::string(verdict_word(check.result)) + " | " + std::to_string(check.checked) + " | " +
           words(verdict_says(check)) + " |");
    }
    line("");
  }

  void figures() {
    line("## In one minute");
    line("");
    if (model_.runs.empty()) {
      line(std::string(empty_period_text()));
      line("");
    }
    line(markdown_text(comparison_text(model_)));
    line("");
    const Coverage::State before = model_.covered_before.state;
    line("| Figure | Period | " + std::string(previous_label(before)) + " |");
    line("|---|---:|---:|");
    for (const TallyRow& row : tally_rows(model_)) {
      line("| " + std::string(row.label) + " | " + row.now + " | " +
           (before == Coverage::State::none ? std::string("–") : row.previous) + " |");
    }
    const std::int64_t first = model_.first_sets();
    const auto sets = static_cast<std::int64_t>(model_.drift.size());
    line("| Changed sets of grants (drift) | " + std::to_string(sets - first) + " | |");
    line("| First sets of tools without an earlier run | " + std::to_string(first) + " | |");
    line("| Tools with wider grants | " + std::to_string(model_.comparison.widened()) + " | |");
    line("| Exceptions | " + std::to_string(model_.exceptions.size()) + " | |");
    line("");
    line("Denials: " + markdown_text(sensor_text(model_)));
    line("");
  }

  // As many rows as fit into `share` of what is left; the head says how many of how many.
  void table(const std::string& title, const std::string& head,
             const std::vector<std::string>& rows, std::size_t share) {
    constexpr std::size_t kReserve = 6000;  // for what comes after
    const std::size_t left = budget_ - std::min(budget_, out_.size() + kReserve);
    const std::size_t room = left / 100 * share;
    std::size_t bytes = head.size() + title.size() + 100;
    std::size_t shown = 0;
    while (shown < rows.size() && bytes + rows[shown].size() + 1 < room)
      bytes += rows[shown++].size() + 1;
    line("## " + title);
    line("");
    if (rows.empty()) {
      line("None.");
      line("");
      return;
    }
    if (shown < rows.size()) {
      line(std::to_string(shown) + " of " + std::to_string(rows.size()) + " rows shown; " +
           std::to_string(rows.size() - shown) + " are in the other formats.");
      line("");
    }
    out_ += head;
    for (std::size_t i = 0; i < shown; ++i) line(rows[i]);
    line("");
  }

  void exceptions() {
    std::vector<std::string> rows;
    for (const Exception& row : model_.exceptions) {
      const Run& run = model_.runs[row.run];
      rows.push_back("| " + std::string(label_of(row)) + " | " + code(model_.text(run.tool)) +
                     " | " + code(row.rule) + " | " + code(row.tried) + " | " + code(row.happened) +
                     " | " + utc_ms_text(row.at_ms) + " | `" + ref_text(row.ref) + "` |");
    }
    table("Exceptions",
          "| What | Tool | Rule | Tried | Happened | When | Record "
          "|\n|---|---|---|---|---|---|---|\n",
          rows, 60);
  }

  void matrix() {
    std::vector<std::string> rows;
    for (const MatrixRow& row : model_.matrix) {
      std::string text = "| " + code(model_.text(row.tool)) + " | " + std::to_string(row.in_force) +
                         " of " + std::to_string(row.runs) + " |";
      for (std::size_t i = 0; i < kCapabilities; ++i) {
        const auto capability = static_cast<Capability>(i);
        const CellWords cell = cell_words(row.cells[i], capability);
        text +=
            " " + std::string(cell.symbol) + (cell.state == "none" ? "" : " " + cell.words) + " |";
      }
      rows.push_back(text);
    }
    std::string head = "| Tool | Runs in force |";
    std::string rule = "|---|---:|";
    for (std::size_t i = 0; i < kCapabilities; ++i) {
      head += " " + std::string(label_of(static_cast<Capability>(i))) + " |";
      rule += "---|";
    }
    table("Allowed versus used", head + "\n" + rule + "\n", rows, 70);
  }

  void comparison() {
    const GrantComparison& all = model_.comparison;
    using State = ComparedTool::State;
    std::vector<std::string> rows;
    for (const ComparedTool& tool : all.tools) {
      if (tool.state == State::same) continue;
      std::string changes = code(given_text(tool.grants, model_));
      for (const GrantChange& change : tool.changes) {
        const std::string before = grant_text(change.before, model_);
        const std::string after = grant_text(change.after, model_);
        changes += (changes.empty() ? "" : "; ") + std::string(name_of(change.direction)) + " " +
                   code(model_.text(change.cap)) + (before.empty() ? "" : " from " + code(before)) +
                   (after.empty() ? "" : " to " + code(after));
      }
      rows.push_back("| " + code(model_.text(tool.tool)) + " | " +
                     (tool.state == State::added ? std::string("first set")
                                                 : std::string(name_of(tool.state))) +
                     " | " + changes + " | " + words(approval_text(tool.decision, model_)) + " | " +
                     (tool.since ? "`" + ref_text(*tool.since) + "`" : "") + " |");
    }
    const std::string head =
        "| Tool | State | Changes | Approval | Since record |\n|---|---|---|---|---|\n";
    table("Drift of grants", head, rows, 60);
    if (!all.has_first() && !all.tools.empty()) {
      line("There is nothing to compare with. " + markdown_text(no_first_text(model_)));
      line("");
      return;
    }
    line("From " + words(all.from.words) + " to " + words(all.to.words) + ": " +
         std::to_string(all.count(State::same)) + " the same, " +
         std::to_string(all.count(State::changed)) + " changed, " +
         std::to_string(all.count(State::added)) + " with a first set, " +
         std::to_string(all.count(State::removed)) +
         " gone; without an approval: " + std::to_string(all.unapproved()) + ".");
    line("");
  }

  void completeness() {
    line("## Completeness");
    line("");
    line(
        "| Records | Of runs in the period | Of runs before | Of runs after | Of the ledger | "
        "Total |");
    line("|---|---:|---:|---:|---:|---:|");
    TieOutRow sum{"**All**"};
    for (const TieOutRow& row : model_.tie_out) {
      sum.period += row.period;
      sum.before += row.before;
      sum.after += row.after;
      sum.ledger += row.ledger;
      if (row.total() != 0) tie_out("`" + row.type + "`", row);
    }
    tie_out(sum.type, sum);
    line("");
    line("The checkpoint covers " + std::to_string(model_.source.size) + " records. Straddling: " +
         straddling_words(model_).start + "; " + straddling_words(model_).end + ".");
    line("");
  }

  void tie_out(const std::string& label, const TieOutRow& row) {
    line("| " + label + " | " + std::to_string(row.period) + " | " + std::to_string(row.before) +
         " | " + std::to_string(row.after) + " | " + std::to_string(row.ledger) + " | " +
         std::to_string(row.total()) + " |");
  }

  void not_proved_section() {
    line("## What is not proved");
    line("");
    for (const std::string& text : not_proved(model_)) line("- " + markdown_text(text));
    line("");
    line("## Check it without us");
    line("");
    line(markdown_text(pin_text()));
    line("");
    for (const PinPart& part : pin_parts(model_))
      line("- " + markdown_code(part.name) + ": " + markdown_code(part.value));
    line("");
    line(markdown_text(verifier_source_text()));
    line("");
    line(markdown_text(same_program_text()));
    line("");
    line("The program that checked was ethos-verify " + markdown_text(model_.verdict.verifier) +
         ", " + markdown_text(verifier_digest_text(model_)) + ".");
    line("");
    const RedoStep step = redo_steps(model_).front();
    line("`" + step.command + "` ends well with status " + std::to_string(step.status) +
         " and the line " + markdown_code(step.answer));
  }

  const Model& model_;
  const std::size_t budget_;
  std::string out_;
};

}  // namespace

std::string markdown_code(std::string_view text) {
  const std::string value = visible(text);
  if (value.empty()) return "";
  std::string out;
  for (const char c : value) {
    // GFM ends a table cell at `|` even inside code, unless it is escaped.
    if (c == '|') {
      out += "\\|";
    } else if (c == '`') {
      out += '\'';  // one fence length for all: a back quote is shown as an apostrophe
    } else {
      out += c;
    }
  }
  return "`" + out + "`";
}

std::string markdown_text(std::string_view text) {
  // Mentions, issue references and bare addresses are linked after entities are decoded, so no
  // escape helps; only code is left alone.
  for (const std::string_view active : {"@", "#", "://", "www."}) {
    if (text.find(active) != std::string_view::npos) return markdown_code(text);
  }
  std::string out;
  for (const char c : visible(text)) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '|':
        out += "\\|";
        break;
      case '\\':
      case '`':
      case '*':
      case '_':
      case '[':
      case ']':
      case '~':
      case '!':
        out += '\\', out += c;
        break;
      default:
        out += c;
    }
  }
  return out;
}

void write_markdown(const Model& model, std::size_t budget, Sink& sink) {
  sink.write(Writer(model, budget).write());
}

}  // namespace ethos::reports
