// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "reports/model.h"
#include "reports/sink.h"

namespace ethos::reports {

// Comments and step summaries have limits; the smallest in use is 65,535 bytes.
inline constexpr std::size_t kMarkdownBudget = 60000;

// A name inside Markdown, in code style, that cannot end the code, the table cell or the line, nor
// mention a person or an issue.
std::string markdown_code(std::string_view text);
// Running text: characters that mean something in GFM are escaped; a text that could mention, refer
// or link becomes code.
std::string markdown_text(std::string_view text);

// A summary for pull requests and step summaries: verdicts, figures, exceptions, allowed versus
// used, completeness. Never longer than `budget` bytes: tables are cut at a row and say how many
// rows are missing.
void write_markdown(const Model& model, std::size_t budget, Sink& sink);

}  // namespace ethos::reports
