// SPDX-License-Identifier: Apache-2.0
#include "sarif/repair/log_walk.h"

#include "sarif/log/reading.h"
#include "sarif/validate/tree.h"

namespace ethos::sarif {

using validation::Container;
using validation::Key;
using validation::Property;
using validation::Scalar;
using validation::Type;

namespace {

// Objects that grow with the file, and are therefore not held in memory.
bool is_walked(Type type) {
  return type == Type::sarif_log || type == Type::run || type == Type::tool ||
         type == Type::tool_component;
}

// Lists that grow with the file.
bool is_walked_list(const Property& property) {
  return property.container == Container::list && property.scalar == Scalar::object &&
         property.type != Type::external_properties;
}

class LogWalk {
 public:
  LogWalk(JsonReader& reader, LogHandler& handler) : reader_(reader), handler_(handler) {}

  base::Result<void> run() {
    const JsonEvent first = reader_.next();
    if (first == JsonEvent::error) return reader_failure(reader_);
    if (first != JsonEvent::begin_object) {
      return base::fail(base::Errc::malformed, "no SARIF log: the text is no object");
    }
    auto done = object(Type::sarif_log, {});
    if (!done) return done;
    if (reader_.next() != JsonEvent::end) return reader_failure(reader_);
    if (!has_version_) return base::fail(base::Errc::malformed, "no SARIF log: it has no version");
    return {};
  }

 private:
  base::Result<void> object(Type type, const std::string& pointer) {
    handler_.begin_object(type, pointer);
    for (JsonEvent event = reader_.next(); event != JsonEvent::end_object; event = reader_.next()) {
      if (event != JsonEvent::key) return reader_failure(reader_);
      const std::string name(reader_.text());
      const JsonEvent first = reader_.next();
      if (first == JsonEvent::error) return reader_failure(reader_);
      auto done = member(type, name, first, pointer);
      if (!done) return done;
    }
    handler_.end_object(type, pointer);
    return {};
  }

  base::Result<void> member(Type type, const std::string& name, JsonEvent first,
                            const std::string& parent) {
    const Key key = validation::key_from_name(name);
    const std::uint8_t row =
        key == Key::none ? validation::kNoRow : validation::property_row(type, key);
    if (row == validation::kNoRow || key == Key::properties ||
        key == Key::inline_external_properties) {
      handler_.key(name);
      return handler_.unknown(reader_, first);
    }
    if (type == Type::sarif_log && key == Key::version) {
      has_version_ = true;
      auto known = check_version(first == JsonEvent::string ? reader_.text() : reader_.raw());
      if (!known) return known;
    }
    const Property& property = validation::object_type(type).properties[row];
    std::string pointer = parent;
    validation::append_pointer_token(pointer, name);
    if (property.container == Container::one && is_walked(property.type) &&
        first == JsonEvent::begin_object) {
      handler_.key(name);
      return object(property.type, pointer);
    }
    if (is_walked_list(property) && first == JsonEvent::begin_array) {
      handler_.key(name);
      return list(property, pointer);
    }
    auto captured = capture(first);
    if (!captured) return captured;
    return handler_.member(fragment_.root(), name, type, parent);
  }

  base::Result<void> list(const Property& property, const std::string& pointer) {
    handler_.begin_list(property, pointer);
    std::size_t index = 0;
    for (JsonEvent event = reader_.next(); event != JsonEvent::end_array; event = reader_.next()) {
      if (event == JsonEvent::error) return reader_failure(reader_);
      const std::string place = pointer + "/" + std::to_string(index);
      auto done = is_walked(property.type) && event == JsonEvent::begin_object
                      ? object(property.type, place)
                      : element(property, index, place, event);
      if (!done) return done;
      ++index;
    }
    handler_.end_list();
    return {};
  }

  base::Result<void> element(const Property& property, std::size_t index, const std::string& place,
                             JsonEvent first) {
    auto captured = capture(first);
    if (!captured) return captured;
    return handler_.element(fragment_.root(), property, index, place);
  }

  base::Result<void> capture(JsonEvent first) {
    if (fragment_.capture(reader_, first, kMaxElementBytes)) return {};
    return capture_failure(reader_, fragment_);
  }

  JsonReader& reader_;
  LogHandler& handler_;
  JsonFragment fragment_;
  bool has_version_ = false;
};

}  // namespace

base::Result<void> walk_log(JsonReader& reader, LogHandler& handler) {
  return LogWalk(reader, handler).run();
}

}  // namespace ethos::sarif
