// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "ledger/base/result.h"
#include "sarif/json/byte_source.h"

namespace ethos::sarif {

using XmlAttributes = std::map<std::string, std::string, std::less<>>;

// The events of an XML document. A handler that fails ends the reading with its error.
struct XmlHandlers {
  std::function<base::Result<void>(std::string_view name, const XmlAttributes&)> on_begin;
  std::function<base::Result<void>(std::string_view name)> on_end;
  std::function<void(std::string_view text)> on_text;  // may be empty
};

// Reads one XML document (expat). A document type with a subset of its own, and with it every
// declared entity, is refused, so nothing is expanded or fetched; at most 64 elements deep. Bytes
// before the XML declaration that a tool printed on the same stream are passed over.
base::Result<void> read_xml(ByteSource& source, const XmlHandlers& handlers);

}  // namespace ethos::sarif
