// SPDX-License-Identifier: Apache-2.0
// The tables of object types against the published schema, when it is there.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "sarif/validate/schema.h"
#include "tests/sarif/support.h"

namespace ethos::sarif::validation {
namespace {

using nlohmann::json;

Type type_from_name(const std::string& name) {
  for (std::size_t i = 1; i < kTypeCount; ++i) {
    const auto type = static_cast<Type>(i);
    if (object_type(type).name == name) return type;
  }
  return Type::none;
}

std::string type_name(const json& schema) {
  if (!schema.contains("$ref")) return {};
  const std::string reference = schema["$ref"];
  return reference.substr(reference.rfind('/') + 1);
}

Format format_of(const json& element) {
  static const std::map<std::string, Format> kFormats = {{"uri", Format::uri},
                                                         {"uri-reference", Format::uri_reference},
                                                         {"date-time", Format::date_time}};
  if (element.contains("format")) return kFormats.at(element["format"]);
  if (!element.contains("pattern")) return Format::none;
  const std::string pattern = element["pattern"];
  if (pattern == "^[a-zA-Z]{2}(-[a-zA-Z]{2})?$") return Format::language;
  if (pattern == "[^/]+/.+") return Format::mime_type;
  if (pattern == "[0-9]+(\\.[0-9]+){3}") return Format::dotted_quad;
  CHECK(pattern ==
        "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-5][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-"
        "[0-9a-fA-F]{12}$");
  return Format::guid;
}

Scalar scalar_of(const json& element) {
  static const std::map<std::string, Scalar> kScalars = {{"string", Scalar::text},
                                                         {"integer", Scalar::integer},
                                                         {"number", Scalar::number},
                                                         {"boolean", Scalar::flag}};
  return element.contains("$ref") ? Scalar::object : kScalars.at(element["type"]);
}

void compare_element(const Property& row, const json& element) {
  CHECK(row.scalar == scalar_of(element));
  if (row.scalar == Scalar::object) CHECK(object_type(row.type).name == type_name(element));
  CHECK(row.format == format_of(element));
  CHECK(row.has_minimum == element.contains("minimum"));
  CHECK(row.has_maximum == element.contains("maximum"));
  if (row.has_minimum) CHECK(element["minimum"] == static_cast<double>(row.minimum));
  if (row.has_maximum) CHECK(element["maximum"] == static_cast<double>(row.maximum));
  std::vector<std::string> words;
  if (element.contains("enum")) words = element["enum"].get<std::vector<std::string>>();
  const auto ours = words_of(row.words);
  CHECK(words == std::vector<std::string>(ours.begin(), ours.end()));
  // Every keyword is one that was looked at.
  const std::set<std::string> known = {"type",    "$ref", "format",      "pattern", "minimum",
                                       "maximum", "enum", "description", "default"};
  for (const auto& [keyword, value] : element.items()) {
    CAPTURE(keyword);
    CHECK(known.count(keyword) == 1);
  }
}

void compare_property(const Property& row, const json& property) {
  const json type = property.value("type", json());
  const bool is_list = type == "array" || type.is_array();
  CHECK(row.may_be_null == type.is_array());
  if (type.is_array()) CHECK(type == json({"array", "null"}));
  if (is_list) {
    CHECK(row.container == Container::list);
    CHECK(row.items_differ == property.value("uniqueItems", false));
    CHECK(row.least_items == property.value("minItems", 0));
    compare_element(row, property["items"]);
  } else if (type == "object") {
    CHECK(row.container == Container::map);
    compare_element(row, property["additionalProperties"]);
  } else {
    CHECK(row.container == Container::one);
    compare_element(row, property);
  }
}

std::set<std::string> names(const std::array<Key, 3>& keys) {
  std::set<std::string> out;
  for (const Key key : keys) {
    if (key != Key::none) out.emplace(key_name(key));
  }
  return out;
}

std::set<std::string> alternatives(const json& definition, const char* keyword) {
  std::set<std::string> out;
  for (const json& alternative : definition.value(keyword, json::array())) {
    REQUIRE(alternative.size() == 1);
    REQUIRE(alternative["required"].size() == 1);
    out.insert(alternative["required"][0]);
  }
  return out;
}

void compare_type(const ObjectType& type, const json& definition) {
  CHECK(type.is_open == definition.value("additionalProperties", true));
  CHECK(names(type.all_of) == definition.value("required", std::set<std::string>()));
  CHECK(names(type.any_of) == alternatives(definition, "anyOf"));
  CHECK(names(type.one_of) == alternatives(definition, "oneOf"));
  std::set<std::string> seen;
  for (const Property& row : type.properties) {
    const std::string name(key_name(row.key));
    CAPTURE(name);
    CHECK(seen.insert(name).second);
    // Some words of property bags are services' own: the schema says nothing about them.
    if (row.scalar == Scalar::anything) {
      CHECK(type.is_open);
      continue;
    }
    REQUIRE(definition["properties"].contains(name));
    compare_property(row, definition["properties"][name]);
  }
  for (const auto& [name, property] : definition["properties"].items()) {
    CAPTURE(name);
    CHECK(seen.count(name) == 1);
  }
}

TEST_CASE("validate: the tables say what the published schema says", "[sarif][validate]") {
  const auto shared = support::shared_sarif_dir();
  if (!shared) {
    WARN("skipped: shared data not present");
    return;
  }
  const json schema = json::parse(support::read_all(*shared / "sarif-schema-2.1.0.json"));
  std::size_t compared = 1;
  compare_type(object_type(Type::sarif_log), schema);
  for (const auto& [name, definition] : schema["definitions"].items()) {
    CAPTURE(name);
    const Type type = type_from_name(name);
    REQUIRE(type != Type::none);
    compare_type(object_type(type), definition);
    ++compared;
  }
  CHECK(compared == kTypeCount - 1);
}

TEST_CASE("validate: every property name finds its key, and no other text does",
          "[sarif][validate]") {
  for (std::size_t i = 1; i < kKeyCount; ++i) {
    const auto key = static_cast<Key>(i);
    CAPTURE(key_name(key));
    CHECK(key_from_name(key_name(key)) == key);
    CHECK(key_from_name(std::string(key_name(key)) + "x") == Key::none);
  }
  CHECK(key_from_name("") == Key::none);
  CHECK(key_from_name("ruleid") == Key::none);
}

}  // namespace
}  // namespace ethos::sarif::validation
