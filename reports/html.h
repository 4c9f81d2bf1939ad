// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reports/model.h"
#include "reports/sink.h"

namespace ethos::reports {

// The model is embedded as JSON when it is at most this long; else the page names the JSON file.
inline constexpr std::size_t kMaxEmbedded = 2097152;
// Rows a page shows; above, the gravest or first ones, and the page says how many of how many.
struct PageLimits {
  std::size_t run_rows, rows, details;
};
inline constexpr PageLimits kScreenLimits{2000, 1000, 300};
// A print is read, not searched: a browser needs a minute and a gigabyte for 10,000 rows.
inline constexpr PageLimits kPrintLimits{100, 100, 40};

// One self-contained page: no outside reference, a Content-Security-Policy with hashes, whole
// without script and without style.
void write_html(const Model& model, Sink& sink);

// The same page for paper: no script, no navigation, no data, everything unfolded, fewer rows.
void write_print_html(const Model& model, Sink& sink);

}  // namespace ethos::reports
