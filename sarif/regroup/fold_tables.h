// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ledger/base/result.h"
#include "sarif/regroup/fold_plan.h"
#include "sarif/regroup/index_writer.h"

namespace ethos::sarif {

// Where the elements of the indexed arrays of several runs are in the arrays of the one run that
// they become. Sixteen bytes an element while they are put together, four afterwards.
class FoldTables {
 public:
  FoldTables(const std::vector<FoldInput>& inputs, const FoldGroup& group,
             const validation::ItemHasher& hasher)
      : inputs_(inputs), group_(group), hasher_(hasher), places_(group.size()) {}

  base::Result<void> build();

  // Elements in the array of the new run.
  [[nodiscard]] std::size_t count(Table table) const {
    return counts_[static_cast<std::size_t>(table)];
  }
  // Index in the new run of element `index` of run `member` of the group. One that is outside of
  // its array stays outside of the new one.
  [[nodiscard]] std::int64_t place(std::size_t member, Table table, std::int64_t index) const;
  // New index of the first rule called `id`.
  [[nodiscard]] std::optional<std::uint32_t> first_rule(const std::string& id) const;

 private:
  base::Result<void> build_table(Table table);
  base::Result<void> build_invocations();
  void note_rules();

  const std::vector<FoldInput>& inputs_;
  const FoldGroup& group_;
  const validation::ItemHasher& hasher_;
  JsonFragment fragment_;
  std::array<std::size_t, kTableCount> counts_{};
  std::vector<std::array<std::vector<std::uint32_t>, kTableCount>> places_;  // by member
  std::map<std::string, std::uint32_t> first_rules_;
};

// The mapper for what stands in run `member`.
class FoldMapper final : public IndexMapper {
 public:
  FoldMapper(const FoldTables& tables, std::size_t member) : tables_(tables), member_(member) {}
  std::int64_t map(Table table, std::int64_t index) override {
    return tables_.place(member_, table, index);
  }

 private:
  const FoldTables& tables_;
  std::size_t member_;
};

// The type of the objects that have the array.
[[nodiscard]] validation::Type owner_of(Table table);

}  // namespace ethos::sarif
