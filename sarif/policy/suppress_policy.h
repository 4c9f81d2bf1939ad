// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ledger/base/result.h"
#include "sarif/json/byte_source.h"
#include "sarif/json/fragment.h"
#include "sarif/log/index.h"

namespace ethos::sarif {

// A day in UTC, "2026-12-31"; ordered by time.
class Day {
 public:
  // Errc::malformed for anything but a day of the calendar in that form.
  static base::Result<Day> from_text(std::string_view text);
  static Day from_unix_seconds(std::int64_t seconds);
  [[nodiscard]] std::string text() const;
  friend auto operator<=>(const Day&, const Day&) = default;

 private:
  explicit Day(std::int64_t number) : number_(number) {}
  std::int64_t number_;  // since 1970-01-01
};

// One entry of a policy: which results, why, who said so, until when (docs/formats/suppress.md).
struct SuppressEntry {
  std::string id;
  std::string reason;
  std::string approver;
  std::vector<Day> expires;  // one day, the last one; none: never
  std::vector<Day> since;
  std::string status = "accepted";
  std::uint64_t at_most = 0;  // results; 0: no limit

  // Every list that is given must have a match; patterns take "*" for any text.
  std::vector<std::string> tools;
  std::vector<std::string> categories;
  std::vector<std::string> rules;
  std::vector<std::string> paths;
  std::vector<std::string> messages;
  std::vector<Level> levels;
  std::vector<std::pair<std::string, std::string>> fingerprints;  // key (empty: any), value

  [[nodiscard]] bool is_expired(Day today) const { return !expires.empty() && expires[0] < today; }
  [[nodiscard]] bool is_early(Day today) const { return !since.empty() && today < since[0]; }
  [[nodiscard]] bool matches(const RunIndex& run, const JsonView& result) const;
};

class SuppressPolicy {
 public:
  static constexpr std::size_t kMaxBytes = std::size_t{16} << 20U;
  static constexpr std::size_t kMaxEntries = 100'000;

  // Strict: unknown keys, wrong types, an entry without a reason or an approver, two of one id are
  // Errc::malformed, naming the entry.
  static base::Result<SuppressPolicy> read(ByteSource& source);

  [[nodiscard]] const std::vector<SuppressEntry>& entries() const { return entries_; }
  // "sha256:..." of the file.
  [[nodiscard]] const std::string& digest() const { return digest_; }
  // The entries that match a result, by number, in the order of the file. Entries that name rules
  // or fingerprints exactly cost nothing for other results.
  [[nodiscard]] std::vector<std::size_t> matching(const RunIndex& run,
                                                  const JsonView& result) const;

 private:
  void build_tables();

  std::vector<SuppressEntry> entries_;
  std::string digest_;
  std::unordered_map<std::string, std::vector<std::size_t>> by_rule_;
  std::unordered_map<std::string, std::vector<std::size_t>> by_fingerprint_;
  std::vector<std::size_t> others_;
};

}  // namespace ethos::sarif
