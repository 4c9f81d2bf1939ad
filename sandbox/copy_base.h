// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ledger/base/result.h"
#include "sandbox/interruption.h"
#include "sandbox/plan.h"
#include "sandbox/sha256.h"

namespace ethos::sandbox {

// How an entry of the host was when the copy of its grant was made.
struct HostState {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  mode_t type = 0;  // S_IFMT; 0: there was none
  off_t size = 0;
  timespec modified{};
  timespec changed{};
};

[[nodiscard]] HostState host_state(const struct stat& found);

struct BaseEntry {
  enum class Kind {
    file,
    directory,
    link,
    masked,  // an empty thing under a mask: its content was never copied
    other,   // sockets, pipes and devices are not copied
  };
  Kind kind = Kind::file;
  std::uint64_t inode = 0;  // of the copy
  mode_t mode = 0;
  bool has_digest = false;
  Sha256 sha256{};     // of the copy
  std::string target;  // of a link
  HostState host;
  bool is_torn = false;  // the host was changed while it was copied
};

// A copied layer and what it was copied from, before the tool starts: only against that can be said
// what the tool changed, and what somebody else did meanwhile.
class CopyBase {
 public:
  // `layer` is the copy, `host` the grant's directory.
  static base::Result<CopyBase> take_state(int layer, int host, const Plan& plan,
                                           const Mount& mount, Interruption& interruption);

  // Paths are relative to the grant.
  [[nodiscard]] const BaseEntry* find(const std::string& path) const;
  // Names in a directory, copied or not; "" is the grant.
  [[nodiscard]] const std::vector<std::string>& names(const std::string& directory) const;
  // Is what the host has there now what it had?
  [[nodiscard]] bool is_host_as_then(int host, const std::string& path) const;

 private:
  class Taker;
  std::map<std::string, BaseEntry> entries_;
  std::map<std::string, std::vector<std::string>> names_;
};

// The target of a link, empty when it cannot be read.
[[nodiscard]] std::string read_link(int dir, const std::string& name);

}  // namespace ethos::sandbox
