// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ledger/base/result.h"
#include "ledger/base/unique_fd.h"
#include "sandbox/enforced.h"
#include "sandbox/interruption.h"

// Contents of regular files that a tool wrote. Neither file changes meanwhile. When the
// interruption says stop, all of it ends with Errc::refused.
namespace ethos::sandbox {

struct FileContent {
  std::uint64_t bytes = 0;
  Sha256 sha256{};
};

// The digest of a whole file; holes are not read.
[[nodiscard]] base::Result<FileContent> digest_file(const base::UniqueFd& from,
                                                    const std::string& name,
                                                    Interruption& interruption);
// The same, and an empty file `to` gets the content with the same holes (SEEK_DATA, SEEK_HOLE).
[[nodiscard]] base::Result<FileContent> copy_file(const base::UniqueFd& from,
                                                  const base::UniqueFd& to, const std::string& name,
                                                  Interruption& interruption);

// False also when one of the two cannot be read.
[[nodiscard]] bool has_same_bytes(const base::UniqueFd& a, const base::UniqueFd& b,
                                  Interruption& interruption);

}  // namespace ethos::sandbox
