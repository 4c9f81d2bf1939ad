// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/html.h"
#include "reports/html_writer.h"
#include "reports/model.h"

// The sections of the page, in their order, and the small pieces they share.
namespace ethos::reports {

struct Page {
  const Model& model;
  Html& html;
  const PageLimits& limits;
  bool is_print;
  bool is_partly;  // not verified means: some of what it is about is not
};

struct Column {
  Markup label;
  bool is_number = false;
};
struct TableHead {
  Markup filter = "";  // name of the filter that the script makes, or empty
  Markup caption = "";
  std::string more;  // of the caption, made at run time
  std::vector<Column> columns;
};
// A table in a box that scrolls sideways and takes the keyboard; up to and after the rows.
void open_table(Html& html, const TableHead& head);
void close_table(Html& html);

// `<details`, for attributes to follow; unfolded on paper.
Html& open_details(const Page& page);

// Pieces.
void put_ref(Html& html, const Ref& ref);
void put_time(const Page& page, std::int64_t wall_ms);       // local; UTC in datetime and title
void put_time_both(const Page& page, std::int64_t wall_ms);  // local and UTC
// How much of the period the records reach over; what is missing stands out.
void put_coverage(Html& html, const Model& model);
// A command: on paper no option breaks at its hyphens.
void put_command(Html& html, std::string_view command);
void put_code(Html& html, std::string_view text);        // <code>, nothing for an empty text
void put_run_link(const Page& page, std::uint32_t run);  // the first letters of the id
// "1 run", "1 200 runs": the figure grouped, the word in its right form.
void put_count(Html& html, std::int64_t count, Markup one, Markup many);
// "12 of 400 shown, …" above a table that is cut; nothing when it is whole.
void put_shown(Html& html, std::size_t shown, std::size_t of, std::string_view order,
               std::string_view file);
// True when the run has something in Model::exceptions.
bool is_deviating(const Run& run);

// ✓ ✗ ◑ ?, never the only carrier of the meaning.
Markup verdict_symbol(std::string_view result);
// Of an answer within the bounds that is_qualified tells, one of its own.
Markup verdict_symbol(const Model& model, const Verdict::Check& check);
Markup shown_symbol(Shown state);
// What several pages have: every figure of the model's two periods; the matrix of tools; the
// stretches of the period as charts and table.
void put_figures(const Page& page);
void put_matrix(const Page& page);
void put_buckets(const Page& page);

// Sections.
void put_masthead(const Page& page);
void put_verdicts(const Page& page);
void put_minute(const Page& page);
void put_exceptions(const Page& page);
void put_completeness(const Page& page);
void put_allowed(const Page& page);
void put_denials(const Page& page);
void put_drift(const Page& page);
void put_weaker(const Page& page);
void put_controls(const Page& page);
void put_keys(const Page& page);
void put_population(const Page& page);
void put_runs(const Page& page);
void put_files(const Page& page);
void put_check(const Page& page);
void put_not_proved(const Page& page);
void put_method(const Page& page);

}  // namespace ethos::reports
