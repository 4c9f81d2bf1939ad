// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "sarif/validate/item_digest.h"

namespace ethos::sarif {

// Where the elements of one array are after equal ones were merged.
class Remap {
 public:
  // The next element: it stays, or is one with an element before.
  void add(const validation::ItemDigest& digest);
  // Nothing is merged after all.
  void keep_all();

  [[nodiscard]] bool is_trivial() const { return merged_ == 0; }
  // Index, in the input, of the element that `index` is merged with; nothing when it stays.
  [[nodiscard]] std::optional<std::size_t> merged_with(std::size_t index) const;
  // Index in the output, when it differs from `index`.
  [[nodiscard]] std::optional<std::int64_t> moved(std::int64_t index) const;

 private:
  struct Spread {
    std::size_t operator()(const validation::ItemDigest& digest) const {
      return static_cast<std::size_t>(digest.low);
    }
  };
  std::unordered_map<validation::ItemDigest, std::uint32_t, Spread> first_;
  std::vector<std::uint32_t> original_;  // by input index: the element it is equal to
  std::vector<std::uint32_t> position_;  // by input index: output index of that element
  std::uint32_t kept_ = 0;
  std::size_t merged_ = 0;
};

// What has to be known of a run before its results can be written.
struct RunTables {
  Remap driver_rules;
  std::vector<Remap> extension_rules;
  Remap artifacts;
  Remap logical_locations;
};

}  // namespace ethos::sarif
