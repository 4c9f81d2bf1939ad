// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "ledger/base/result.h"
#include "sarif/json/byte_source.h"
#include "sarif/model.h"

namespace ethos::sarif {

// An input format that `convert` knows.
struct Format {
  std::string_view name;    // "shellcheck-json1"
  std::string_view tool;    // whose output it is
  std::string_view how;     // how to make the tool write it
  std::string_view stream;  // "stdout" or "stderr": where the tool writes it
  // Reads it; nullptr for SARIF, which is copied or brought to 2.1.0 and not converted.
  base::Result<ConvertedRun> (*read)(ByteSource&);
};

[[nodiscard]] std::span<const Format> all_formats();

// The format called `name`, also by a short name ("gcc", "pylint"); nullptr when there is none.
[[nodiscard]] const Format* find_format(std::string_view name);

// The name of the format that the first bytes of an output are in. Errc::unsupported when they fit
// none or more than one ("[]" is a clean run of three tools), saying so.
base::Result<std::string_view> detect_format(std::string_view head);

// Reads ahead and gives the same bytes again: for detection on a pipe.
class PeekSource final : public ByteSource {
 public:
  static constexpr std::size_t kHeadBytes = std::size_t{256} << 10U;
  explicit PeekSource(ByteSource& inner) : inner_(inner) {}
  // The first bytes, up to kHeadBytes; a failure of the source shows at the next read().
  std::string_view head();
  [[nodiscard]] std::ptrdiff_t read(std::span<char> into) override;

 private:
  ByteSource& inner_;
  std::string head_;
  std::size_t given_ = 0;
  bool has_peeked_ = false;
  std::ptrdiff_t failure_ = 0;
};

}  // namespace ethos::sarif
