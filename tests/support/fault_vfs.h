// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ethos::support {

// A SQLite VFS in front of the system's, which counts the calls that change a file and can make the
// n-th of them, and all after it, fail: a disk that dies. While an object lives it is the default
// VFS.
class FaultVfs {
 public:
  enum class Kind { no_space, io_error };
  FaultVfs();
  FaultVfs(const FaultVfs&) = delete;
  FaultVfs& operator=(const FaultVfs&) = delete;
  ~FaultVfs();

  // Fails from the n-th call on (1 = the next one); 0 never.
  void fail_from(int n, Kind kind);
  // Changing calls (write, sync, truncate, create, delete) since fail_from.
  [[nodiscard]] int calls() const;
};

}  // namespace ethos::support
