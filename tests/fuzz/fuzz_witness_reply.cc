// SPDX-License-Identifier: Apache-2.0
// What a witness answers: without its key no answer becomes a cosignature, and nothing is stored.
#include <optional>

#include "ledger/anchor/cosign.h"
#include "ledger/base/clock.h"
#include "ledger/create.h"
#include "tests/fuzz/property.h"
#include "tests/support/temp_dir.h"

namespace {

using namespace ethos;

struct Ledger {
  Ledger() {
    auto clock = base::SystemClock::open();
    fuzz::require(clock.has_value());
    const auto files = ledger::LedgerFiles::at(dir.file("l.db"));
    auto made = ledger::create_ledger(files, {"fuzz.example", std::nullopt, std::nullopt}, *clock);
    fuzz::require(made.has_value());
    auto opened = ledger::LedgerReader::open(files);
    fuzz::require(opened.has_value());
    reader.emplace(std::move(*opened));
    // Of RFC 8032's first test vector; nothing here signs with it.
    auto parsed = ledger::WitnessPolicy::parse(
        "witness w Wit1+e2cc10fc+BNdamAGCsQq31Uv+08lkBzoO4XLz2qYjJa8CGmj3B1Ea https://w.example/\n"
        "quorum w\n");
    if (parsed) policy.emplace(std::move(*parsed));
  }
  support::TempDir dir;
  std::optional<ledger::LedgerReader> reader;
  std::optional<ledger::WitnessPolicy> policy;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Ledger ledger;
  fuzz::require(ledger.policy.has_value());
  if (size < 2) return 0;
  constexpr int kStatus[] = {200, 403, 404, 409, 422, 500, 301, 0};
  const std::string body(fuzz::text_of(data, size).substr(2));
  const auto post = [&](const ledger::HttpPost&) -> base::Result<ledger::HttpAnswer> {
    return ledger::HttpAnswer{kStatus[data[0] % 8],
                              (data[1] & 1U) != 0 ? "text/x.tlog.size" : "text/plain", body};
  };
  const auto done =
      ledger::cosign(*ledger.reader, *ledger.policy, post, 1, []() -> base::Result<void> {
        fuzz::require(false);
        return {};
      });
  if (done) fuzz::require(!done->is_met && done->lines.empty() && done->cosigned.empty());
  return 0;
}
