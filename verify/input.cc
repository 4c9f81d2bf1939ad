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
  std::array<char, kBlockOfKind> block{};
  ssize_t got = 0;
  do {
    got = ::pread(fd.get(), block.data(), block.size(), 0);
  } while (got < 0 && errno == EINTR);
  if (got < 0) return Error{Errc::io, std::strerror(errno)};
  return std::string(block.data(), static_cast<std::size_t>(got));
}

}  // namespace

std::optional<InputKind> kind_of(std::string_view first) {
  if (first.starts_with(kSqlite)) return InputKind::ledger;
  if (first.size() >= kUstarAt + kUstar.size() && first.substr(kUstarAt, kUstar.size()) == kUstar) return InputKind::bundle;
  if (first.starts_with(kTlogProof)) return InputKind::proof;
  return std::nullopt;
}

bool is_tlog_proof(const std::string& path) {
  const auto block = first_block(path);
  return block && kind_of(*block) == InputKind::proof;
}

Result<std::unique_ptr<EvidenceSource>> open_input(const std::string& path, std::string& kind, Findings& findings) {
  const auto block = first_block(path);
  if (!block) return block.error();
  kind = "ledger";
  const auto known = kind_of(*block);
  if (known == InputKind::ledger) return open_ledger_file(path, findings);
  if (known == InputKind::bundle) {
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
  return Error{Errc::malformed, kNoEvidence};
}

}  // namespace ethos::verify
