// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sarif/validate/schema.h"

// The words in which the tables of object types are written: each gives one row.
namespace ethos::sarif::validation {

constexpr Property anything(Key key) { return {.key = key}; }
constexpr Property text(Key key) { return {.key = key, .scalar = Scalar::text}; }
constexpr Property shaped(Key key, Format format) {
  return {.key = key, .scalar = Scalar::text, .format = format};
}
constexpr Property uri(Key key) { return shaped(key, Format::uri); }
constexpr Property uri_reference(Key key) { return shaped(key, Format::uri_reference); }
constexpr Property time(Key key) { return shaped(key, Format::date_time); }
constexpr Property guid(Key key) { return shaped(key, Format::guid); }
constexpr Property language(Key key) { return shaped(key, Format::language); }
constexpr Property mime_type(Key key) { return shaped(key, Format::mime_type); }
constexpr Property dotted_quad(Key key) { return shaped(key, Format::dotted_quad); }
constexpr Property word(Key key, Words words) {
  return {.key = key, .scalar = Scalar::text, .words = words};
}
constexpr Property flag(Key key) { return {.key = key, .scalar = Scalar::flag}; }
constexpr Property integer(Key key) { return {.key = key, .scalar = Scalar::integer}; }
constexpr Property integer(Key key, std::int16_t minimum) {
  return {.key = key, .scalar = Scalar::integer, .has_minimum = true, .minimum = minimum};
}
constexpr Property number(Key key) { return {.key = key, .scalar = Scalar::number}; }
constexpr Property number(Key key, std::int16_t minimum, std::int16_t maximum) {
  return {.key = key,
          .scalar = Scalar::number,
          .has_minimum = true,
          .has_maximum = true,
          .minimum = minimum,
          .maximum = maximum};
}
constexpr Property object(Key key, Type type) {
  return {.key = key, .scalar = Scalar::object, .type = type};
}
constexpr Property list(Property element, std::uint8_t least_items = 0) {
  element.container = Container::list;
  element.least_items = least_items;
  return element;
}
constexpr Property unique_list(Property element, std::uint8_t least_items = 0) {
  element.items_differ = true;
  return list(element, least_items);
}
constexpr Property map(Property value) {
  value.container = Container::map;
  return value;
}
constexpr Property or_null(Property property) {
  property.may_be_null = true;
  return property;
}

}  // namespace ethos::sarif::validation
