// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <vector>

#include "ledger/base/unique_fd.h"
#include "sandbox/plan.h"

namespace ethos::sandbox {

// Masks over hidden names of the host's trees are mounts, and a mount goes where the file below it
// goes: when somebody on the host puts another file in its place by a rename (an editor that saves
// does) or removes it, the kernel takes the mask away, and when the file is renamed the mask goes
// along. Either way what then has the name is not hidden any more. In a layer over a host directory
// the mask stays, and a hidden file that the host renames is seen in the layer under its new name.
// Nothing can keep the host from doing so; this tells it.
class MaskWatch {
 public:
  // `pid` is the cage's first process; nothing of the tool runs yet. `plan` must outlive it.
  MaskWatch(const Plan& plan, pid_t pid);

  // Has EPOLLPRI when the cage's table of mounts has changed; -1 when there is nothing to watch.
  [[nodiscard]] int fd() const { return table_.get(); }
  // The first mask that is not in its place any more, or null. All are looked at, which costs some
  // microseconds each.
  [[nodiscard]] const std::string* find_lost() const;
  // The same for a bounded number of them, others each time: a rename changes no table.
  [[nodiscard]] const std::string* find_lost_by_turns();

 private:
  struct Place {
    const std::string* at = nullptr;  // absolute path inside
    // In a layer: the host's directory below it, the name there and what had it at the start.
    int host = -1;
    std::string name;
    dev_t device = 0;
    ino_t inode = 0;
  };
  void watch_layer(const Mount& layer, const std::vector<const Mount*>& masks);
  [[nodiscard]] bool is_in_place(const Place& place) const;

  std::vector<Place> places_;
  std::vector<base::UniqueFd> hosts_;
  dev_t device_ = 0;  // of the file system that all masks are of
  std::size_t next_ = 0;
  base::UniqueFd root_;
  base::UniqueFd table_;
};

}  // namespace ethos::sandbox
