// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/reports/support/fixture.h"

namespace ethos::support {

std::string read_text(const std::string& path);
std::size_t lines(const std::string& text);

// ethos-report in a directory of its own, beside a stand-in for ethos-verify that answers what a
// test wants: the real one is tested where it lives, here its answers are.
class Bench {
 public:
  Bench();

  void answer(int status);
  void script(const std::string& text);
  nlohmann::json& verdict() { return verdict_; }
  void set_result(const std::string& name, const std::string& result);

  struct Ended {
    int status = -1;
    std::string out, err;
  };
  // With the ledger, pin, zone and fourth quarter of 2026 given, into `out`.
  [[nodiscard]] Ended run(const std::vector<std::string>& more = {}) const;
  [[nodiscard]] Ended run_raw(const std::vector<std::string>& arguments) const;
  [[nodiscard]] std::string path(const std::string& name) const { return scratch_ / name; }
  [[nodiscard]] bool has_output() const;

 private:
  ScratchDirectory scratch_;
  MadeLedger made_;
  nlohmann::json verdict_;
};

}  // namespace ethos::support
