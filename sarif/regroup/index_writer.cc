// SPDX-License-Identifier: Apache-2.0
#include "sarif/regroup/index_writer.h"

#include <optional>

namespace ethos::sarif {

using validation::Container;
using validation::Key;
using validation::Property;
using validation::Scalar;
using validation::Type;

namespace {

const Property* property_of(Type type, Key key) {
  if (key == Key::none || type == Type::none) return nullptr;
  const std::uint8_t row = validation::property_row(type, key);
  return row == validation::kNoRow ? nullptr : &validation::object_type(type).properties[row];
}

// What a reportingDescriptorReference without a component counts in (3.52.4 leaves it to where the
// reference stands). A relationship's target may be of any kind, so its number stays.
std::optional<Table> table_of_reference(Key under, Key outer) {
  switch (under) {
    case Key::rule:
    case Key::associated_rule:
      return Table::rules;
    case Key::descriptor:
      if (outer == Key::rule_configuration_overrides) return Table::rules;
      return Table::notifications;
    default:
      return std::nullopt;
  }
}

// The array that the integer `key` of an object of `type` counts in.
std::optional<Table> table_of(Type type, Key key, const JsonView& object, Key under, Key outer) {
  const bool is_index = key == Key::index;
  const bool is_place = is_index || key == Key::parent_index;
  switch (type) {
    case Type::artifact_location:
      return is_index ? std::optional(Table::artifacts) : std::nullopt;
    case Type::artifact:
      return is_place ? std::optional(Table::artifacts) : std::nullopt;
    case Type::logical_location:
      return is_place ? std::optional(Table::logical_locations) : std::nullopt;
    case Type::address:
      return is_place ? std::optional(Table::addresses) : std::nullopt;
    case Type::thread_flow_location:
      return is_index ? std::optional(Table::thread_flow_locations) : std::nullopt;
    case Type::web_request:
      return is_index ? std::optional(Table::web_requests) : std::nullopt;
    case Type::web_response:
      return is_index ? std::optional(Table::web_responses) : std::nullopt;
    case Type::result_provenance:
      return key == Key::invocation_index ? std::optional(Table::invocations) : std::nullopt;
    case Type::graph_traversal:
      return key == Key::run_graph_index ? std::optional(Table::graphs) : std::nullopt;
    case Type::result:
      if (key != Key::rule_index || object.find_path({"rule", "toolComponent"}))
        return std::nullopt;
      return Table::rules;
    case Type::reporting_descriptor_reference:
      if (!is_index || object.find("toolComponent")) return std::nullopt;
      return table_of_reference(under, outer);
    default:
      return std::nullopt;
  }
}

}  // namespace

void IndexWriter::write_value(const JsonView& value, Type owner, std::string_view key,
                              JsonWriter& writer) {
  const Property* property = property_of(owner, validation::key_from_name(key));
  if (property == nullptr) return value.write(writer);
  write(value, *property, false, Key::none, writer);
}

void IndexWriter::write_element(const JsonView& value, Type owner, std::string_view key,
                                JsonWriter& writer) {
  const Property* property = property_of(owner, validation::key_from_name(key));
  if (property == nullptr) return value.write(writer);
  write(value, *property, true, Key::none, writer);
}

void IndexWriter::write(const JsonView& value, const Property& property, bool is_element, Key outer,
                        JsonWriter& writer) {
  if (property.scalar != Scalar::object || property.type == Type::property_bag ||
      property.type == Type::external_properties) {
    return value.write(writer);
  }
  const Container container = is_element ? Container::one : property.container;
  if (container == Container::list && value.is_array()) {
    writer.begin_array();
    for (const JsonView element : value) write(element, property, true, outer, writer);
    writer.end_array();
  } else if (container == Container::map && value.is_object()) {
    writer.begin_object();
    for (const JsonView entry : value) {
      writer.key(entry.key());
      write(entry, property, true, outer, writer);
    }
    writer.end_object();
  } else if (container == Container::one && value.is_object()) {
    write_object(value, property.type, property.key, outer, writer);
  } else {
    value.write(writer);
  }
}

void IndexWriter::write_object(const JsonView& object, Type type, Key under, Key outer,
                               JsonWriter& writer) {
  writer.begin_object();
  for (const JsonView member : object) write_member(member, object, type, under, outer, writer);
  writer.end_object();
}

void IndexWriter::write_member(const JsonView& member, const JsonView& object, Type type, Key under,
                               Key outer, JsonWriter& writer) {
  const Key key = validation::key_from_name(member.key());
  const Property* property = property_of(type, key);
  if (property == nullptr) return member.write_member(writer);
  if (property->scalar == Scalar::object) {
    writer.key(member.key());
    return write(member, *property, false, under, writer);
  }
  const auto index = member.integer();
  const auto table =
      index && *index >= 0 ? table_of(type, key, object, under, outer) : std::nullopt;
  if (!table) return member.write_member(writer);
  const std::int64_t moved = mapper_.map(*table, *index);
  if (moved == *index) return member.write_member(writer);
  writer.member_integer(member.key(), moved);
}

}  // namespace ethos::sarif
