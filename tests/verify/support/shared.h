// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

namespace ethos::support {

// Third-party vectors lie outside the repository: $ETHOS_SHARED, else beside the source tree.
inline std::filesystem::path shared_dir() {
  const char* named = std::getenv("ETHOS_SHARED");
  return named != nullptr ? named : ETHOS_SHARED_DEFAULT;
}

inline std::filesystem::path vectors(const std::string& name) { return shared_dir() / "vectors" / name; }

inline std::string slurp(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline nlohmann::json load_json(const std::filesystem::path& path) {
  return nlohmann::json::parse(slurp(path), nullptr, false);
}

}  // namespace ethos::support
