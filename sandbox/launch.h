// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "ledger/base/unique_fd.h"
#include "sandbox/audit_source.h"
#include "sandbox/blueprint.h"
#include "sandbox/cage.h"
#include "sandbox/cgroup.h"
#include "sandbox/child.h"
#include "sandbox/clone_child.h"
#include "sandbox/id_mapping.h"
#include "sandbox/listener.h"
#include "sandbox/sha256.h"

namespace ethos::sandbox {

// Shared memory with the clone child.
class SharedMemory {
 public:
  SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory();
  [[nodiscard]] bool is_mapped() const { return at_ != nullptr; }
  [[nodiscard]] Shared& get() const { return *at_; }

 private:
  Shared* at_ = nullptr;
};

// A cage on its way from the plan to the barrier, and everything of it that must be taken down.
// Destroying it kills what runs and leaves nothing.
class Launch {
 public:
  Launch(const Plan& plan, const LaunchOptions& options);
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;
  ~Launch();

  using Failure = std::variant<SetupDenial, RunnerFailure>;

  // Builds the cage up to the barrier: pid 1 stands in its execveat. Nothing means success.
  // `meanwhile` runs once the clone child works on its own; it must not change the plan.
  std::optional<Failure> build(const std::function<void()>& meanwhile);
  // Reads the cage back and compares it with the plan.
  std::optional<Failure> prove(Enforced& enforced);
  // Lets pid 1 go on.
  void release();

  // Kills every process of the cage and waits for them. True when the kernel confirms that none is
  // left, by the source named in `source`.
  // From release() on there may be processes that nobody will wait for, until pid 1 says that there
  // are none.
  void set_no_others() { has_others_ = false; }
  bool take_down(struct rusage& usage, std::string& source);
  // After take_down: until the kernel's audit has told all it will tell of this cage. The listener
  // is gone then.
  void await_audit();
  // Removes the cgroup leaf; false when it stays.
  bool remove_cgroup();

  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] int pidfd() const { return pidfd_.get(); }
  [[nodiscard]] Listener& listener() { return listener_; }
  [[nodiscard]] AuditSource& audit() { return audit_; }
  [[nodiscard]] const std::optional<CgroupLeaf>& cgroup() const { return cgroup_; }
  [[nodiscard]] int scratch_fd() const { return scratch_.get(); }
  // Upper directories in the order of the plan's staged mounts as the blueprint built them.
  [[nodiscard]] const std::vector<base::UniqueFd>& uppers() const { return uppers_; }
  // Whether that layer is a copy of the grant and not an overlay's upper directory.
  [[nodiscard]] bool is_copy(std::size_t slot) const { return shared_.get().is_copy[slot] != 0; }
  [[nodiscard]] const Blueprint& blueprint() const { return blueprint_; }
  [[nodiscard]] base::UniqueFd take_stdout() { return std::move(out_read_); }
  [[nodiscard]] base::UniqueFd take_stderr() { return std::move(err_read_); }
  // The write end of the tool's standard input, when the caller's is to be carried there; and where
  // reading a regular file begins, -1 for a pipe.
  [[nodiscard]] base::UniqueFd take_input() { return std::move(input_write_); }
  [[nodiscard]] off_t input_at() const { return input_at_; }
  // Tasks in the cage now, threads and init included.
  [[nodiscard]] std::uint64_t count_tasks() const;

 private:
  Failure denial(Step step, int error, std::string object = {}) const;
  Failure denial_of(const StepFailure& failure) const;
  Failure denial_of_child() const;
  [[nodiscard]] std::string object_text(int mount) const;
  [[nodiscard]] bool is_fault(Step step) const;

  std::optional<Failure> check();
  std::optional<Failure> open_streams();
  std::optional<Failure> open_stdin();
  std::optional<Failure> open_input_pipe(off_t at);
  std::optional<Failure> make_cgroup();
  std::optional<Failure> start_child();
  std::optional<Failure> receive_handover();
  std::optional<Failure> wait_for_barrier();
  std::optional<Failure> wait_readable(int fd, Step step);
  void prepare_proof();
  std::optional<Failure> find_audit();
  void reap();
  void restore_dumpable() const;

  const Plan& plan_;
  const LaunchOptions& options_;
  Step fault_ = Step::none;
  std::uint32_t abi_ = 0;
  Ruleset ruleset_;
  Blueprint blueprint_;
  RootHelper root_;
  SharedMemory shared_;
  ChildStack stack_;
  std::unique_ptr<ChildState> child_state_;
  ChildContext context_;
  base::UniqueFd init_;
  base::UniqueFd self_pidfd_;
  base::UniqueFd stdin_;
  base::UniqueFd input_write_;
  off_t input_at_ = -1;
  base::UniqueFd out_read_, out_write_, err_read_, err_write_;
  base::UniqueFd channel_, child_channel_;
  std::optional<CgroupLeaf> cgroup_;
  pid_t pid_ = -1;
  base::UniqueFd pidfd_;
  bool is_reaped_ = false;
  bool has_others_ = false;
  bool was_dumpable_ = false;
  struct rusage usage_ {};
  // For the proof; found out while the child builds.
  std::optional<base::Result<std::vector<std::uint64_t>>> own_namespaces_;
  Sha256 filter_sha256_{};
  Sha256 init_sha256_{};
  Listener listener_;
  AuditSource audit_;
  base::UniqueFd scratch_;
  std::vector<base::UniqueFd> uppers_;
  std::uint64_t barrier_id_ = 0;
};

}  // namespace ethos::sandbox
