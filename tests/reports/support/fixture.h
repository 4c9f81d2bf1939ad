// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "reports/model.h"
#include "tests/reports/support/ledger_maker.h"

namespace ethos::support {

// A directory of its own that goes away with it.
class ScratchDirectory {
 public:
  ScratchDirectory();
  ~ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// Berlin by its present rule, from bytes made here: the same on each host.
reports::Zone test_zone();

// The model of a made ledger for a period, as if ethos-verify had accepted it.
reports::Model model_of(const std::string& ledger, const MadeLedger& made,
                        const std::string& period, const std::string& from = "start",
                        const std::string& to = "end");
// Of make_small_ledger, for the fourth quarter of 2026.
reports::Model small_model();
reports::Model small_model(const std::string& period);

// The files of a report, by name.
struct Rendered {
  std::string json, html, markdown, runs, denials, limits, grants, exceptions, drift, counts;
  [[nodiscard]] std::vector<const std::string*> all() const;
};
Rendered render(const reports::Model& model);

// RFC 4180: rows of cells.
std::vector<std::vector<std::string>> parse_csv(const std::string& text);

}  // namespace ethos::support
