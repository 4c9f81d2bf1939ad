// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reports/model.h"
#include "reports/sink.h"

namespace ethos::reports {

// The model is embedded as JSON when it is at most this long; else the page names the JSON file.
inline constexpr std::size_t kMaxEmbedded = 2097152;
// Rows a page shows; above, the gravest or first ones, and the page says how many of how many.
inline constexpr std::size_t kMaxRunRows = 2000;
inline constexpr std::size_t kMaxRows = 1000;
inline constexpr std::size_t kMaxDetails = 300;

// One self-contained page: no outside reference, a Content-Security-Policy with hashes, whole
// without script and without style.
void write_html(const Model& model, Sink& sink);

}  // namespace ethos::reports
