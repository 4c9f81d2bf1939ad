// SPDX-License-Identifier: Apache-2.0
#include "tests/sandbox/run_site.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

namespace ethos::support {
namespace {

namespace fs = std::filesystem;

// Whether another user can get to the programs: not when the tree lies in a closed home directory.
bool is_open_to_others() {
  fs::path at = ETHOS_BIN;
  for (; at != at.root_path(); at = at.parent_path()) {
    if ((fs::status(at).permissions() & fs::perms::others_exec) == fs::perms::none) return false;
  }
  return true;
}

}  // namespace

bool can_build_cages() {
  const Site site;
  return site.run({"--", "/bin/true"}).status == 0;
}

std::vector<std::optional<uid_t>> callers() {
  std::vector<std::optional<uid_t>> out = {std::nullopt};
  if (::geteuid() != 0) return out;
  if (is_open_to_others())
    out.emplace_back(kUser);
  else
    WARN("not run as an ordinary user: the build folder is closed to others");
  return out;
}

std::vector<std::string> types_of(const std::vector<sandbox::JsonNode>& records) {
  std::vector<std::string> out;
  for (const sandbox::JsonNode& r : records) out.push_back(text_at(r, {"type"}));
  return out;
}

void make_ledger(const Site& site) {
  REQUIRE(site.run({"--read", "gone", "--", "true"}).status == 120);
}

}  // namespace ethos::support
