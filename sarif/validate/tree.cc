// SPDX-License-Identifier: Apache-2.0
#include "sarif/validate/tree.h"

#include <cassert>

#include "sarif/validate/number.h"

namespace ethos::sarif::validation {

Tree::Index Tree::begin(Index parent, const Spot& spot, JsonKind kind, Key key,
                        std::string_view name) {
  const bool is_outermost = nodes_.empty();
  if (!is_outermost && parent == kNone) return kNone;
  std::uint32_t position = 0;
  if (!is_outermost && nodes_[parent].kind == JsonKind::array) position = nodes_[parent].count++;
  if (nodes_.size() >= kMaxNodes || text_.size() + name.size() > kMaxText) {
    has_overflown_ = true;
    return kNone;
  }
  Node node;
  node.spot = spot;
  node.parent = parent;
  node.kind = kind;
  node.key = key;
  node.position = position;
  node.name_begin = static_cast<std::uint32_t>(text_.size());
  node.name_length = static_cast<std::uint32_t>(name.size());
  text_.append(name);
  nodes_.push_back(node);
  return static_cast<Index>(nodes_.size() - 1);
}

void Tree::set_type(Index index, Type type) {
  if (index != kNone) nodes_[index].type = type;
}

void Tree::set_text(Index index, std::string_view text) {
  if (index == kNone) return;
  if (text_.size() + text.size() > kMaxText) {
    has_overflown_ = true;
    return;
  }
  nodes_[index].text_begin = static_cast<std::uint32_t>(text_.size());
  nodes_[index].text_length = static_cast<std::uint32_t>(text.size());
  text_.append(text);
}

void Tree::set_flag(Index index, bool is_true) {
  if (index != kNone) nodes_[index].is_true = is_true;
}

void Tree::end(Index index) {
  if (index != kNone) nodes_[index].next = static_cast<Index>(nodes_.size());
}

void Tree::drop(Index index) {
  if (index == kNone) return;
  assert(index < nodes_.size() && nodes_[index].next == nodes_.size());
  text_.resize(nodes_[index].name_begin);
  nodes_.resize(index);
}

Value Tree::at(Index index) const {
  assert(index < nodes_.size());
  return {this, index};
}

bool Tree::take_overflow() {
  const bool was = has_overflown_;
  has_overflown_ = false;
  return was;
}

std::string_view Value::name() const { return slice(node().name_begin, node().name_length); }

std::string_view Value::text() const { return slice(node().text_begin, node().text_length); }

std::optional<bool> Value::flag() const {
  if (kind() != JsonKind::boolean) return std::nullopt;
  return node().is_true;
}

std::optional<std::int64_t> Value::integer() const {
  if (kind() != JsonKind::number) return std::nullopt;
  return integer_from_token(text());
}

std::optional<Value> Value::find(Key key) const {
  std::optional<Value> found;
  if (!is_object()) return found;
  for (const Value member : *this) {
    if (member.key() == key) found = member;
  }
  return found;
}

std::optional<Value> Value::find(Key first, Key second) const {
  const std::optional<Value> outer = find(first);
  return outer ? outer->find(second) : std::nullopt;
}

std::optional<std::string_view> Value::text_of(Key key) const {
  const std::optional<Value> member = find(key);
  if (!member || !member->is_string()) return std::nullopt;
  return member->text();
}

std::optional<std::int64_t> Value::integer_of(Key key) const {
  const std::optional<Value> member = find(key);
  return member ? member->integer() : std::nullopt;
}

std::string Value::pointer() const {
  if (!has_parent()) return {};
  std::string pointer = parent().pointer();
  if (parent().is_array()) {
    pointer += '/';
    pointer += std::to_string(position());
  } else {
    append_pointer_token(pointer, key() == Key::none ? name() : key_name(key()));
  }
  return pointer;
}

void append_pointer_token(std::string& pointer, std::string_view token) {
  pointer += '/';
  for (const char c : token) {
    if (c == '~') {
      pointer += "~0";
    } else if (c == '/') {
      pointer += "~1";
    } else {
      pointer += c;
    }
  }
}

}  // namespace ethos::sarif::validation
