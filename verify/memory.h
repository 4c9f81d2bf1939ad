// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "verify/audit.h"
#include "verify/kept_list.h"
#include "verify/result.h"

namespace ethos::verify {

// What was found good at earlier visits (memory.md): signed checkpoints with the time they were seen,
// of any number of ledgers. The file belongs to the auditor; what lies in it is believed.
class Memory {
 public:
  struct Entry {
    std::string origin;
    std::int64_t at_ms = 0;
    std::string note;
    std::uint64_t size = 0;
    Digest root;
    StateMarks marks = {};
    std::string sum = {};  // as it was read; of a line that is made it is counted
  };

  static Result<Memory> parse(std::string_view bytes);
  // A file that does not exist is an empty memory.
  static Result<Memory> read(const std::string& path);
  [[nodiscard]] std::string encode() const;

  // The states of one ledger by size.
  [[nodiscard]] std::vector<KnownState> of(std::string_view origin) const;
  // Takes a state, unless one of that size is there already; at most kKept of a ledger stay.
  void add(Entry entry);
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }

  // Reads the file again, adds the entry and puts it in place: two verifiers at once lose nothing.
  struct Remembered {
    bool is_added = false;
    bool is_new_file = false;
    bool was_empty = false;  // it was there, and held nothing
    std::int64_t at_ms = 0;  // since when it is remembered
  };
  static Result<Remembered> remember(const std::string& path, const Entry& entry);

  static constexpr std::size_t kKept = 64;
  static constexpr std::uint64_t kMaxFile = std::uint64_t{64} << 20U;

 private:
  void thin(const std::string& origin);
  std::vector<Entry> entries_;  // by origin and size
};

}  // namespace ethos::verify
