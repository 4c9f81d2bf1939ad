// SPDX-License-Identifier: Apache-2.0
#include "verify/input.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "verify/bundle.h"
#include "verify/ledger_file.h"
#include "verify/tiles.h"
#include "verify/unique_fd.h"

namespace ethos::verify {
namespace {

constexpr std::string_view kSqlite{"SQLite format 3\0", 16};
constexpr std::string_view kUstar{"ustar\0", 6};
constexpr std::size_t kUstarAt = 257;
constexpr std::string_view kTlogProof = "c2sp.org/tlog-proof@v1\n";

Result<std::string> first_block(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd.valid()) return Error{errno == ENOENT ? Errc::not_found : Errc::io, std::strerror(errno)};
  struct stat st {};
  if (::fstat(fd.get(), &st) != 0) return Error{Errc::io, std::strerror(errno)};
  if (S_ISDIR(st.st_mode)) return std::string();
  if (!S_ISREG(st.st_mode)) return Error{Errc::io, "not a regular file"};
  std::array<char, 512> block{};
  ssize_t got = 0;
  do {
    got = ::pread(fd.get(), block.data(), block.size(), 0);
  } while (got < 0 && errno == EINTR);
  if (got < 0) return Error{Errc::io, std::strerror(errno)};
  return std::string(block.data(), static_cast<std::size_t>(got));
}

}  // namespace

bool is_tlog_proof(const std::string& path) {
  const auto block = first_block(path);
  return block && block->starts_with(kTlogProof);
}

Result<std::unique_ptr<EvidenceSource>> open_input(const std::string& path, std::string& kind, Findings& findings) {
  const auto block = first_block(path);
  if (!block) return block.error();
  kind = "ledger";
  if (block->starts_with(kSqlite)) return open_ledger_file(path, findings);
  if (block->size() >= kUstarAt + kUstar.size() && std::string_view(*block).substr(kUstarAt, kUstar.size()) == kUstar) {
    kind = "bundle";
    return open_bundle(path, findings);
  }
  struct stat st {};
  if (block->empty() && ::stat(path.c_str(), &st) == 0 && S_ISDIR(st.st_mode)) {
    kind = "tiles";
    return open_tiles(path, findings);
  }
  // Its first page can still lie in the log alone.
  if (block->empty() && ::stat((path + "-wal").c_str(), &st) == 0) return open_ledger_file(path, findings);
  return Error{Errc::malformed, "neither a ledger, a bundle, a directory of tiles nor a tlog-proof"};
}

}  // namespace ethos::verify
