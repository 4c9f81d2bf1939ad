// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ethos::sarif {

// The keys of every object that is open at the moment, so that a second one of the same name is
// seen. Memory is that of the open objects' keys, not of the file. Comparison is by decoded text,
// exact (no hash decides), and stays O(log n) for objects with very many members, so that a hostile
// file cannot make it quadratic.
class DuplicateKeys {
 public:
  void open_object();
  void close_object();
  // Notes `key` in the innermost object; false when it was there already.
  [[nodiscard]] bool insert(std::string_view key);
  // The key noted last in the object `depth` objects from the outside (0 = outermost).
  [[nodiscard]] std::string_view last_key(std::size_t depth) const;
  [[nodiscard]] std::size_t open_objects() const { return objects_.size(); }
  [[nodiscard]] std::size_t member_count() const;

 private:
  struct Key {
    std::size_t begin;
    std::size_t length;
    std::uint64_t mark;  // first eight bytes: lets most comparisons end at once
  };
  struct Object {
    std::size_t first_key;
    std::size_t first_byte;
    std::set<std::string, std::less<>> many;  // used once the object has more than kFew keys
  };
  static constexpr std::size_t kFew = 24;

  [[nodiscard]] std::string_view text(const Key& key) const;

  std::string bytes_;
  std::vector<Key> keys_;
  std::vector<Object> objects_;
};

}  // namespace ethos::sarif
