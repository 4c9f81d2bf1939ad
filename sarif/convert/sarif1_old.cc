// SPDX-License-Identifier: Apache-2.0
#include "sarif/convert/sarif1_old.h"

#include <vector>

#include "sarif/uri.h"

namespace ethos::sarif::sarif1 {
namespace {

constexpr std::string_view kRest = "sarif1";

}  // namespace

std::optional<std::size_t> index_in(const Indices& indices, std::string_view key) {
  const auto found = indices.find(key);
  return found == indices.end() ? std::nullopt : std::optional(found->second);
}

bool is_level(std::string_view word) {
  return word == "note" || word == "warning" || word == "error";
}

std::string reference_of(const std::string& text) {
  return is_uri_reference(text) ? text : encode_uri_path(text);
}

std::optional<JsonView> Old::take(std::string_view key) {
  taken_.emplace(key);
  return object_.find(key);
}

std::string Old::take_text(std::string_view key) {
  const auto value = take(key);
  return value ? value->text() : std::string();
}

void Old::copy(std::string_view key, std::string_view name, JsonWriter& writer) {
  const auto value = take(key);
  if (!value || value->is_null()) return;
  writer.key(name);
  value->write(writer);
}

void Old::copy_all(std::initializer_list<std::string_view> keys, JsonWriter& writer) {
  for (const std::string_view key : keys) copy(key, key, writer);
}

void Old::copy_message(std::string_view key, std::string_view name, JsonWriter& writer) {
  const auto value = take(key);
  if (!value || !value->is_string()) return;
  writer.key(name);
  writer.begin_object();
  writer.key("text");
  value->write(writer);
  writer.end_object();
}

void Old::write_properties(JsonWriter& writer) {
  const auto bag = take("properties");
  const auto tags = take("tags");
  std::vector<JsonView> rest;
  for (const JsonView member : object_) {
    if (!taken_.contains(member.key())) rest.push_back(member);
  }
  const bool has_bag = bag && bag->is_object() && bag->size() > 0;
  if (!has_bag && rest.empty() && !tags) return;
  writer.key("properties");
  writer.begin_object();
  if (has_bag) {
    for (const JsonView one : *bag) {
      if (!one.key_is(kRest) && !(tags && one.key_is("tags"))) one.write_member(writer);
    }
  }
  if (tags) tags->write_member(writer);
  if (!rest.empty()) {
    writer.key(kRest);
    writer.begin_object();
    for (const JsonView one : rest) one.write_member(writer);
    writer.end_object();
  }
  writer.end_object();
}

}  // namespace ethos::sarif::sarif1
