// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "ledger/base/result.h"
#include "ledger/base/unique_fd.h"
#include "sandbox/audit_watch.h"

namespace ethos::sandbox {

// The kernel's audit as AUDIT_GET tells it.
struct AuditState {
  bool is_enabled = false;
  std::uint32_t backlog_limit = 0;
  std::uint32_t lost = 0;  // records that the kernel had no room for since it started
};

// The audit records that reach this process: the multicast group READLOG of NETLINK_AUDIT, which
// changes nothing and takes nothing from a daemon. It needs CAP_AUDIT_READ in the first user
// namespace, gives records in the first network namespace only, and numbers processes as the first
// pid namespace does.
class AuditSource {
 public:
  // Before the cage's process is made, so that none of its records is missed. Costs nothing but a
  // look for anybody who could not open it. False: no source, and why() says why.
  bool open(std::uint32_t landlock_abi);
  // The canary: the refusal of a probe that `pid`, now at the barrier, made under its own domain.
  // Closes the source when it does not come. Its record passes through a kernel thread, long before
  // the barrier is reached; only with `is_required` is one waited for that is late, and the state
  // of the audit asked for, which costs 2 % of a launch.
  bool find_canary(pid_t pid, bool is_required);

  [[nodiscard]] bool is_live() const { return is_live_; }
  [[nodiscard]] int fd() const { return socket_.get(); }
  // Why it is no source; a word on the fix where there is one.
  [[nodiscard]] const char* why() const { return why_; }
  [[nodiscard]] int error() const { return error_; }

  // Reads what is there, at most kMaxInRow messages. True: there may be more.
  bool read_some();
  // After every process of the cage is gone and nobody holds its listener: waits until the kernel
  // has counted the domain's refusals, at most `most_ms`.
  void await_end(int most_ms);
  [[nodiscard]] AuditWatch& watch() { return *watch_; }

 private:
  static constexpr int kMaxInRow = 64;
  bool refuse(const char* why, int error);
  void await_canary();
  bool wait_readable(std::uint64_t until_ns) const;

  base::UniqueFd socket_;
  std::optional<AuditWatch> watch_;
  bool is_live_ = false;
  const char* why_ = "it was not asked for";
  int error_ = 0;
};

// Switches the machine's audit on and gives it room for a flood: only for a caller who said so. It
// stays on. Returns one line that says what was changed, empty when nothing had to be; Errc::io
// with the reason otherwise.
[[nodiscard]] base::Result<std::string> enable_audit();

// The state now. Errc::unsupported when it cannot be read.
[[nodiscard]] base::Result<AuditState> read_audit_state();

// For `doctor`: can a run of ours have the kernel's audit as a source? Changes nothing.
struct AuditFinding {
  int error = 0;  // 0: it can
  std::string detail;
  std::string cause;
  std::string fix;
};
[[nodiscard]] AuditFinding look_at_audit(std::uint32_t landlock_abi);
// The same from what was found: the state is asked for last.
struct AuditSigns {
  std::uint32_t landlock_abi = 0;
  bool is_root = false;
  bool is_first_pid_namespace = false;
  bool is_first_user_namespace = false;
};
[[nodiscard]] AuditFinding judge_audit(const AuditSigns& signs,
                                       const base::Result<AuditState>& state);

}  // namespace ethos::sandbox
