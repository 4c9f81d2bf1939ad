// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// One message of the kernel's audit, as it comes from the multicast group READLOG. The text is the
// kernel's, but names in it are chosen by whoever was refused: such values stand in quotes, or in
// hexadecimal digits when they hold a quote, a space or a control character.
namespace ethos::sandbox::audit {

inline constexpr std::uint16_t kGet = 1000;         // AUDIT_GET: the state of the audit
inline constexpr std::uint16_t kSyscall = 1300;     // the call beside the other records of an event
inline constexpr std::uint16_t kEndOfEvent = 1320;  // no more records of that event
inline constexpr std::uint16_t kLandlockAccess = 1423;
inline constexpr std::uint16_t kLandlockDomain = 1424;

inline constexpr std::size_t kMaxText = 9000;  // MAX_AUDIT_MESSAGE_LENGTH is 8,970
inline constexpr std::size_t kMaxFields = 64;
inline constexpr std::size_t kMaxObject = 4096;

// `audit(1700000000.123:456): domain=1b360d271 blockers=fs.read_file path="/etc/passwd" dev=...`
struct Record {
  std::uint16_t type = 0;
  std::uint64_t event = 0;   // the number behind the colon: records of one call share it
  std::uint64_t domain = 0;  // 1423, 1424; never 0
  // 1423: what would have been needed, "fs.write_file" or several with commas; at most 64 bytes of
  // [a-z0-9_.,].
  std::string blockers;
  std::string object;         // 1423: path, address or name; empty when the record has none
  std::string object_kind;    // path, address, name
  std::string status;         // 1424: "allocated" or "deallocated"
  std::uint64_t denials = 0;  // 1424 deallocated: refusals of that domain, logged or not
  std::int64_t pid = 0;       // 1300, 1424 allocated: in the machine's first pid namespace
  std::int64_t result = 0;    // 1300: what the call returned, -errno for an error
};

// Nothing for the types that are not named above, for text that is cut or not of this form, and for
// a 1423 or 1424 without its domain: a reader then misses one, which the kernel's own count shows.
[[nodiscard]] std::optional<Record> parse_record(std::uint16_t type, std::string_view text);

}  // namespace ethos::sandbox::audit
