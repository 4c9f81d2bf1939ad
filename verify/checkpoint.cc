// SPDX-License-Identifier: Apache-2.0
#include "verify/checkpoint.h"

#include <optional>
#include <vector>

#include "verify/encoding.h"

namespace ethos::verify {
namespace {

// The lines of a text that ends with a line feed; nothing when the number is another one.
std::optional<std::vector<std::string_view>> lines_of(std::string_view text, std::size_t count) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    if (end == std::string_view::npos || lines.size() == count) return std::nullopt;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  if (lines.size() != count) return std::nullopt;
  return lines;
}

}  // namespace

bool is_origin(std::string_view text) {
  constexpr std::string_view middle = "/ethos/";
  if (text.size() < 26 + middle.size() + 1) return false;
  const std::string_view id = text.substr(text.size() - 26);
  const std::string_view name = text.substr(0, text.size() - 26 - middle.size());
  if (!is_id128(id) || text.substr(name.size(), middle.size()) != middle) return false;
  if (name.empty() || name.size() > 128) return false;
  const auto alnum = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  for (const char c : name) {
    if (!alnum(c) && c != '.' && c != '_' && c != '/' && c != '-') return false;
  }
  return alnum(name[0]);
}

Result<Checkpoint> parse_checkpoint_text(std::string_view text) {
  const auto lines = lines_of(text, 3);
  if (!lines) return malformed("checkpoint does not have exactly three lines");
  Checkpoint out;
  out.origin = (*lines)[0];
  if (out.origin.empty()) return malformed("checkpoint has an empty origin");
  const auto size = parse_decimal((*lines)[1], kMaxSize);
  if (!size || *size == 0) return malformed("checkpoint size is not a decimal from 1 to 2^53-1");
  out.size = *size;
  const auto root = Digest::from_base64((*lines)[2]);
  if (!root) return malformed("checkpoint root is not base64 of 32 bytes");
  out.root = *root;
  return out;
}

Result<Revocation> parse_revocation_text(std::string_view text) {
  const auto lines = lines_of(text, 6);
  if (!lines || (*lines)[0] != "ethos/revoke/1") return malformed("not a revocation of six lines");
  Revocation out;
  out.origin = (*lines)[1];
  auto revoked = parse_vkey((*lines)[2]);
  if (!revoked) return std::move(revoked).error();
  auto next = parse_vkey((*lines)[3]);
  if (!next) return std::move(next).error();
  out.revoked = *std::move(revoked);
  out.next = *std::move(next);
  const auto size = parse_decimal((*lines)[4], kMaxSize);
  if (!size || *size == 0) return malformed("last trusted size is not a decimal from 1");
  const auto time = parse_decimal((*lines)[5], kMaxSize);
  if (!time) return malformed("time of revocation is not a decimal");
  out.last_trusted_size = *size;
  out.time_ms = *time;
  return out;
}

}  // namespace ethos::verify
