// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <set>
#include <tuple>

#include "ledger/base/result.h"
#include "ledger/base/unique_fd.h"
#include "ledger/record/record.h"

namespace ethos::ledger::service {

// Who may hand in records. Empty lists admit nobody.
struct AllowList {
  std::set<uid_t> uids;
  std::set<gid_t> gids;  // primary or supplementary
};

// Tells who is at the other end of a unix socket, from the kernel and not from them.
class PeerReader {
 public:
  // Errc::refused for one who is not on the list.
  base::Result<record::Writer> read(const base::UniqueFd& socket, const AllowList& allowed);

 private:
  // A file by identity and times: the same program is hashed once.
  using FileKey = std::tuple<dev_t, ino_t, off_t, std::int64_t, std::int64_t>;
  std::optional<record::Digest> program_of(std::uint32_t pid);
  std::map<FileKey, record::Digest> known_;
};

}  // namespace ethos::ledger::service
