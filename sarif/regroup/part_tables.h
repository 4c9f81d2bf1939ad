// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sarif/regroup/index_writer.h"
#include "sarif/regroup/log_map.h"

namespace ethos::sarif {

// Which elements of a run's indexed arrays a part of the run has, in the order in which they were
// first asked for. Arrays that are kept whole keep their indices.
class PartTables final : public IndexMapper {
 public:
  // Nothing is pruned.
  explicit PartTables(const RunMap& run) : run_(run) {}
  // The large arrays have only what is asked for.
  void prune();
  [[nodiscard]] bool is_pruned(Table table) const {
    return pruned_[static_cast<std::size_t>(table)];
  }
  [[nodiscard]] bool prunes_any() const;

  // The new index; an element that was not asked for before is added. An index outside of the array
  // stays as it is.
  std::int64_t map(Table table, std::int64_t index) override;

  // Input indices of the elements that the part has, in order; grows while elements are written.
  [[nodiscard]] const std::vector<std::uint32_t>& elements(Table table) const {
    return elements_[static_cast<std::size_t>(table)];
  }
  // Bytes in the input of all elements added so far.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

  // To take back what was added since.
  struct Mark {
    std::array<std::size_t, kTableCount> counts{};
    std::uint64_t bytes = 0;
  };
  [[nodiscard]] Mark mark() const;
  void take_back(const Mark& mark);

 private:
  const RunMap& run_;
  std::array<bool, kTableCount> pruned_{};
  std::array<std::vector<std::int32_t>, kTableCount> moved_;  // by input index, -1: not there
  std::array<std::vector<std::uint32_t>, kTableCount> elements_;
  std::uint64_t bytes_ = 0;
};

}  // namespace ethos::sarif
