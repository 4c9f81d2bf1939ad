// SPDX-License-Identifier: Apache-2.0
#include "ledger/record/checkpoint.h"

#include <charconv>

namespace ethos::record {
namespace {

using base::Errc;
using base::fail;
using base::Result;

constexpr std::uint64_t kMaxSize = (std::uint64_t{1} << 53U) - 1;

}  // namespace

std::string encode_checkpoint(const Checkpoint& checkpoint) {
  return checkpoint.origin + "\n" + std::to_string(checkpoint.size) + "\n" +
         checkpoint.root.base64() + "\n";
}

Result<std::uint64_t> parse_size(std::string_view text) {
  std::uint64_t size = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (text.empty() || ec != std::errc{} || end != text.data() + text.size() || size > kMaxSize ||
      (text[0] == '0' && text.size() > 1)) {
    return fail(Errc::malformed, "size: not a decimal number of the allowed range");
  }
  return size;
}

Result<Checkpoint> parse_checkpoint(std::string_view text) {
  std::string_view lines[3];
  for (std::string_view& line : lines) {
    const std::size_t end = text.find('\n');
    if (end == text.npos) return fail(Errc::malformed, "checkpoint: fewer than three lines");
    line = text.substr(0, end);
    text.remove_prefix(end + 1);
  }
  if (!text.empty()) return fail(Errc::malformed, "checkpoint: more than three lines");
  if (lines[0].empty()) return fail(Errc::malformed, "checkpoint: empty origin");
  auto size = parse_size(lines[1]);
  if (!size) return base::Unexpected(std::move(size).error().with_context("checkpoint"));
  auto root = Digest::from_base64(lines[2]);
  if (!root) return base::Unexpected(std::move(root).error().with_context("checkpoint root"));
  return Checkpoint{std::string(lines[0]), *size, *root};
}

}  // namespace ethos::record
