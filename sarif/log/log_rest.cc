// SPDX-License-Identifier: Apache-2.0
#include "sarif/log/log_rest.h"

#include <charconv>

#include "sarif/json/copy.h"

namespace ethos::sarif {

std::string tokens_of(const JsonView& value) {
  StringSink sink;
  JsonWriter writer(sink, JsonLayout::compact);
  value.write(writer);
  return sink.text();
}

void write_tokens(JsonWriter& writer, const std::string& tokens) {
  MemorySource source(tokens);
  JsonReader reader(source);
  static_cast<void>(copy_value(reader, reader.next(), writer));
}

std::string move_run_references(std::string_view text,
                                const std::function<std::size_t(std::size_t)>& move) {
  std::string out;
  while (true) {
    const std::size_t at = text.find(kRunReference);
    if (at == std::string_view::npos) return out + std::string(text);
    out += text.substr(0, at + kRunReference.size());
    text.remove_prefix(at + kRunReference.size());
    std::size_t number = 0;
    const auto done = std::from_chars(text.data(), text.data() + text.size(), number);
    if (done.ec != std::errc{} || number > 1'000'000) continue;
    out += std::to_string(move(number));
    text.remove_prefix(static_cast<std::size_t>(done.ptr - text.data()));
  }
}

bool copy_moving_references(JsonReader& reader, JsonEvent first, JsonWriter& writer,
                            const std::function<std::size_t(std::size_t)>& move) {
  const bool opens = first == JsonEvent::begin_object || first == JsonEvent::begin_array;
  const std::size_t outside = opens ? reader.depth() - 1 : reader.depth();
  for (JsonEvent event = first;; event = reader.next()) {
    switch (event) {
      case JsonEvent::error:
      case JsonEvent::end:
        return false;
      case JsonEvent::begin_object:
        writer.begin_object();
        break;
      case JsonEvent::end_object:
        writer.end_object();
        break;
      case JsonEvent::begin_array:
        writer.begin_array();
        break;
      case JsonEvent::end_array:
        writer.end_array();
        break;
      case JsonEvent::key:
        writer.raw_key(reader.raw());
        break;
      case JsonEvent::string:
        if (reader.text().find(kRunReference) != std::string_view::npos) {
          writer.string(move_run_references(reader.text(), move));
          break;
        }
        [[fallthrough]];
      default:
        writer.raw_scalar(reader.raw());
    }
    if (reader.depth() <= outside) return true;
  }
}

base::Result<void> LogRest::add(std::string_view key, const JsonView& value, std::size_t number) {
  if (key == "inlineExternalProperties" && value.is_array()) {
    for (const JsonView one : value) external_.push_back(tokens_of(one));
    return {};
  }
  if (key == "properties" && value.is_object()) {
    for (const JsonView one : value) add_property(one.key(), tokens_of(one), number);
    return {};
  }
  const std::string tokens = tokens_of(value);
  const std::string name(key);
  if (others_.add(name, tokens) == tokens) return {};
  return base::fail(base::Errc::mismatch, "the logs disagree on \"" + name + "\"");
}

const std::string& LogRest::Members::add(const std::string& name, std::string tokens) {
  const auto [at, is_new] = by_name.try_emplace(name, list.size());
  if (is_new) list.emplace_back(name, std::move(tokens));
  return list[at->second].second;
}

void LogRest::add_property(const std::string& name, const std::string& tokens, std::size_t number) {
  const std::string marked = name + "@" + std::to_string(number);
  std::string free = name;
  // A log that was merged before may have names with a mark of its own.
  for (std::size_t again = 1; bag_.add(free, tokens) != tokens; ++again) {
    free = again == 1 ? marked : marked + "." + std::to_string(again);
  }
}

void LogRest::write(JsonWriter& writer) const {
  if (!external_.empty()) {
    writer.key("inlineExternalProperties");
    writer.begin_array();
    for (const std::string& one : external_) write_tokens(writer, one);
    writer.end_array();
  }
  if (!bag_.list.empty()) {
    writer.key("properties");
    writer.begin_object();
    for (const auto& [name, tokens] : bag_.list) {
      writer.key(name);
      write_tokens(writer, tokens);
    }
    writer.end_object();
  }
  for (const auto& [name, tokens] : others_.list) {
    writer.key(name);
    write_tokens(writer, tokens);
  }
}

}  // namespace ethos::sarif
