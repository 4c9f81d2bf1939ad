// SPDX-License-Identifier: Apache-2.0
#include "sarif/regroup/fold_taxonomies.h"

#include "sarif/log/log_rest.h"
#include "sarif/regroup/exact_digest.h"

namespace ethos::sarif {

using validation::ItemDigest;
using validation::ItemHasher;

void TaxonomyUnion::add(const JsonView& taxonomies, IndexMapper& mapper) {
  for (const JsonView component : taxonomies) add_component(component, mapper);
}

void TaxonomyUnion::add_component(const JsonView& component, IndexMapper& mapper) {
  Component fresh;
  ItemDigest sum;
  for (const JsonView member : component) {
    if (member.key_is("taxa") && member.is_array()) continue;
    sum = ItemHasher::add(
        sum, hasher_.member(hasher_.text(member.key()), exact_digest(member, hasher_)));
    StringSink text;
    JsonWriter writer(text, JsonLayout::compact);
    IndexWriter(mapper).write_value(member, validation::Type::tool_component, member.key(), writer);
    fresh.members.emplace_back(member.key(), text.text());
  }
  const auto [entry, is_new] = known_.try_emplace({sum.high, sum.low}, components_.size());
  if (is_new) components_.push_back(std::move(fresh));
  Component& known = components_[entry->second];
  const auto taxa = component.find("taxa");
  if (!taxa || !taxa->is_array()) return;
  known.has_taxa = true;
  for (const JsonView taxon : *taxa) {
    if (known.seen.insert(exact_digest(taxon, hasher_))) known.taxa.push_back(tokens_of(taxon));
  }
}

void TaxonomyUnion::write(JsonWriter& writer) const {
  writer.begin_array();
  for (const Component& component : components_) {
    writer.begin_object();
    for (const auto& [key, tokens] : component.members) {
      writer.key(key);
      write_tokens(writer, tokens);
    }
    if (component.has_taxa) {
      writer.key("taxa");
      writer.begin_array();
      for (const std::string& taxon : component.taxa) write_tokens(writer, taxon);
      writer.end_array();
    }
    writer.end_object();
  }
  writer.end_array();
}

}  // namespace ethos::sarif
