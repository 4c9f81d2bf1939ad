// SPDX-License-Identifier: Apache-2.0
#include "sarif/validate/scalar_check.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sarif/validate/formats.h"
#include "sarif/validate/number.h"

namespace ethos::sarif::validation {
namespace {

std::optional<Check> check_text(const Property& property, std::string_view text) {
  if (property.words != Words::none) {
    const auto words = words_of(property.words);
    if (std::find(words.begin(), words.end(), text) == words.end()) return Check::unknown_word;
  }
  if (has_format(text, property.format)) return std::nullopt;
  switch (property.format) {
    case Format::uri:
      return Check::not_a_uri;
    case Format::uri_reference:
      return Check::not_a_uri_reference;
    case Format::date_time:
      return Check::not_a_date_time;
    case Format::guid:
      return Check::not_a_guid;
    default:
      return Check::wrong_pattern;
  }
}

std::optional<Check> check_number(const Property& property, std::string_view token) {
  const double value = double_from_token(token);
  if (property.scalar == Scalar::integer ? !is_whole(value) : !std::isfinite(value)) {
    return Check::wrong_type;
  }
  if (property.has_minimum && value < property.minimum) return Check::out_of_range;
  if (property.has_maximum && value > property.maximum) return Check::out_of_range;
  return std::nullopt;
}

std::string describe_range(const Property& property) {
  if (!property.has_minimum) return {};
  const std::string minimum = std::to_string(property.minimum);
  if (!property.has_maximum) return " of at least " + minimum;
  return " from " + minimum + " to " + std::to_string(property.maximum);
}

std::string describe_words(Words words) {
  std::string out = words_of(words).size() == 1 ? "" : "one of ";
  const char* separator = "";
  for (const std::string_view word : words_of(words)) {
    out += separator;
    out += word;
    separator = ", ";
  }
  return out;
}

std::string describe_one(const Property& property) {
  switch (property.scalar) {
    case Scalar::integer:
      return "an integer" + describe_range(property);
    case Scalar::number:
      return "a number" + describe_range(property);
    case Scalar::flag:
      return "true or false";
    case Scalar::object:
      return "an object";
    case Scalar::text:
    case Scalar::anything:
      break;
  }
  return "a string";
}

std::string describe_form(Format format) {
  if (format == Format::language) return "a language such as en or en-US";
  if (format == Format::mime_type) return "a MIME type such as text/plain";
  return "a version such as 1.2.3.4";
}

// "Level" is meant as "level"; a change of case costs little.
std::size_t distance(std::string_view a, std::string_view b) {
  constexpr std::size_t kLongest = 48;
  if (a.size() >= kLongest || b.size() >= kLongest) return kLongest;
  const auto lower = [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  std::array<std::size_t, kLongest> row{};
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      const std::size_t replaced = diagonal + (lower(a[i - 1]) == lower(b[j - 1]) ? 0U : 1U);
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

std::optional<Check> check_scalar(const Property& property, JsonEvent event, std::string_view token,
                                  std::string_view text) {
  switch (property.scalar) {
    case Scalar::anything:
      return std::nullopt;
    case Scalar::text:
      if (event != JsonEvent::string) return Check::wrong_type;
      return check_text(property, text);
    case Scalar::integer:
    case Scalar::number:
      if (event != JsonEvent::number) return Check::wrong_type;
      return check_number(property, token);
    case Scalar::flag:
      if (event == JsonEvent::literal_true || event == JsonEvent::literal_false) break;
      return Check::wrong_type;
    case Scalar::object:
      return Check::wrong_type;
  }
  return std::nullopt;
}

std::string describe_expected(const Property& property, bool is_element) {
  if (!is_element && property.container == Container::list) return "an array";
  if (!is_element && property.container == Container::map) return "an object";
  return describe_one(property);
}

std::string_view describe_event(JsonEvent event) {
  switch (event) {
    case JsonEvent::begin_object:
      return "an object";
    case JsonEvent::begin_array:
      return "an array";
    case JsonEvent::string:
      return "a string";
    case JsonEvent::number:
      return "a number";
    case JsonEvent::literal_true:
      return "true";
    case JsonEvent::literal_false:
      return "false";
    default:
      return "null";
  }
}

Explanation explain_scalar(Check check, const Property& property, bool is_element, JsonEvent event,
                           std::string_view token, std::string_view text) {
  const std::string name =
      property.key == Key::none ? "The log" : std::string(key_name(property.key));
  const std::string subject = is_element && property.key != Key::none ? "An item of " + name : name;
  switch (check) {
    case Check::wrong_type: {
      std::string found(describe_event(event));
      if (event == JsonEvent::number) found += " (" + std::string(token.substr(0, 40)) + ")";
      std::string fix;
      if (event == JsonEvent::literal_null && property.container == Container::list) {
        fix = "Write [] for none, or leave the property out.";
      } else if (event == JsonEvent::literal_null) {
        fix = "Leave the property out when there is no value.";
      }
      return {subject + " must be " + describe_expected(property, is_element) + ", but is " +
                  found + ".",
              fix};
    }
    case Check::out_of_range:
      return {
          subject + " is " + std::string(token.substr(0, 40)) + ", but must be " +
              describe_one(property) + ".",
          property.minimum == 1 ? "Leave it out when it is not known; counting starts at 1." : ""};
    case Check::unknown_word:
      return subject + " is " + quoted(text) + ", but must be " + describe_words(property.words) +
             ".";
    case Check::not_a_uri:
      return subject + " is " + quoted(text) + ", which is no absolute URI.";
    case Check::not_a_uri_reference:
      return subject + " is " + quoted(text) + ", which is no URI reference.";
    case Check::not_a_date_time:
      return subject + " is " + quoted(text) + ", which is no time with a zone.";
    case Check::not_a_guid:
      return subject + " is " + quoted(text) + ", which is no UUID of version 1 to 5.";
    default:
      return subject + " is " + quoted(text) + ", which is not " + describe_form(property.format) +
             ".";
  }
}

std::string_view similar_name(std::string_view unknown, const ObjectType& type) {
  std::string_view best;
  std::size_t least = 1 + unknown.size() / 4;
  for (const Property& property : type.properties) {
    const std::string_view name = key_name(property.key);
    const std::size_t far = distance(unknown, name);
    if (far < least || (far == least && best.empty())) {
      least = far;
      best = name;
    }
  }
  return best;
}

}  // namespace ethos::sarif::validation
