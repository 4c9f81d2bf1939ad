// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sarif/json/reader.h"
#include "sarif/json/writer.h"

namespace ethos::sarif {

enum class JsonKind : std::uint8_t { object, array, string, number, boolean, null };

class JsonView;

// One JSON value held in memory: its tokens as written, one after the other, and a flat list of
// nodes over them. Nothing is allocated a value, and capturing the next value reuses the room of
// the last one, so a stream of many results costs one buffer.
class JsonFragment {
 public:
  // At most so many bytes of tokens; larger values are a token_too_long fault of the reader's user.
  static constexpr std::size_t kMaxBytes = std::size_t{256} << 20U;

  JsonFragment() = default;

  // Takes the value whose first event `reader` has just returned, up to its last event. False when
  // the reader failed (reader.fault() says why) or the value is larger than `max_bytes`
  // (was_too_large()).
  [[nodiscard]] bool capture(JsonReader& reader, JsonEvent first,
                             std::size_t max_bytes = kMaxBytes);
  [[nodiscard]] bool was_too_large() const { return was_too_large_; }

  // The whole value; valid as long as the fragment lives unchanged. Only after a capture.
  [[nodiscard]] JsonView root() const;

 private:
  friend class JsonView;
  struct Node {
    std::uint32_t key_begin;  // inside the quotes
    std::uint32_t key_length;
    std::uint32_t begin;  // scalars: the token as written
    std::uint32_t length;
    std::uint32_t next;  // index behind the last node of this value
    JsonKind kind;
    bool key_has_escapes;
    bool has_escapes;
    bool has_key;
  };

  void put_key(JsonReader& reader);
  void put_node(JsonReader& reader, JsonEvent event);
  [[nodiscard]] std::string_view slice(std::uint32_t begin, std::uint32_t length) const {
    return std::string_view(tokens_).substr(begin, length);
  }

  std::string tokens_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> open_;
  Node pending_{};
  bool was_too_large_ = false;
};

// A place in a fragment. Copies are cheap; the fragment must outlive it.
class JsonView {
 public:
  [[nodiscard]] JsonKind kind() const { return node().kind; }
  [[nodiscard]] bool is_object() const { return kind() == JsonKind::object; }
  [[nodiscard]] bool is_array() const { return kind() == JsonKind::array; }
  [[nodiscard]] bool is_string() const { return kind() == JsonKind::string; }
  [[nodiscard]] bool is_number() const { return kind() == JsonKind::number; }
  [[nodiscard]] bool is_null() const { return kind() == JsonKind::null; }

  // The key under which this value stands in its object, decoded.
  [[nodiscard]] std::string key() const;
  [[nodiscard]] bool key_is(std::string_view name) const;
  // The token of a scalar as written, a string with its quotes.
  [[nodiscard]] std::string_view token() const;
  // The text of a string; empty for anything else. When the reader was told to take lone surrogates
  // as bytes, it may be ill-formed UTF-8.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool text_is(std::string_view expected) const;
  // true/false; nothing for anything else.
  [[nodiscard]] std::optional<bool> boolean() const;
  // A number that is written as an integer (1, -1; not 1.0 or 1e3) and fits.
  [[nodiscard]] std::optional<std::int64_t> integer() const;

  // The member called `name`, when this is an object that has one.
  [[nodiscard]] std::optional<JsonView> find(std::string_view name) const;
  // find() through several objects: {"a","b"} is value.a.b.
  [[nodiscard]] std::optional<JsonView> find_path(
      std::initializer_list<std::string_view> names) const;
  // The element at `index` of an array.
  [[nodiscard]] std::optional<JsonView> at(std::size_t index) const;
  // Elements or members; O(n).
  [[nodiscard]] std::size_t size() const;

  class Iterator {
   public:
    Iterator(const JsonFragment* fragment, std::uint32_t index)
        : fragment_(fragment), index_(index) {}
    JsonView operator*() const { return {fragment_, index_}; }
    Iterator& operator++() {
      index_ = fragment_->nodes_[index_].next;
      return *this;
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    const JsonFragment* fragment_;
    std::uint32_t index_;
  };
  // Elements of an array, or values of an object in the order written; empty for a scalar.
  [[nodiscard]] Iterator begin() const { return {fragment_, index_ + 1}; }
  [[nodiscard]] Iterator end() const { return {fragment_, node().next}; }

  // Writes the value, or its key and the value, with its own tokens.
  void write(JsonWriter& writer) const;
  void write_member(JsonWriter& writer) const;

 private:
  friend class JsonFragment;
  JsonView(const JsonFragment* fragment, std::uint32_t index)
      : fragment_(fragment), index_(index) {}
  [[nodiscard]] const JsonFragment::Node& node() const { return fragment_->nodes_[index_]; }

  const JsonFragment* fragment_;
  std::uint32_t index_;
};

// Convenience for optional members: the text, number or flag of a member, when it has that type.
[[nodiscard]] std::string text_of(const JsonView& object, std::string_view name);
[[nodiscard]] std::optional<std::int64_t> integer_of(const JsonView& object, std::string_view name);

}  // namespace ethos::sarif
