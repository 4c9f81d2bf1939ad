// SPDX-License-Identifier: Apache-2.0
#include "tests/sarif/support.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace ethos::support {

std::optional<std::filesystem::path> shared_sarif_dir() {
  const char* from_environment = std::getenv("ETHOS_SHARED");
  std::filesystem::path dir = from_environment != nullptr ? from_environment : ETHOS_SHARED_DEFAULT;
  dir /= "sarif";
  if (!std::filesystem::is_directory(dir)) return std::nullopt;
  return dir;
}

std::string read_all(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::string decode_base64(std::string_view text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  unsigned bits = 0;
  unsigned count = 0;
  for (const char c : text) {
    const std::size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) break;
    bits = (bits << 6U) | static_cast<unsigned>(digit);
    count += 6;
    if (count >= 8) {
      count -= 8;
      out.push_back(static_cast<char>((bits >> count) & 0xFFU));
    }
  }
  return out;
}

std::ptrdiff_t TricklingSource::read(std::span<char> into) {
  const std::size_t count = std::min({into.size(), rest_.size(), step_});
  std::copy_n(rest_.begin(), count, into.begin());
  rest_.remove_prefix(count);
  return static_cast<std::ptrdiff_t>(count);
}

}  // namespace ethos::support
