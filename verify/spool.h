// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdio>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>

namespace ethos::verify {

// Text that is written now and printed at the end, because what stands before it in the output is
// known only then. Beyond 4 MiB it waits in a nameless file, so a ledger of a million runs needs no
// more memory than one of ten.
class Spool {
 public:
  void add(std::string_view text);
  // Copies all to `out`; false when the file could not be written or read back.
  [[nodiscard]] bool copy_to(std::ostream& out);
  [[nodiscard]] bool empty() const { return total_ == 0; }

 private:
  static constexpr std::size_t kInMemory = std::size_t{4} << 20U;
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  void spill();

  std::string held_;
  std::unique_ptr<std::FILE, Close> file_;
  std::size_t total_ = 0;
  bool failed_ = false;
};

}  // namespace ethos::verify
