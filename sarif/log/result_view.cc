// SPDX-License-Identifier: Apache-2.0
#include "sarif/log/result_view.h"

#include "sarif/uri.h"

namespace ethos::sarif {

std::optional<JsonView> primary_location(const JsonView& result) {
  const auto locations = result.find("locations");
  const auto first = locations ? locations->at(0) : std::nullopt;
  return first ? first->find("physicalLocation") : std::nullopt;
}

std::string primary_uri(const JsonView& result) {
  const auto place = primary_location(result);
  const auto uri = place ? place->find_path({"artifactLocation", "uri"}) : std::nullopt;
  return uri ? uri->text() : std::string();
}

std::string primary_path(const JsonView& result) {
  const std::string uri = primary_uri(result);
  return decode_uri_path(uri).value_or(uri);
}

std::int64_t primary_line(const JsonView& result) {
  const auto place = primary_location(result);
  const auto line = place ? place->find_path({"region", "startLine"}) : std::nullopt;
  return line ? line->integer().value_or(0) : 0;
}

std::string message_text(const JsonView& result) {
  const auto message = result.find("message");
  if (!message) return {};
  for (const std::string_view key : {"text", "markdown", "id"}) {
    std::string text = text_of(*message, key);
    if (!text.empty()) return text;
  }
  return {};
}

}  // namespace ethos::sarif
