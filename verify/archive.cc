// SPDX-License-Identifier: Apache-2.0
#include "verify/archive.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>

namespace ethos::verify {
namespace {

constexpr std::uint64_t kBlock = 512;
constexpr std::uint64_t kMaxMembers = 4'000'000;
constexpr std::uint64_t kMaxMember = std::uint64_t{65} << 20U;  // a disclosure with its kind and salt

std::string octal(std::uint64_t value, std::size_t digits) {
  std::string out(digits, '0');
  for (std::size_t i = digits; i > 0 && value > 0; --i, value >>= 3U) out[i - 1] = static_cast<char>('0' + (value & 7U));
  return out;
}

Result<Done> read_at(int fd, std::uint64_t offset, char* out, std::size_t size) {
  for (std::size_t done = 0; done < size;) {
    const ssize_t got = ::pread(fd, out + done, size - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Error{Errc::io, std::string("read: ") + std::strerror(errno)};
    if (got == 0) return malformed("the archive ends too early", static_cast<std::ptrdiff_t>(offset + done));
    done += static_cast<std::size_t>(got);
  }
  return Done{};
}

bool all_zero(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](char c) { return c == '\0'; });
}

std::optional<std::uint64_t> size_field(std::string_view header) {
  std::uint64_t value = 0;
  for (const char c : header.substr(124, 11)) {
    if (c < '0' || c > '7') return std::nullopt;
    value = value * 8 + static_cast<std::uint64_t>(c - '0');
  }
  return value;
}

}  // namespace

std::string ustar_header(std::string_view name, std::uint64_t size) {
  if (name.empty() || name.size() > 100) return {};
  std::string out(kBlock, '\0');
  const auto put = [&](std::size_t at, std::string_view text) { std::copy(text.begin(), text.end(), out.begin() + static_cast<std::ptrdiff_t>(at)); };
  put(0, name);
  put(100, "0000644");
  put(108, "0000000");
  put(116, "0000000");
  put(124, octal(size, 11));
  put(136, octal(0, 11));
  put(148, "        ");  // counted as spaces
  put(156, "0");
  put(257, "ustar");
  put(263, "00");
  put(329, "0000000");
  put(337, "0000000");
  unsigned sum = 0;
  for (const char c : out) sum += static_cast<unsigned char>(c);
  put(148, octal(sum, 6));
  out[154] = '\0';
  out[155] = ' ';
  return out;
}

const Archive::Member* Archive::find(std::string_view name) const {
  const auto at = members_.find(name);
  return at == members_.end() ? nullptr : &at->second;
}

Result<std::string> Archive::read(const Member& member) const {
  std::string out(member.size, '\0');
  const auto done = read_at(file_.get(), member.offset, out.data(), out.size());
  if (!done) return done.error();
  return out;
}

Result<std::string> Archive::read(std::string_view name) const {
  const Member* member = find(name);
  if (member == nullptr) return Error{Errc::not_found, std::string(name) + " is not in the bundle"};
  return read(*member);
}

Result<Archive> Archive::open(const std::string& path) {
  Archive out;
  out.file_.reset(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat st {};
  if (!out.file_.valid() || ::fstat(out.file_.get(), &st) != 0) return Error{Errc::io, std::strerror(errno)};
  if (!S_ISREG(st.st_mode)) return Error{Errc::io, "not a regular file"};
  const auto total = static_cast<std::uint64_t>(st.st_size);
  std::string last;
  std::array<char, kBlock> block{};
  const std::string_view header(block.data(), block.size());
  for (std::uint64_t at = 0;;) {
    const auto fault = [&](const char* why) { return malformed(why, static_cast<std::ptrdiff_t>(at)); };
    if (const auto read = read_at(out.file_.get(), at, block.data(), block.size()); !read) return read.error();
    if (all_zero(header)) {
      if (total != at + 2 * kBlock) return fault("the archive does not end with exactly two blocks of zeros");
      if (const auto read = read_at(out.file_.get(), at + kBlock, block.data(), block.size()); !read) return read.error();
      if (!all_zero(header)) return fault("the archive does not end with exactly two blocks of zeros");
      return out;
    }
    const std::string name(header.substr(0, std::min<std::size_t>(header.find('\0'), 100)));
    const auto size = size_field(header);
    if (!size || header != ustar_header(name, *size)) return fault("a header is not the one of a bundle");
    if (*size > kMaxMember) return Error{Errc::too_long, "a member is too large", static_cast<std::ptrdiff_t>(at)};
    if (!out.members_.empty() && name <= last) return fault("members are not in ascending order");
    if (out.members_.size() == kMaxMembers) return Error{Errc::too_long, "too many members", static_cast<std::ptrdiff_t>(at)};
    const std::uint64_t padded = (*size + kBlock - 1) / kBlock * kBlock;
    if (at + kBlock + padded > total) return fault("the archive ends too early");
    std::string padding(padded - *size, '\0');
    if (const auto read = read_at(out.file_.get(), at + kBlock + *size, padding.data(), padding.size()); !read) return read.error();
    if (!all_zero(padding)) return fault("the padding of a member is not zeros");
    out.members_.emplace_hint(out.members_.end(), name, Member{at + kBlock, *size});
    last = name;
    at += kBlock + padded;
  }
}

}  // namespace ethos::verify
