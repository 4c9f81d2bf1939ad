// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ethos::sarif {

// Texts of a SARIF file, which are hostile, as cells of tables in other formats.

// On one line: control characters and direction marks become spaces.
[[nodiscard]] std::string plain_cell(std::string_view text);
// RFC 4180; a cell that a spreadsheet would take for a formula gets a quote mark before it.
[[nodiscard]] std::string csv_cell(std::string_view text);
// In a Markdown table: what would be markup is escaped.
[[nodiscard]] std::string markdown_cell(std::string_view text);
// In HTML text or a quoted attribute.
[[nodiscard]] std::string html_cell(std::string_view text);

// Begins a page that stands for itself: no script, no font, no address outside of it. It reads in
// light and dark and prints. `title` is escaped here.
[[nodiscard]] std::string html_page_begin(std::string_view title);
[[nodiscard]] std::string html_page_end();

}  // namespace ethos::sarif
