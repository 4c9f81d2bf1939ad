// SPDX-License-Identifier: Apache-2.0
#include "verify/evidence_digest.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "verify/digest.h"
#include "verify/encoding.h"
#include "verify/snapshot.h"

namespace ethos::verify {
namespace {

constexpr std::uint64_t kMostOfHoles = std::uint64_t{1} << 30U;
constexpr std::size_t kChunk = std::size_t{1} << 20U;

Result<std::string> file_digest(const std::string& path) {
  std::uint64_t size = 0;
  const auto fd = open_regular(path, size);
  if (!fd) return fd.error();
  struct stat st {};
  if (::fstat(fd->get(), &st) != 0) return Error{Errc::io, std::strerror(errno)};
  // No evidence has such holes; reading them would take as long as whoever made them likes.
  const auto stored = static_cast<std::uint64_t>(st.st_blocks) * 512;
  if (size > stored && size - stored > kMostOfHoles) return std::string();
  std::string buffer(kChunk, '\0');
  Sha256 hash;
  hash.begin();
  while (true) {
    const ssize_t got = ::read(fd->get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Error{Errc::io, std::strerror(errno)};
    if (got == 0) return encode_hex(hash.finish().view());
    hash.add(std::string_view(buffer).substr(0, static_cast<std::size_t>(got)));
  }
}

}  // namespace

Result<std::vector<NamedDigest>> evidence_digests(const std::string& path, const std::string& kind,
                                                  const std::string& shown) {
  std::vector<std::pair<const char*, const char*>> parts{{"", kind.c_str()}};
  struct stat st {};
  if (kind == "tiles") parts = {{"/checkpoint", "tiles"}};
  if (kind == "ledger" && ::stat((path + "-wal").c_str(), &st) == 0 && st.st_size > 0)
    parts.emplace_back("-wal", "log");
  std::vector<NamedDigest> out;
  for (const auto& [suffix, what] : parts) {
    auto digest = file_digest(path + suffix);
    if (!digest) return Error{digest.error().code, shown + suffix + ": " + digest.error().what};
    out.push_back({what, shown + suffix, *std::move(digest)});
  }
  return out;
}

}  // namespace ethos::verify
