// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ledger/base/result.h"
#include "sarif/json/fragment.h"
#include "sarif/json/writer.h"

namespace ethos::sarif {

// What several logs have beside their runs, for the one that is made of them.
class LogRest {
 public:
  // A top-level member of log `number` (from 1). inlineExternalProperties are put one behind the
  // other. Properties are united; a name that two logs use for different values is kept as NAME and
  // NAME@2. Others must agree: Errc::mismatch. $schema and version are not for here.
  base::Result<void> add(std::string_view key, const JsonView& value, std::size_t number);
  void write(JsonWriter& writer) const;

 private:
  // In the order of their first appearance, and found by name: a log may have very many.
  struct Members {
    std::vector<std::pair<std::string, std::string>> list;  // name, tokens
    std::unordered_map<std::string, std::size_t> by_name;
    // The tokens under `name`, after `tokens` was added when there were none.
    const std::string& add(const std::string& name, std::string tokens);
  };
  void add_property(const std::string& name, const std::string& tokens, std::size_t number);

  std::vector<std::string> external_;
  Members bag_;
  Members others_;
};

inline constexpr std::string_view kRunReference = "sarif:/runs/";
// `text` with the number behind each "sarif:/runs/" changed by `move`.
[[nodiscard]] std::string move_run_references(std::string_view text,
                                              const std::function<std::size_t(std::size_t)>& move);

// copy_value() with every reference to a run moved.
[[nodiscard]] bool copy_moving_references(JsonReader& reader, JsonEvent first, JsonWriter& writer,
                                          const std::function<std::size_t(std::size_t)>& move);

// A value as its compact tokens, and those as a value again.
[[nodiscard]] std::string tokens_of(const JsonView& value);
void write_tokens(JsonWriter& writer, const std::string& tokens);

}  // namespace ethos::sarif
