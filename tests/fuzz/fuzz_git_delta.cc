// SPDX-License-Identifier: Apache-2.0
// A delta gives what it announces or nothing; the first byte says how much of the input is the
// base.
#include <algorithm>

#include "sandbox/git_store.h"
#include "tests/fuzz/property.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view all = ethos::fuzz::text_of(data, size);
  if (all.empty()) return 0;
  const std::size_t base =
      std::min<std::size_t>(static_cast<unsigned char>(all[0]), all.size() - 1);
  const auto out = ethos::sandbox::apply_git_delta(all.substr(1, base), all.substr(1 + base));
  ethos::fuzz::require(!out || out->size() <= ethos::sandbox::kMaxGitObject);
  return 0;
}
