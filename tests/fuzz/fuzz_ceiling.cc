// SPDX-License-Identifier: Apache-2.0
// The canonical form of a ceiling, read again as a ceiling, has the same canonical form.
#include "sandbox/ceiling.h"
#include "sandbox/json_value.h"
#include "tests/fuzz/property.h"

namespace {

using ethos::sandbox::Json;

// "memory_bytes": the canonical name of a limit is not the one a ceiling is written with.
Json written(const Json& canonical) {
  Json out = canonical;
  out["version"] = 1;
  if (const auto* limits = out.object(); limits->contains("limits")) {
    Json renamed;
    constexpr std::pair<const char*, const char*> kNames[] = {{"wall_ms", "wall"},
                                                              {"memory_bytes", "memory"},
                                                              {"swap_bytes", "swap"},
                                                              {"cpu_percent", "cpu"},
                                                              {"io_read_bps", "io_read"},
                                                              {"io_write_bps", "io_write"},
                                                              {"pids", "pids"},
                                                              {"output_bytes", "output"},
                                                              {"file_bytes", "file_size"},
                                                              {"open_files", "open_files"},
                                                              {"scratch_bytes", "scratch"},
                                                              {"staged_bytes", "staged"},
                                                              {"inodes", "inodes"}};
    for (const auto& [normal, key] : kNames) {
      const auto* object = out["limits"].object();
      const auto it = object->find(normal);
      if (it == object->end()) continue;
      const std::string suffix = std::string(normal) == "wall_ms"       ? "ms"
                                 : std::string(normal) == "cpu_percent" ? "%"
                                                                        : "";
      renamed[key] = it->second.encode() + suffix;
    }
    out["limits"] = std::move(renamed);
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ethos::sandbox;
  const auto ceiling = parse_ceiling(ethos::fuzz::text_of(data, size));
  if (!ceiling) return 0;
  const Json canonical = encode_ceiling(*ceiling);
  const auto again = parse_ceiling(written(canonical).encode());
  // Escapes can make the canonical text longer than a file may be.
  if (!again && again.error().code == ethos::base::Errc::too_large) return 0;
  ethos::fuzz::require(again.has_value() && encode_ceiling(*again) == canonical);
  return 0;
}
