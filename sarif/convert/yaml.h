// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/base/result.h"

namespace ethos::sarif {

// A value of the part of YAML that programs write: block maps and lists, plain and quoted scalars
// (also over several lines), literal and folded blocks, [] and {}. No anchors, tags or flows.
struct YamlNode {
  enum class Kind { null, scalar, list, map };
  Kind kind = Kind::null;
  std::string name;             // of a value in a map
  std::string text;             // of a scalar
  std::vector<YamlNode> items;  // of a list, and the values of a map

  // nullptr when there is no such member.
  [[nodiscard]] const YamlNode* find(std::string_view key) const;
  [[nodiscard]] std::string text_of(std::string_view key) const;
};

using YamlHandler = std::function<base::Result<void>(const YamlNode&)>;

// Reads a document whose top level is a map. Each item of the list `list` goes to `item` as it is
// read; every other member goes to `other` with its key. Errc::malformed with the line where it
// stops being such a document.
base::Result<void> read_yaml(
    std::string_view text, std::string_view list, const YamlHandler& item,
    const std::function<base::Result<void>(const std::string& key, const YamlNode&)>& other);

}  // namespace ethos::sarif
