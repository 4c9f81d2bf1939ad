// SPDX-License-Identifier: Apache-2.0
#include "reports/html_parts.h"

#include "reports/coverage.h"
#include "reports/words.h"

namespace ethos::reports {
namespace {

constexpr std::size_t kShortId = 8;

}  // namespace

void open_table(Html& html, const TableHead& head) {
  html.raw("<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Table\"><table");
  if (!head.filter.view().empty()) html.raw(" data-filter=\"").raw(head.filter).raw("\"");
  html.raw("><caption>").raw(head.caption).text(head.more).raw("</caption><thead><tr>");
  for (const Column& column : head.columns) {
    html.raw(column.is_number ? Markup("<th scope=\"col\" class=\"n\">")
                              : Markup("<th scope=\"col\">"));
    html.raw(column.label).raw("</th>");
  }
  html.raw("</tr></thead><tbody>\n");
}

Html& open_details(const Page& page) {
  return page.html.raw(page.is_print ? Markup("<details open") : Markup("<details"));
}

void close_table(Html& html) { html.raw("</tbody></table></div>\n"); }

void put_ref(Html& html, const Ref& ref) {
  html.raw("<span class=\"ref\" title=\"record number and start of its leaf hash\">")
      .text(ref_text(ref))
      .raw("</span>");
}

void put_time(const Page& page, std::int64_t wall_ms) {
  const std::string utc = utc_ms_text(wall_ms);
  page.html.raw("<time").attribute("datetime", utc).attribute("title", utc).raw(">");
  page.html.text(local_text(wall_ms / 1000, page.model.zone)).raw("</time>");
}

void put_time_both(const Page& page, std::int64_t wall_ms) {
  page.html.raw("<time").attribute("datetime", utc_ms_text(wall_ms)).raw(">");
  page.html.text(time_text(page.model, wall_ms)).raw("</time>");
}

void put_count(Html& html, std::int64_t count, Markup one, Markup many) {
  html.number(count).raw(" ").raw(count == 1 ? one : many);
}

void put_coverage(Html& html, const Model& model) {
  const std::string text = coverage_text(model);
  const auto end = text.find_first_of(".:") + 1;
  const bool is_whole = model.covered.state == Coverage::State::whole;
  html.raw(is_whole ? Markup("<strong>") : Markup("<strong class=\"v-fail\">"));
  html.text(text.substr(0, end)).raw("</strong>").text(text.substr(end));
}

void put_code(Html& html, std::string_view text) {
  if (!text.empty()) html.raw("<code>").text(text).raw("</code>");
}

void put_command(Html& html, std::string_view command) {
  while (!command.empty()) {
    const auto end = command.find(' ');
    const std::string_view word = command.substr(0, end);
    if (word.starts_with("-")) {
      html.raw("<span class=\"opt\">").text(word).raw("</span>");
    } else {
      html.text(word);
    }
    if (end == std::string_view::npos) return;
    html.raw(" ");
    command.remove_prefix(end + 1);
  }
}

void put_run_link(const Page& page, std::uint32_t index) {
  const Run& run = page.model.runs[index];
  page.html.raw("<a class=\"id\"")
      .attribute("href", "#run-" + run.id)
      .attribute("title", run.id)
      .raw(">");
  page.html.text(std::string_view(run.id).substr(0, kShortId)).raw("</a>");
}

void put_shown(Html& html, std::size_t shown, std::size_t of, std::string_view order,
               std::string_view file) {
  if (shown == of) return;
  html.raw("<p><strong>")
      .number(static_cast<std::uint64_t>(shown))
      .raw(" of ")
      .number(static_cast<std::uint64_t>(of));
  html.raw(" rows shown</strong>, ").text(order).raw("; all are in ").text(file).raw(".</p>\n");
}

bool is_deviating(const Run& run) {
  return run.state != RunState::closed || run.denial_records != 0 || run.setup_denials != 0 ||
         run.limit_records != 0 || run.gaps != 0 || run.left_behind || run.problem != NameId::none;
}

Markup verdict_symbol(std::string_view result) {
  if (result == "pass") return "✓ ";
  if (result == "fail") return "✗ ";
  if (result == "incomplete") return "◑ ";
  return "? ";
}
Markup verdict_symbol(const Model& model, const Verdict::Check& check) {
  return is_qualified(model, check) ? Markup("(✓) ") : verdict_symbol(check.result);
}

Markup shown_symbol(Shown state) {
  switch (state) {
    case Shown::shown:
      return "◆ ";
    case Shown::recorded:
      return "◇ ";
    case Shown::contradicted:
      return "✗ ";
    case Shown::partly:
      return "◈ ";
    case Shown::no_event:
      return "□ ";
    case Shown::not_recorded:
      return "∅ ";
  }
  return "";
}

}  // namespace ethos::reports
