// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ethos::support {

// The rows of table `leaf`, as one text that two readers can be held against.
struct LeafRows {
  std::string all;
  void add(std::int64_t seq, std::string_view bytes, std::string_view hash);
  friend bool operator==(const LeafRows&, const LeafRows&) = default;
};

// What the reader of pages says of the file; nothing when it has doubts.
std::optional<LeafRows> read_quickly(const std::string& path);
// The same by SQLite alone; nothing when its integrity check is not ok.
std::optional<LeafRows> read_by_sqlite(const std::string& path);

}  // namespace ethos::support
