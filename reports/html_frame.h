// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "reports/html_parts.h"

namespace ethos::reports {

struct PageSection {
  Markup anchor;  // "#id"
  Markup title;
};

// From <!DOCTYPE> to where the masthead begins: head with style and policy, the alarm of a report
// that is not verified, the list of sections. The first section is `#verdicts`.
void open_document(const Page& page, std::span<const PageSection> sections);
// After </footer>: the script and the end.
void close_document(const Page& page);
// `<footer>` and what each page says in it.
void open_footer(Html& html);

}  // namespace ethos::reports
