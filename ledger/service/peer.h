// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "ledger/base/result.h"
#include "ledger/base/unique_fd.h"
#include "ledger/record/record.h"

namespace ethos::ledger::service {

// Who may do something. Empty lists admit nobody.
struct AllowList {
  std::set<uid_t> uids;
  std::set<gid_t> gids;  // primary or supplementary
};

// Who is at the other end, and what they may ask for.
struct Peer {
  record::Writer writer;
  std::vector<gid_t> groups;  // supplementary
  bool may_write = false;     // hand in records of its own
  bool may_build = false;     // have cages built
};

// Tells who is at the other end of a unix socket, from the kernel and not from them.
class PeerReader {
 public:
  // Errc::refused for one who is on neither list.
  base::Result<Peer> read(const base::UniqueFd& socket, const AllowList& writers,
                          const AllowList& builders);

 private:
  // A file by identity and times: the same program is hashed once.
  using FileKey = std::tuple<dev_t, ino_t, off_t, std::int64_t, std::int64_t>;
  std::optional<record::Digest> program_of(std::uint32_t pid);
  std::map<FileKey, record::Digest> known_;
};

}  // namespace ethos::ledger::service
