// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <optional>
#include <utility>
#include <vector>

#include "ledger/base/result.h"

// With whose rights files are opened. A runner that a service of root's started for somebody opens
// every path with his rights: with his effective ids and without a capability, as /proc asks for
// these and not for the ids of file access (setfsuid(2)) alone. Root's own are taken back only for
// the moments in which the cage itself is built, read and taken down, which no path of the caller's
// enters. The real and the saved user stay root's: he can neither signal nor trace the runner.
namespace ethos::sandbox {

struct CallerRights {
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups;  // supplementary
  [[nodiscard]] bool has_group(gid_t group) const;
};

// For the rest of this process; before it starts a thread. The process also dies with its parent
// from here on.
[[nodiscard]] base::Result<void> lend_rights_of(CallerRights caller);
// Nothing in a runner that works for its own user.
[[nodiscard]] const std::optional<CallerRights>& lent_rights();
// Whose files are "ours": the caller's where his rights are lent, else the process's own.
[[nodiscard]] uid_t file_uid();
// Whether the runner is root's, with lent rights or without.
[[nodiscard]] bool is_roots_runner();
// Who lends his user to a thread may change how it is scheduled. As it was before that, again; with
// own rights.
void restore_scheduling();

// While it lives files are opened with the process's own rights. Costs nothing, and does nothing,
// where no rights are lent.
class OwnRights {
 public:
  OwnRights();
  ~OwnRights();
  OwnRights(const OwnRights&) = delete;
  OwnRights& operator=(const OwnRights&) = delete;

 private:
  bool is_taken_ = false;  // an inner one changes nothing
};

// What the tool made lies in layers of the cage's own, which belong to the tool's uid.
template <typename Function>
auto with_own_rights(Function function) {
  const OwnRights rights;
  return function();
}

}  // namespace ethos::sandbox
