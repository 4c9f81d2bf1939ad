// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/base/result.h"
#include "ledger/base/unique_fd.h"
#include "sandbox/enforced.h"
#include "sandbox/io_limit.h"
#include "sandbox/plan.h"

namespace ethos::sandbox {

// Where leaves can be made: a directory of the cgroup2 hierarchy and the controllers a leaf gets.
struct CgroupParent {
  std::string path;                      // absolute
  std::vector<std::string> controllers;  // sorted
};

// The directory chosen by `wanted` (an absolute path of a cgroup v2 directory, or one below the
// cgroup2 mount as /proc/<pid>/cgroup writes it), else the nearest ancestor of
// our own cgroup that is writable and holds no processes of its own, else for root <mount>/ethos.
// Errc::not_found without a cgroup2 mount or a usable directory. Moves no process and changes no
// cgroup but its own "ethos".
[[nodiscard]] base::Result<CgroupParent> find_cgroup_parent(const std::string& wanted);

// Mount point of the first cgroup2 in our mount table, e.g. /sys/fs/cgroup. Errc::not_found.
[[nodiscard]] base::Result<std::string> cgroup2_mount();

// What would let leaves have a controller, as root: the exact line where there is one.
[[nodiscard]] std::string advise_on_controller(std::string_view name);
// The same for a mount point of cgroup v2 (empty: none) whose root has these controllers.
[[nodiscard]] std::string advise_on_controller(std::string_view name, const std::string& mount,
                                               const std::vector<std::string>& available,
                                               bool is_hybrid);

// One leaf for one run.
class CgroupLeaf {
 public:
  // Makes the leaf and writes every limit whose enforcer is `cgroup`. Errc::unsupported names a
  // controller that is missing.
  // `note` is told its path first.
  using Note = std::function<base::Result<void>(const std::string& path)>;
  static base::Result<CgroupLeaf> create(const CgroupParent& parent, const Plan& plan,
                                         const Note& note = {});
  CgroupLeaf(CgroupLeaf&&) noexcept = default;
  CgroupLeaf& operator=(CgroupLeaf&&) noexcept = default;
  CgroupLeaf(const CgroupLeaf&) = delete;
  CgroupLeaf& operator=(const CgroupLeaf&) = delete;
  ~CgroupLeaf();  // kills and removes what remove() did not

  [[nodiscard]] int fd() const { return dir_.get(); }
  [[nodiscard]] const std::string& path() const { return path_; }
  // Values as the kernel shows them now.
  [[nodiscard]] CgroupState read_back() const;
  // One number of a file, e.g. number("pids.events", "max"); 0 when absent. Empty key: the file's
  // only number.
  [[nodiscard]] std::uint64_t number(const char* file, std::string_view key) const;
  // What was moved from and to each disk so far.
  [[nodiscard]] std::vector<DiskUse> io_use() const;
  // Lines of cgroup.threads: every task, no controller needed.
  [[nodiscard]] std::uint64_t count_tasks() const;
  // Waits at most two seconds for `populated 0`: newer kernels take a task out of its cgroup a
  // moment after it was reaped.
  [[nodiscard]] bool wait_until_empty() const;
  // Linux 5.14: kills everything inside, forks in flight included. No disk is limited from then on.
  bool kill() const;
  // False when it is still busy after a second.
  bool remove();

 private:
  CgroupLeaf(std::string path, base::UniqueFd dir) : path_(std::move(path)), dir_(std::move(dir)) {}
  base::Result<void> apply(const Plan& plan);
  base::Result<void> limit_io(const Plan& plan, const Limit& limit);

  std::string path_;
  base::UniqueFd dir_;
  std::vector<std::string> disks_;  // those with a limit in io.max
};

}  // namespace ethos::sandbox
