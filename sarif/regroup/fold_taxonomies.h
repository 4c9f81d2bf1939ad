// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sarif/json/fragment.h"
#include "sarif/json/writer.h"
#include "sarif/regroup/index_writer.h"
#include "sarif/validate/item_digest.h"

namespace ethos::sarif {

// The taxonomies of several runs: components that agree in all but their taxa become one with the
// taxa of all. A compiler lists only the weaknesses that a run has found, so that no two runs
// agree.
class TaxonomyUnion {
 public:
  explicit TaxonomyUnion(const validation::ItemHasher& hasher) : hasher_(hasher) {}
  // The array of one run; `mapper` moves the indices in it.
  void add(const JsonView& taxonomies, IndexMapper& mapper);
  void write(JsonWriter& writer) const;

 private:
  struct Component {
    std::vector<std::pair<std::string, std::string>> members;  // without taxa: key, tokens
    std::vector<std::string> taxa;
    bool has_taxa = false;
    validation::DigestSet seen;
  };
  void add_component(const JsonView& component, IndexMapper& mapper);

  const validation::ItemHasher& hasher_;
  std::vector<Component> components_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> known_;
};

}  // namespace ethos::sarif
