// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "tests/verify/support/ledger_maker.h"
#include "verify/commands.h"

namespace ethos::support {

// A directory that goes with the test.
class TempDir {
 public:
  TempDir() {
    std::string name = (std::filesystem::temp_directory_path() / "ethos-test.XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
    path_ = name;
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

struct Outcome {
  int status = -1;
  std::string out;
  std::string err;
  Json json;  // of --json

  [[nodiscard]] std::string verdict(const std::string& name) const {
    for (const Json& v : json.at("verdicts")) {
      if (v.at("name") == name) return v.at("result").get<std::string>();
    }
    return "";
  }
  [[nodiscard]] bool has(const std::string& code) const {
    for (const Json& p : json.at("problems")) {
      if (p.at("code") == code) return true;
    }
    return false;
  }
  [[nodiscard]] std::string first() const { return json.at("first_bad").is_null() ? "" : json.at("first_bad").at("code").get<std::string>(); }
};

inline Outcome verify_with(const std::vector<std::string>& args) {
  std::ostringstream out;
  std::ostringstream err;
  Outcome result;
  result.status = ethos::verify::run(args, out, err);
  result.out = out.str();
  result.err = err.str();
  result.json = Json::parse(result.out, nullptr, false);
  return result;
}

inline void save(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

// Writes the ledger and a pin (of `pinned`, by default the ledger itself) and verifies with --json.
inline Outcome verify_maker(const LedgerMaker& ledger, const std::string& extra_sql = "", const std::string& pin = "",
                            const std::vector<std::string>& more = {}) {
  const TempDir dir;
  ledger.write(dir.file("l.db"), extra_sql);
  save(dir.file("pin"), pin.empty() ? ledger.pin() : pin);
  std::vector<std::string> args{"--json", "--pin", dir.file("pin"), dir.file("l.db")};
  args.insert(args.end(), more.begin(), more.end());
  return verify_with(args);
}

using MoreRecords = std::vector<std::pair<std::string, Json>>;

// One run of a linter with further records and a changed end, alone in a ledger.
inline Outcome verify_linter(const MoreRecords& more, const Json& close = Json::object()) {
  LedgerMaker ledger;
  RunChoices choices;
  choices.vector = "02-linter";
  choices.more = more;
  choices.patch["run.close"] = close;
  add_run(ledger, choices);
  return verify_maker(ledger);
}

}  // namespace ethos::support
