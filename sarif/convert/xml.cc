// SPDX-License-Identifier: Apache-2.0
#include "sarif/convert/xml.h"

#include <expat.h>

#include <memory>
#include <optional>

#include "sarif/convert/input.h"

namespace ethos::sarif {
namespace {

constexpr int kMaxDepth = 64;
constexpr std::size_t kMaxAttributes = 256;

struct ParserDeleter {
  void operator()(XML_Parser parser) const { XML_ParserFree(parser); }
};
using Parser = std::unique_ptr<std::remove_pointer_t<XML_Parser>, ParserDeleter>;

struct State {
  XML_Parser parser;
  const XmlHandlers& handlers;
  int depth = 0;
  std::optional<base::Error> failure;

  void stop(base::Error error) {
    if (!failure) failure = std::move(error);
    XML_StopParser(parser, XML_FALSE);
  }
};

State& state_of(void* data) { return *static_cast<State*>(data); }

void on_begin(void* data, const XML_Char* name, const XML_Char** attributes) {
  State& state = state_of(data);
  if (state.failure) return;
  if (++state.depth > kMaxDepth) {
    state.stop({base::Errc::too_large, "nested too deeply"});
    return;
  }
  XmlAttributes found;
  for (; *attributes != nullptr; attributes += 2) {
    if (found.size() >= kMaxAttributes) {
      state.stop({base::Errc::too_large, "too many attributes"});
      return;
    }
    found.emplace(attributes[0], attributes[1]);
  }
  auto done = state.handlers.on_begin(name, found);
  if (!done) state.stop(std::move(done).error());
}

void on_end(void* data, const XML_Char* name) {
  State& state = state_of(data);
  if (state.failure) return;
  --state.depth;
  auto done = state.handlers.on_end(name);
  if (!done) state.stop(std::move(done).error());
}

void on_text(void* data, const XML_Char* text, int length) {
  State& state = state_of(data);
  if (state.failure || !state.handlers.on_text) return;
  state.handlers.on_text({text, static_cast<std::size_t>(length)});
}

void on_doctype(void* data, const XML_Char*, const XML_Char*, const XML_Char*,
                int has_internal_subset) {
  if (has_internal_subset != 0) {
    state_of(data).stop({base::Errc::malformed, "a document type with declarations of its own"});
  }
}

void on_entity(void* data, const XML_Char*, int, const XML_Char*, int, const XML_Char*,
               const XML_Char*, const XML_Char*, const XML_Char*) {
  state_of(data).stop({base::Errc::malformed, "an entity declaration"});
}

}  // namespace

base::Result<void> read_xml(ByteSource& source, const XmlHandlers& handlers) {
  // The whole text at once: expat 2.5 parses a long token again for each piece it comes in.
  auto text = read_whole(source);
  if (!text) return base::Unexpected(std::move(text).error());
  std::string_view document = *text;
  const std::size_t begin = document.find("<?xml");
  if (begin != std::string_view::npos) document.remove_prefix(begin);
  if (document.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    return base::fail(base::Errc::malformed, "the input is empty");
  }
  const Parser parser(XML_ParserCreate(nullptr));
  if (!parser) return base::fail(base::Errc::io, "no memory for the XML parser");
  State state{parser.get(), handlers, 0, std::nullopt};
  XML_SetUserData(parser.get(), &state);
  XML_SetElementHandler(parser.get(), on_begin, on_end);
  XML_SetCharacterDataHandler(parser.get(), on_text);
  XML_SetStartDoctypeDeclHandler(parser.get(), on_doctype);
  XML_SetEntityDeclHandler(parser.get(), on_entity);
  static_assert(kMaxNativeBytes < std::size_t{1} << 31U, "the length is an int");
  const XML_Status status =
      XML_Parse(parser.get(), document.data(), static_cast<int>(document.size()), XML_TRUE);
  if (state.failure) {
    const std::string line = std::to_string(XML_GetCurrentLineNumber(parser.get()));
    return base::Unexpected(std::move(*state.failure).with_context("line " + line));
  }
  if (status != XML_STATUS_OK) {
    return base::fail(base::Errc::malformed,
                      "line " + std::to_string(XML_GetCurrentLineNumber(parser.get())) + ": " +
                          XML_ErrorString(XML_GetErrorCode(parser.get())));
  }
  return {};
}

}  // namespace ethos::sarif
