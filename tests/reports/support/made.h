// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "reports/words.h"
#include "tests/reports/support/fixture.h"

namespace ethos::support {

inline constexpr std::int64_t kStart = 1790805600000;  // 2026-10-01T00:00:00 in Berlin
inline constexpr std::int64_t kDay = 86400000;

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline std::string joined_not_proved(const reports::Model& model) {
  std::string out;
  for (const std::string& text : reports::not_proved(model)) out += text + "\n";
  return out;
}

// A section of the page, by its id.
inline std::string section_of(const std::string& html, const std::string& id) {
  const auto from = html.find("<section id=\"" + id + "\">");
  return from == std::string::npos ? std::string()
                                   : html.substr(from, html.find("</section>", from) - from);
}

// A ledger of these runs, its first record at `first_ms`.
struct Made {
  ScratchDirectory scratch;
  MadeLedger ledger;
  reports::Model model;

  Made(std::int64_t first_ms, const std::vector<RunPlan>& plans,
       const std::string& period = "2026-10-01..2026-12-31") {
    LedgerMaker maker(scratch / "l.db");
    maker.genesis(first_ms);
    std::uint64_t number = 0;
    for (const RunPlan& plan : plans) add_run(maker, ++number, plan);
    ledger = maker.finish();
    model = model_of(scratch / "l.db", ledger, period);
  }
};

inline RunPlan plan_at(std::int64_t start_ms) {
  RunPlan plan;
  plan.start_ms = start_ms;
  return plan;
}

}  // namespace ethos::support
