// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>

#include "sarif/model.h"

namespace ethos::sarif {

// Collects the rules of one run in the order of their first finding: one descriptor an id, however
// many findings there are.
class RuleBook {
 public:
  explicit RuleBook(ConvertedRun& run) : run_(run) {}

  // Index of the rule `id`; `describe(id)` makes it when it is new.
  template <typename Describe>
  std::size_t index_of(const std::string& id, Describe&& describe) {
    const auto [at, is_new] = indices_.try_emplace(id, run_.rules.size());
    if (is_new) run_.rules.push_back(std::forward<Describe>(describe)(id));
    return at->second;
  }

 private:
  ConvertedRun& run_;
  std::unordered_map<std::string, std::size_t> indices_;
};

}  // namespace ethos::sarif
