// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "verify/result.h"
#include "verify/unique_fd.h"

namespace ethos::verify {

// A POSIX ustar file in the one form that bundles have (bundle.md B-1 to B-3): regular files only, in
// ascending order, every header byte fixed by name and size, two zero blocks at the end and nothing
// after. There is no second way to read such a file.
class Archive {
 public:
  struct Member {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
  };

  // Malformed at the first departure; the offset is that in the file.
  static Result<Archive> open(const std::string& path);

  [[nodiscard]] const std::map<std::string, Member, std::less<>>& members() const { return members_; }
  [[nodiscard]] const Member* find(std::string_view name) const;
  [[nodiscard]] Result<std::string> read(const Member& member) const;
  // Nothing of that name, or it cannot be read: not_found or io.
  [[nodiscard]] Result<std::string> read(std::string_view name) const;

 private:
  UniqueFd file_;
  std::map<std::string, Member, std::less<>> members_;
};

// The 512 bytes that stand before a member; empty when the name is none.
std::string ustar_header(std::string_view name, std::uint64_t size);

}  // namespace ethos::verify
