// SPDX-License-Identifier: Apache-2.0
#include "tests/reports/support/bench.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "reports/process.h"

namespace ethos::support {

namespace fs = std::filesystem;
using nlohmann::json;

std::string read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

Bench::Bench() {
  fs::create_directory(scratch_ / "bin");
  fs::copy_file(std::string(ETHOS_BIN) + "/ethos-report", scratch_ / "bin/ethos-report");
  made_ = make_small_ledger(scratch_ / "ledger.db");
  verdict_ = json::parse(passing_verdict(made_));
  std::ofstream(scratch_ / "pin") << "a pin\n";
  answer(0);
}

void Bench::answer(int status) {
  verdict_["exit"] = status;
  script("#!/bin/sh\necho \"$@\" > '" + path("arguments") + "'\ncat '" + path("verdict.json") +
         "'\nexit " + std::to_string(status) + "\n");
  std::ofstream(path("verdict.json")) << verdict_.dump();
}

void Bench::script(const std::string& text) {
  std::ofstream(path("bin/ethos-verify")) << text;
  fs::permissions(path("bin/ethos-verify"), fs::perms::owner_all);
}

void Bench::set_result(const std::string& name, const std::string& result) {
  for (json& one : verdict_["verdicts"]) {
    if (one["name"] == name) one["result"] = result;
  }
}

Bench::Ended Bench::run(const std::vector<std::string>& more) const {
  std::vector<std::string> arguments = {
      "--ledger", path("ledger.db"), "--pin", path("pin"), "--period", "2026-10-01..2026-12-31",
      "--zone",   "Europe/Berlin",   "--out", path("out")};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_raw(arguments);
}

Bench::Ended Bench::run_raw(const std::vector<std::string>& arguments) const {
  const auto ended = reports::run_program(path("bin/ethos-report"), arguments, 1 << 24);
  REQUIRE(ended);
  return {ended->status, ended->output, ended->errors};
}

bool Bench::has_output() const { return fs::exists(path("out")) && !fs::is_empty(path("out")); }

}  // namespace ethos::support
