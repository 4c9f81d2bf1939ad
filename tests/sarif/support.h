// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sarif/json/byte_source.h"

namespace ethos::support {

// The folder of optional third-party data, when it is there.
std::optional<std::filesystem::path> shared_sarif_dir();

std::string read_all(const std::filesystem::path& path);

std::string decode_base64(std::string_view text);

// Hands out `bytes` in pieces of `step`, to put every token across a buffer edge.
class TricklingSource final : public sarif::ByteSource {
 public:
  TricklingSource(std::string_view bytes, std::size_t step) : rest_(bytes), step_(step) {}
  std::ptrdiff_t read(std::span<char> into) override;

 private:
  std::string_view rest_;
  std::size_t step_;
};

}  // namespace ethos::support
