// SPDX-License-Identifier: Apache-2.0
#include "sarif/regroup/exact_digest.h"

#include <cassert>

namespace ethos::sarif {

using validation::ItemDigest;
using validation::ItemHasher;

ItemDigest exact_digest(const JsonView& value, const ItemHasher& hasher) {
  switch (value.kind()) {
    case JsonKind::string:
      return hasher.text(value.text());
    case JsonKind::number:
      // Not a text of that form: the digest of an array is none of a text.
      return hasher.array(hasher.text(value.token()), 0);
    case JsonKind::boolean:
      return hasher.literal(value.boolean() == true ? 't' : 'f');
    case JsonKind::null:
      return hasher.literal('n');
    case JsonKind::array: {
      ItemDigest state;
      std::uint64_t count = 0;
      for (const JsonView element : value) {
        state = hasher.element(state, exact_digest(element, hasher));
        ++count;
      }
      return hasher.array(state, count);
    }
    case JsonKind::object:
      break;
  }
  ItemDigest sum;
  std::uint64_t count = 0;
  for (const JsonView member : value) {
    sum = ItemHasher::add(sum,
                          hasher.member(hasher.text(member.key()), exact_digest(member, hasher)));
    ++count;
  }
  return hasher.object(sum, count);
}

ItemDigest exact_digest_of_text(const std::string& json, const ItemHasher& hasher) {
  MemorySource source(json);
  JsonReader reader(source);
  JsonFragment fragment;
  const bool is_captured = fragment.capture(reader, reader.next());
  assert(is_captured);
  return is_captured ? exact_digest(fragment.root(), hasher) : ItemDigest{};
}

}  // namespace ethos::sarif
