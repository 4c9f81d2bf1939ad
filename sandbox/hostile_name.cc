// SPDX-License-Identifier: Apache-2.0
#include "sandbox/hostile_name.h"

#include <string>

namespace ethos::sandbox {
namespace {

// Length of a UTF-8 sequence that HFS+ leaves out of comparisons (U+200C..U+200F, U+202A..U+202E,
// U+206A..U+206F, U+FEFF), 0 for any other byte.
std::size_t ignorable_length(std::string_view text) {
  if (text.size() < 3) return 0;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) == 0xef) return byte(1) == 0xbb && byte(2) == 0xbf ? 3 : 0;
  if (byte(0) != 0xe2) return 0;
  if (byte(1) == 0x80)
    return (byte(2) >= 0x8c && byte(2) <= 0x8f) || (byte(2) >= 0xaa && byte(2) <= 0xae) ? 3 : 0;
  return byte(1) == 0x81 && byte(2) >= 0xaa && byte(2) <= 0xaf ? 3 : 0;
}

}  // namespace

bool is_git_lookalike(std::string_view name) {
  std::string plain;
  while (!name.empty()) {
    if (const std::size_t skip = ignorable_length(name)) {
      name.remove_prefix(skip);
      continue;
    }
    const char c = name[0];
    plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    name.remove_prefix(1);
  }
  plain.resize(std::min(plain.find(':'), plain.size()));
  while (!plain.empty() && (plain.back() == '.' || plain.back() == ' ')) plain.pop_back();
  return plain == ".git" || plain == "git~1";
}

}  // namespace ethos::sandbox
