// SPDX-License-Identifier: Apache-2.0
// Lines "TYPE text" as the kernel's audit would send them, names in them chosen by a tool.
#include "sandbox/audit_watch.h"
#include "tests/fuzz/property.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ethos::sandbox;
  constexpr std::uint16_t kTypes[] = {audit::kLandlockAccess, audit::kLandlockDomain,
                                      audit::kSyscall, audit::kEndOfEvent, 1327};
  const std::string text(ethos::fuzz::text_of(data, size));
  AuditWatch watch(144);
  std::size_t told = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    if (line.empty()) continue;
    const std::uint16_t type = kTypes[static_cast<unsigned char>(line[0]) % std::size(kTypes)];
    const auto record = audit::parse_record(type, line.substr(1));
    if (record) {
      ethos::fuzz::require(record->object.size() <= audit::kMaxObject);
      ethos::fuzz::require(record->blockers.size() <= 64);
    }
    watch.take(type, line.substr(1));
    if (line.size() % 7 == 0 && watch.has_domain()) watch.begin_run();
    for (const AuditDenial& denial : watch.take_denials(line.size() % 5 == 0)) {
      ethos::fuzz::require(denial.error > 0 && denial.error <= 4095 && !denial.blockers.empty());
      ++told;
    }
  }
  told += watch.take_denials(true).size();
  ethos::fuzz::require(told <= watch.received());
  return 0;
}
