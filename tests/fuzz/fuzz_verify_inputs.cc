// SPDX-License-Identifier: Apache-2.0
// What an auditor gives besides a ledger: memory, policy, proof, report, zone file, tiles, time stamps. The first byte chooses.
#include <string>

#include "tests/fuzz/property.h"
#include "verify/bundle_names.h"
#include "verify/memory.h"
#include "verify/prefix.h"
#include "verify/report_check.h"
#include "verify/tile_reader.h"
#include "verify/time_token.h"
#include "verify/tlog_proof.h"
#include "verify/trust_policy.h"
#include "verify/zone.h"

namespace {

using namespace ethos::verify;
using ethos::fuzz::require;

void zone(std::string_view bytes) {
  const auto parsed = Zone::parse_tzif(bytes);
  if (!parsed) return;
  for (const std::int64_t ms : {std::int64_t{0}, std::int64_t{1790812800000}, std::int64_t{4102444800000}}) {
    const std::int64_t first = parsed->first_instant(ms);
    require(first % 1000 == 0);
    require(first >= ms - std::int64_t{3} * 86'400'000 && first <= ms + std::int64_t{3} * 86'400'000);
  }
}

// One partial tile and its entries: whatever they are, either refused or all of the tree's size.
void tiles(std::string_view bytes) {
  if (bytes.size() < 2) return;
  const std::uint64_t size = 1 + static_cast<unsigned char>(bytes[0]) % 255U;
  bytes.remove_prefix(1);
  const std::string hashes(size * 32, 'h');
  TileReader reader({.size = size, .may_be_full = bytes[0] % 2 == 0, .bad = Code::tiles, .missing = Code::tiles_missing},
                    [&](const std::string& name) -> Result<std::string> {
                      if (name.starts_with("tile/0/")) return hashes;
                      return std::string(bytes);
                    });
  Findings findings;
  const bool good = reader.check(findings) && reader.load(0, findings);
  require(good == (findings.total() == 0));
  std::size_t total = 0;
  for (std::uint64_t i = 0; good && i < size; ++i) total += 2 + reader.entry(i).size();
  require(total <= bytes.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto bytes = ethos::fuzz::text_of(data + 1, size - 1);
  switch (data[0] % 8) {
    case 0:
      if (const auto memory = Memory::parse(bytes)) require(memory->encode() == bytes);
      break;
    case 1:
      if (const auto policy = TrustPolicy::parse(bytes)) {
        std::set<std::size_t> all;
        for (std::size_t i = 0; i < policy->parties.size(); ++i) all.insert(i);
        require(policy->is_met(all));
        require(policy->quorum.has_value() != policy->is_met({}));
      }
      break;
    case 2:
      if (const auto proof = parse_tlog_proof(bytes)) {
        const AuditReport report = audit_proof(*proof, {std::string(bytes)}, {}, {});
        require(exit_status(report) != 0);  // nobody has a pin here
      }
      break;
    case 3: (void)parse_report(bytes); break;
    case 4: zone(bytes); break;
    case 5: tiles(bytes); break;
    case 6:
      if (const auto token = parse_time_token(bytes)) require(judge_token(*token, {}).kind != TokenAnswer::Kind::good);
      break;
    default: (void)parse_pem(bytes); break;
  }
  return 0;
}
