// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sarif/json/fragment.h"
#include "sarif/validate/schema.h"

namespace ethos::sarif::validation {

// Where something stands in the file.
struct Spot {
  std::uint64_t offset = 0;
  std::uint64_t line = 0;
  std::uint64_t column = 0;
};

class Value;

// The values that are open at the moment and those around them, as one flat list in the order of
// the file: enough to look at a whole result at once, without the rest of the log. What the schema
// does not know is not in it. Full at kMaxNodes or kMaxText; then it takes no more and says so.
class Tree {
 public:
  using Index = std::uint32_t;
  static constexpr Index kNone = 0xFFFFFFFF;
  static constexpr std::size_t kMaxNodes = std::size_t{1} << 20U;
  static constexpr std::size_t kMaxText = std::size_t{64} << 20U;

  struct Node {
    Spot spot;
    Index parent = kNone;
    Index next = 0;  // behind the last node of this value; 0 while it is open
    std::uint32_t text_begin = 0;
    std::uint32_t text_length = 0;
    std::uint32_t name_begin = 0;  // the key, when its author chose it
    std::uint32_t name_length = 0;
    std::uint32_t position = 0;  // among its siblings in an array
    std::uint32_t count = 0;     // elements of an array, those that were dropped included
    JsonKind kind = JsonKind::null;
    Type type = Type::none;
    Key key = Key::none;
    bool is_true = false;
  };

  // Adds a value below `parent` (kNone for the outermost). kNone when it is full, or `parent` is
  // not in the tree itself.
  Index begin(Index parent, const Spot& spot, JsonKind kind, Key key, std::string_view name);
  void set_type(Index index, Type type);
  void set_text(Index index, std::string_view text);
  void set_flag(Index index, bool is_true);
  // Ends a value: its node becomes readable.
  void end(Index index);
  // Takes out the value and everything behind it. It must be the last one.
  void drop(Index index);

  [[nodiscard]] Value at(Index index) const;
  // Whether something found no room since the last call.
  [[nodiscard]] bool take_overflow();

 private:
  friend class Value;
  std::vector<Node> nodes_;
  std::string text_;
  bool has_overflown_ = false;
};

// A value in the tree. Cheap to copy; valid until the value is dropped.
class Value {
 public:
  Value(const Tree* tree, Tree::Index index) : tree_(tree), index_(index) {}

  [[nodiscard]] Type type() const { return node().type; }
  [[nodiscard]] JsonKind kind() const { return node().kind; }
  [[nodiscard]] Key key() const { return node().key; }
  [[nodiscard]] const Spot& spot() const { return node().spot; }
  // The key of a member whose name the author of the file chose.
  [[nodiscard]] std::string_view name() const;
  [[nodiscard]] bool is_object() const { return kind() == JsonKind::object; }
  [[nodiscard]] bool is_array() const { return kind() == JsonKind::array; }
  [[nodiscard]] bool is_string() const { return kind() == JsonKind::string; }
  [[nodiscard]] bool is_null() const { return kind() == JsonKind::null; }
  // The text of a string, the digits of a number; empty for anything else.
  [[nodiscard]] std::string_view text() const;
  [[nodiscard]] std::optional<bool> flag() const;
  // A whole number that fits into 64 bits.
  [[nodiscard]] std::optional<std::int64_t> integer() const;
  // Elements of an array, those that are no longer in the tree included.
  [[nodiscard]] std::uint32_t count() const { return node().count; }
  [[nodiscard]] std::uint32_t position() const { return node().position; }

  // The member under `key`; the last one when there are several, as JSON readers take it.
  [[nodiscard]] std::optional<Value> find(Key key) const;
  [[nodiscard]] std::optional<Value> find(Key first, Key second) const;
  // Text or number of a member, when it has that type.
  [[nodiscard]] std::optional<std::string_view> text_of(Key key) const;
  [[nodiscard]] std::optional<std::int64_t> integer_of(Key key) const;
  [[nodiscard]] bool has(Key key) const { return find(key).has_value(); }

  [[nodiscard]] bool has_parent() const { return node().parent != Tree::kNone; }
  [[nodiscard]] Value parent() const { return {tree_, node().parent}; }
  // RFC 6901.
  [[nodiscard]] std::string pointer() const;

  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Value;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = Value;

    Iterator(const Tree* tree, Tree::Index index) : tree_(tree), index_(index) {}
    Value operator*() const { return {tree_, index_}; }
    Iterator& operator++() {
      index_ = Value(tree_, index_).behind();
      return *this;
    }
    Iterator operator++(int) {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    const Tree* tree_;
    Tree::Index index_;
  };
  // Members or elements that are still in the tree, in the order of the file.
  [[nodiscard]] Iterator begin() const { return {tree_, index_ + 1}; }
  [[nodiscard]] Iterator end() const { return {tree_, behind()}; }

  // Calls `visit` with this value and every object below it, outer ones first.
  template <typename Visit>
  void each_object(Visit visit) const {
    for (Tree::Index i = index_; i < behind(); ++i) {
      const Value value(tree_, i);
      if (value.type() != Type::none) visit(value);
    }
  }

 private:
  friend class Tree;
  // Index of what follows; a value that is still open reaches to the end of the list.
  [[nodiscard]] Tree::Index behind() const {
    const Tree::Index next = node().next;
    return next != 0 ? next : static_cast<Tree::Index>(tree_->nodes_.size());
  }
  [[nodiscard]] const Tree::Node& node() const { return tree_->nodes_[index_]; }
  [[nodiscard]] std::string_view slice(std::uint32_t begin, std::uint32_t length) const {
    return std::string_view(tree_->text_).substr(begin, length);
  }

  const Tree* tree_;
  Tree::Index index_;
};

// Appends "/token", escaped by RFC 6901.
void append_pointer_token(std::string& pointer, std::string_view token);

}  // namespace ethos::sarif::validation
