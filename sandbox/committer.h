// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ledger/base/result.h"
#include "ledger/record/commitment.h"
#include "sandbox/json_value.h"
#include "sandbox/plan.h"

// Values that a record must not show: they become salted commitments, and their bytes are kept
// beside the records (docs/formats/commitment.md).
namespace ethos::sandbox {

class Committer {
 public:
  // {"c","kind","n"} over `bytes`, which are kept for disclosure. Bytes over 64 MiB are a bug of
  // the caller, who has to bound them, and assert.
  Json commit(std::string_view kind, std::string bytes);

  // E-4: {base, path} as it is, or with `commit` for a place below somebody's home.
  Json path(const BasedPath& path);
  // The same for every Path inside a grant's body (G-11), and for a list over 4 KiB.
  Json grant(const Json& body);

  // What was committed to since the last call.
  std::vector<record::Disclosure> take() { return std::move(disclosures_); }

 private:
  std::vector<record::Disclosure> disclosures_;
};

// "/root", "/home/X" and what is below them, outside the workspace.
[[nodiscard]] bool is_private_place(const BasedPath& path);

// Lists longer than this, as bytes, are committed instead of written into a record.
inline constexpr std::size_t kMaxListBytes = 4096;

}  // namespace ethos::sandbox
