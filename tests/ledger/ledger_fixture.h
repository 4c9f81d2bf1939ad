// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "ledger/appender.h"
#include "ledger/base/clock.h"
#include "ledger/create.h"
#include "ledger/reader.h"
#include "ledger/record/signed_note.h"
#include "tests/support/result_maker.h"
#include "tests/support/temp_dir.h"

namespace ethos::support {

// Time stands still unless moved.
class FakeClock final : public base::Clock {
 public:
  FakeClock() {
    time.mono_ns = 1'000'000'000;
    time.wall_ms = 1'790'000'000'000;
  }
  [[nodiscard]] base::Timestamp now() const override { return time; }
  void advance_ms(std::int64_t ms) {
    time.mono_ns += static_cast<std::uint64_t>(ms) * 1'000'000;
    time.wall_ms += ms;
  }
  base::Timestamp time;
};

// A new ledger in a directory of its own.
struct LedgerFixture {
  LedgerFixture() {
    auto made = ledger::create_ledger(files, {"test.example", std::nullopt, std::nullopt}, clock);
    REQUIRE(made);
    created.emplace(std::move(*made));
  }
  [[nodiscard]] ledger::Appender appender() const {
    auto opened = ledger::Appender::open(files, clock);
    REQUIRE(opened);
    return std::move(*opened);
  }
  [[nodiscard]] ledger::LedgerReader reader() const {
    auto opened = ledger::LedgerReader::open(files);
    REQUIRE(opened);
    return std::move(*opened);
  }
  // All records as stored; the test fails when reading does.
  [[nodiscard]] std::vector<std::string> records() const {
    std::vector<std::string> out;
    auto ok = reader().read(0, UINT64_MAX, [&](const ledger::StoredRecord& r) {
      out.emplace_back(r.bytes);
      return true;
    });
    REQUIRE(ok);
    return out;
  }

  TempDir dir;
  ledger::LedgerFiles files = ledger::LedgerFiles::at(dir.file("ledger.db"));
  FakeClock clock;
  std::optional<ledger::Created> created;
};

inline ledger::PendingRecord pending(const char* type, ledger::RunChain* run,
                                     std::string body = "{}") {
  return {type, run, std::move(body), std::nullopt};
}

// $ETHOS_KILLS for a night's run; a few in the daily one.
inline int kills_wanted(int usual) {
  const char* wanted = std::getenv("ETHOS_KILLS");
  return wanted == nullptr ? usual : std::max(usual, std::atoi(wanted));
}

inline ledger::RunChain new_run() { return {record::RunId::random(), 0, {}}; }

// One record in a run of its own.
inline base::Result<ledger::Committed> commit_one(ledger::Appender& appender) {
  ledger::RunChain run = new_run();
  ledger::CommitRequest request;
  request.records.push_back(pending("run.open", &run));
  return appender.commit(request);
}

}  // namespace ethos::support
