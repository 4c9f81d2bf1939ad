// SPDX-License-Identifier: Apache-2.0
#include "sarif/json/copy.h"

namespace ethos::sarif {
namespace {

bool opens(JsonEvent event) {
  return event == JsonEvent::begin_object || event == JsonEvent::begin_array;
}

// Hands one event on; false for an error or the end of the text.
bool copy_event(JsonReader& reader, JsonEvent event, JsonWriter& writer) {
  switch (event) {
    case JsonEvent::begin_object:
      writer.begin_object();
      return true;
    case JsonEvent::end_object:
      writer.end_object();
      return true;
    case JsonEvent::begin_array:
      writer.begin_array();
      return true;
    case JsonEvent::end_array:
      writer.end_array();
      return true;
    case JsonEvent::key:
      writer.raw_key(reader.raw());
      return true;
    case JsonEvent::end:
    case JsonEvent::error:
      return false;
    default:
      writer.raw_scalar(reader.raw());
      return true;
  }
}

}  // namespace

bool copy_value(JsonReader& reader, JsonEvent first, JsonWriter& writer) {
  const std::size_t outside = opens(first) ? reader.depth() - 1 : reader.depth();
  if (!copy_event(reader, first, writer)) return false;
  while (reader.depth() > outside) {
    if (!copy_event(reader, reader.next(), writer)) return false;
  }
  return true;
}

bool skip_value(JsonReader& reader, JsonEvent first) {
  const std::size_t outside = opens(first) ? reader.depth() - 1 : reader.depth();
  JsonEvent event = first;
  while (event != JsonEvent::error && reader.depth() > outside) event = reader.next();
  return event != JsonEvent::error && event != JsonEvent::end;
}

}  // namespace ethos::sarif
