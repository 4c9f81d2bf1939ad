// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "ledger/base/bytes.h"
#include "ledger/base/result.h"

namespace ethos::ledger {

// Writes a POSIX ustar archive of regular files with fixed header fields (docs/formats/bundle.md
// B-1 to B-3). Members must come in ascending order of their names; another order is a bug and
// asserts.
class UstarWriter {
 public:
  using Sink = std::function<base::Result<void>(base::ByteSpan)>;
  explicit UstarWriter(Sink sink) : sink_(std::move(sink)) {}

  base::Result<void> add(const std::string& name, std::string_view bytes);
  // The two blocks of zeros; nothing may follow.
  base::Result<void> finish();

 private:
  base::Result<void> flush();
  Sink sink_;
  std::string previous_;
  std::string buffer_;
};

// The 512 bytes before a member's content. `name` is at most 100 bytes.
std::string ustar_header(const std::string& name, std::uint64_t size);

}  // namespace ethos::ledger
