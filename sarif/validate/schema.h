// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include "sarif/validate/keys.h"

namespace ethos::sarif::validation {

// The object types of SARIF 2.1.0 with errata 01, named as in its JSON schema.
enum class Type : std::uint8_t {
  none,
  sarif_log,
  address,
  artifact,
  artifact_change,
  artifact_content,
  artifact_location,
  attachment,
  code_flow,
  configuration_override,
  conversion,
  edge,
  edge_traversal,
  exception,
  external_properties,
  external_property_file_reference,
  external_property_file_references,
  fix,
  graph,
  graph_traversal,
  invocation,
  location,
  location_relationship,
  logical_location,
  message,
  multiformat_message_string,
  node,
  notification,
  physical_location,
  property_bag,
  rectangle,
  region,
  replacement,
  reporting_configuration,
  reporting_descriptor,
  reporting_descriptor_reference,
  reporting_descriptor_relationship,
  result,
  result_provenance,
  run,
  run_automation_details,
  special_locations,
  stack,
  stack_frame,
  suppression,
  thread_flow,
  thread_flow_location,
  tool,
  tool_component,
  tool_component_reference,
  translation_metadata,
  version_control_details,
  web_request,
  web_response
};
inline constexpr std::size_t kTypeCount = static_cast<std::size_t>(Type::web_response) + 1;

enum class Container : std::uint8_t { one, list, map };
enum class Scalar : std::uint8_t { anything, text, integer, number, flag, object };
// Shapes that a text must have. uri is absolute, uri_reference may be relative (RFC 3986).
enum class Format : std::uint8_t {
  none,
  uri,
  uri_reference,
  date_time,
  guid,
  language,
  mime_type,
  dotted_quad
};
// Closed lists of words.
enum class Words : std::uint8_t {
  none,
  version,
  roles,
  level,
  kind,
  baseline_state,
  column_kind,
  suppression_kind,
  suppression_status,
  importance,
  contents
};

// What may stand under one key of one object type.
struct Property {
  Key key = Key::none;
  Container container = Container::one;
  Scalar scalar = Scalar::anything;  // of the value, or of each element
  Type type = Type::none;            // for Scalar::object
  Format format = Format::none;
  Words words = Words::none;
  bool may_be_null = false;
  bool items_differ = false;  // no two equal elements
  bool has_minimum = false;
  bool has_maximum = false;
  std::uint8_t least_items = 0;
  std::int16_t minimum = 0;
  std::int16_t maximum = 0;
};

struct ObjectType {
  Type type = Type::none;
  std::string_view name;
  std::span<const Property> properties;
  std::array<Key, 3> all_of{};  // each must be there; Key::none fills up
  std::array<Key, 3> any_of{};  // at least one must be there
  std::array<Key, 3> one_of{};  // exactly one must be there
  bool is_open = false;         // other keys may stand in it

  constexpr ObjectType(Type t, std::string_view n, std::span<const Property> p)
      : type(t), name(n), properties(p) {}
  [[nodiscard]] constexpr ObjectType requires_all(std::initializer_list<Key> keys) const {
    return with(&ObjectType::all_of, keys);
  }
  [[nodiscard]] constexpr ObjectType requires_any(std::initializer_list<Key> keys) const {
    return with(&ObjectType::any_of, keys);
  }
  [[nodiscard]] constexpr ObjectType requires_one(std::initializer_list<Key> keys) const {
    return with(&ObjectType::one_of, keys);
  }
  [[nodiscard]] constexpr ObjectType allows_others() const {
    ObjectType copy = *this;
    copy.is_open = true;
    return copy;
  }

 private:
  [[nodiscard]] constexpr ObjectType with(std::array<Key, 3> ObjectType::*list,
                                          std::initializer_list<Key> keys) const {
    ObjectType copy = *this;
    std::size_t i = 0;
    for (const Key key : keys) (copy.*list)[i++] = key;
    return copy;
  }
};

[[nodiscard]] const ObjectType& object_type(Type type);

// The row of `key` in object_type(type).properties, or kNoRow. A constant number of steps.
inline constexpr std::uint8_t kNoRow = 0xFF;
[[nodiscard]] std::uint8_t property_row(Type type, Key key);

[[nodiscard]] std::span<const std::string_view> words_of(Words words);

}  // namespace ethos::sarif::validation
