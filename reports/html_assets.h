// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace ethos::reports {

// The style sheet, the same in every report.
std::string_view style_sheet();
// Head lines of printed pages, which name the report: CSS with the texts as CSS strings.
std::string page_style(std::string_view head, std::string_view foot);
// Filters, deep links, printing. The page is whole without it.
std::string_view page_script();
// 'sha256-…' for a Content-Security-Policy.
std::string policy_hash(std::string_view content);

}  // namespace ethos::reports
