// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "sarif/json/fragment.h"
#include "sarif/json/writer.h"
#include "sarif/regroup/log_map.h"
#include "sarif/validate/schema.h"

namespace ethos::sarif {

// Says where the element `index` (0 or more) of an array has gone.
class IndexMapper {
 public:
  IndexMapper() = default;
  IndexMapper(const IndexMapper&) = delete;
  IndexMapper& operator=(const IndexMapper&) = delete;
  virtual ~IndexMapper() = default;
  virtual std::int64_t map(Table table, std::int64_t index) = 0;
};

// Writes a value token by token as it was, but for the indices into the arrays of Table, which go
// through `mapper`. What the schema does not know, and property bags, are copied unseen. An index
// that counts in a component which is named beside it, and one into taxonomies, stays.
class IndexWriter {
 public:
  explicit IndexWriter(IndexMapper& mapper) : mapper_(mapper) {}

  // The value of the member `key` of an object of `owner`: an object, array or scalar.
  void write_value(const JsonView& value, validation::Type owner, std::string_view key,
                   JsonWriter& writer);
  // One element of the array that is the member `key` of an object of `owner`.
  void write_element(const JsonView& value, validation::Type owner, std::string_view key,
                     JsonWriter& writer);
  // A member with its key, of an object of `type` that stands under `under` in an `outer`.
  void write_member(const JsonView& member, const JsonView& object, validation::Type type,
                    validation::Key under, validation::Key outer, JsonWriter& writer);

 private:
  void write(const JsonView& value, const validation::Property& property, bool is_element,
             validation::Key outer, JsonWriter& writer);
  void write_object(const JsonView& object, validation::Type type, validation::Key under,
                    validation::Key outer, JsonWriter& writer);

  IndexMapper& mapper_;
};

}  // namespace ethos::sarif
