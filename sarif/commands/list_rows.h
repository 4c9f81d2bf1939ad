// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "sarif/json/byte_source.h"
#include "sarif/json/writer.h"
#include "sarif/log/listing.h"

namespace ethos::sarif {

// Writes a list of findings in one of the formats of `list`.
class ListRows {
 public:
  ListRows() = default;
  ListRows(const ListRows&) = delete;
  ListRows& operator=(const ListRows&) = delete;
  virtual ~ListRows() = default;

  virtual void begin() {}
  virtual void row(const ListedResult& result) = 0;
  virtual void end() {}
};

// text, csv, json, markdown, html, code-climate or github; nullptr for another word.
[[nodiscard]] std::unique_ptr<ListRows> make_list_rows(std::string_view format, ByteSink& sink);

}  // namespace ethos::sarif
