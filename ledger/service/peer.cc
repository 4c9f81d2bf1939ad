// SPDX-License-Identifier: Apache-2.0
#include "ledger/service/peer.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <vector>

#include "ledger/base/paths.h"
#include "ledger/bulk_hash.h"

namespace ethos::ledger::service {
namespace {

using base::Errc;
using base::fail;
using base::Result;

// Hashing stops the loop that serves everybody: 200 MB take a quarter of a second.
constexpr off_t kMaxProgramBytes = off_t{256} * 1024 * 1024;
constexpr std::size_t kMaxKnown = 256;

std::vector<gid_t> groups_of(const base::UniqueFd& socket) {
  std::vector<gid_t> groups(64);
  auto size = static_cast<socklen_t>(groups.size() * sizeof(gid_t));
  if (::getsockopt(socket.get(), SOL_SOCKET, SO_PEERGROUPS, groups.data(), &size) != 0) {
    if (errno != ERANGE) return {};
    groups.resize(size / sizeof(gid_t));
    if (::getsockopt(socket.get(), SOL_SOCKET, SO_PEERGROUPS, groups.data(), &size) != 0) return {};
  }
  groups.resize(size / sizeof(gid_t));
  return groups;
}

std::int64_t nanoseconds(const timespec& t) {
  return static_cast<std::int64_t>(t.tv_sec) * 1'000'000'000 + t.tv_nsec;
}

}  // namespace

Result<Peer> PeerReader::read(const base::UniqueFd& socket, const AllowList& writers,
                              const AllowList& builders) {
  ucred who{};
  socklen_t size = sizeof who;
  if (::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &who, &size) != 0)
    return base::fail_errno("peer", errno);
  Peer out;
  out.groups = groups_of(socket);
  const auto is_on = [&](const AllowList& list) {
    return list.uids.contains(who.uid) || list.gids.contains(who.gid) ||
           std::any_of(out.groups.begin(), out.groups.end(),
                       [&](gid_t g) { return list.gids.contains(g); });
  };
  out.may_write = is_on(writers);
  out.may_build = is_on(builders);
  if (!out.may_write && !out.may_build) {
    return fail(Errc::refused, "uid " + std::to_string(who.uid) + " is not on the service's list");
  }
  out.writer.uid = who.uid;
  out.writer.gid = who.gid;
  out.writer.pid = static_cast<std::uint32_t>(who.pid);
  out.writer.exe = program_of(out.writer.pid);
  return out;
}

std::optional<record::Digest> PeerReader::program_of(std::uint32_t pid) {
  // The link leads to the very file that runs, also when its name has gone. Of another user's
  // process only root may follow it: then nothing is said.
  auto fd = base::open_path("/proc/" + std::to_string(pid) + "/exe", O_RDONLY | O_NOCTTY);
  struct stat st {};
  if (!fd || ::fstat(fd->get(), &st) != 0 || !S_ISREG(st.st_mode) || st.st_size > kMaxProgramBytes)
    return std::nullopt;
  const FileKey key{st.st_dev, st.st_ino, st.st_size, nanoseconds(st.st_mtim),
                    nanoseconds(st.st_ctim)};
  const auto found = known_.find(key);
  if (found != known_.end()) return found->second;
  auto digest = hash_file(*fd, "program");
  if (!digest) return std::nullopt;
  if (known_.size() >= kMaxKnown) known_.clear();
  known_.emplace(key, *digest);
  return *digest;
}

}  // namespace ethos::ledger::service
