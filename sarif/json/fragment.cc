// SPDX-License-Identifier: Apache-2.0
#include "sarif/json/fragment.h"

#include <cassert>
#include <charconv>

namespace ethos::sarif {
namespace {

JsonKind kind_of(JsonEvent event) {
  switch (event) {
    case JsonEvent::begin_object:
      return JsonKind::object;
    case JsonEvent::begin_array:
      return JsonKind::array;
    case JsonEvent::string:
      return JsonKind::string;
    case JsonEvent::number:
      return JsonKind::number;
    case JsonEvent::literal_true:
    case JsonEvent::literal_false:
      return JsonKind::boolean;
    default:
      return JsonKind::null;
  }
}

// A reader that refuses lone surrogates has let none through: as_bytes is right for both kinds.
std::string decode(std::string_view raw, bool has_escapes) {
  if (!has_escapes) return std::string(raw);
  std::string out;
  append_unescaped(out, raw, LoneSurrogates::as_bytes);
  return out;
}

}  // namespace

void JsonFragment::put_key(JsonReader& reader) {
  const std::string_view raw = reader.raw();
  pending_.key_begin = static_cast<std::uint32_t>(tokens_.size() + 1);
  pending_.key_length = static_cast<std::uint32_t>(raw.size() - 2);
  pending_.key_has_escapes = reader.has_escapes();
  pending_.has_key = true;
  tokens_.append(raw);
}

void JsonFragment::put_node(JsonReader& reader, JsonEvent event) {
  Node node = pending_;
  pending_ = {};
  node.kind = kind_of(event);
  node.begin = static_cast<std::uint32_t>(tokens_.size());
  node.length = static_cast<std::uint32_t>(reader.raw().size());
  node.has_escapes = event == JsonEvent::string && reader.has_escapes();
  node.next = static_cast<std::uint32_t>(nodes_.size() + 1);
  tokens_.append(reader.raw());
  if (node.kind == JsonKind::object || node.kind == JsonKind::array) {
    open_.push_back(static_cast<std::uint32_t>(nodes_.size()));
  }
  nodes_.push_back(node);
}

bool JsonFragment::capture(JsonReader& reader, JsonEvent first, std::size_t max_bytes) {
  assert(max_bytes <= kMaxBytes);
  tokens_.clear();
  nodes_.clear();
  open_.clear();
  pending_ = {};
  was_too_large_ = false;
  JsonEvent event = first;
  while (true) {
    // Nodes are counted too: "[[[[..." and "[0,0,..." have more nodes than bytes would tell.
    const std::size_t cost = tokens_.size() + reader.raw().size() + nodes_.size() * 4;
    if (cost > max_bytes) {
      was_too_large_ = true;
      return false;
    }
    switch (event) {
      case JsonEvent::error:
      case JsonEvent::end:
        return false;
      case JsonEvent::key:
        put_key(reader);
        break;
      case JsonEvent::end_object:
      case JsonEvent::end_array:
        nodes_[open_.back()].next = static_cast<std::uint32_t>(nodes_.size());
        open_.pop_back();
        break;
      default:
        put_node(reader, event);
    }
    if (open_.empty()) return true;
    event = reader.next();
  }
}

JsonView JsonFragment::root() const {
  assert(!nodes_.empty() && open_.empty());
  return {this, 0};
}

std::string JsonView::key() const {
  const auto& n = node();
  return decode(fragment_->slice(n.key_begin, n.key_length), n.key_has_escapes);
}

bool JsonView::key_is(std::string_view name) const {
  const auto& n = node();
  if (n.key_has_escapes) return key() == name;
  return n.has_key && fragment_->slice(n.key_begin, n.key_length) == name;
}

std::string_view JsonView::token() const { return fragment_->slice(node().begin, node().length); }

std::string JsonView::text() const {
  if (!is_string()) return {};
  const std::string_view quoted = token();
  return decode(quoted.substr(1, quoted.size() - 2), node().has_escapes);
}

bool JsonView::text_is(std::string_view expected) const {
  if (!is_string()) return false;
  if (node().has_escapes) return text() == expected;
  const std::string_view quoted = token();
  return quoted.substr(1, quoted.size() - 2) == expected;
}

std::optional<bool> JsonView::boolean() const {
  if (kind() != JsonKind::boolean) return std::nullopt;
  return token() == "true";
}

std::optional<std::int64_t> JsonView::integer() const {
  if (!is_number()) return std::nullopt;
  const std::string_view digits = token();
  std::int64_t value = 0;
  const auto done = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (done.ec != std::errc{} || done.ptr != digits.data() + digits.size()) return std::nullopt;
  return value;
}

std::optional<JsonView> JsonView::find(std::string_view name) const {
  if (!is_object()) return std::nullopt;
  for (const JsonView member : *this) {
    if (member.key_is(name)) return member;
  }
  return std::nullopt;
}

std::optional<JsonView> JsonView::find_path(std::initializer_list<std::string_view> names) const {
  std::optional<JsonView> here = *this;
  for (const std::string_view name : names) {
    here = here->find(name);
    if (!here) return std::nullopt;
  }
  return here;
}

std::optional<JsonView> JsonView::at(std::size_t index) const {
  if (!is_array()) return std::nullopt;
  for (const JsonView element : *this) {
    if (index == 0) return element;
    --index;
  }
  return std::nullopt;
}

std::size_t JsonView::size() const {
  std::size_t count = 0;
  for (auto it = begin(); it != end(); ++it) ++count;
  return count;
}

void JsonView::write(JsonWriter& writer) const {
  switch (kind()) {
    case JsonKind::object:
      writer.begin_object();
      for (const JsonView member : *this) member.write_member(writer);
      writer.end_object();
      break;
    case JsonKind::array:
      writer.begin_array();
      for (const JsonView element : *this) element.write(writer);
      writer.end_array();
      break;
    default:
      writer.raw_scalar(token());
  }
}

void JsonView::write_member(JsonWriter& writer) const {
  const auto& n = node();
  writer.raw_key(fragment_->slice(n.key_begin - 1, n.key_length + 2));
  write(writer);
}

std::string text_of(const JsonView& object, std::string_view name) {
  const auto member = object.find(name);
  return member ? member->text() : std::string();
}

std::optional<std::int64_t> integer_of(const JsonView& object, std::string_view name) {
  const auto member = object.find(name);
  return member ? member->integer() : std::nullopt;
}

}  // namespace ethos::sarif
