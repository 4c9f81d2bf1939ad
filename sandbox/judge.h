// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "sandbox/coalescer.h"
#include "sandbox/grant_index.h"
#include "sandbox/listener.h"
#include "sandbox/process_counter.h"

namespace ethos::sandbox {

// What becomes of one notified call. `error` 0: the kernel carries it out.
struct Verdict {
  int error = 0;
};

// Decides notified calls and writes down the refused ones. Stateless but for counters. A call is
// let through only when the kernel itself refuses what must be refused (mounts, Landlock, missing
// capabilities, namespaces), because arguments behind pointers can change after the look at them.
class Judge {
 public:
  Judge(const Plan& plan, Coalescer& evidence, ProcessCounter& processes)
      : plan_(&plan), grants_(plan), evidence_(&evidence), processes_(&processes) {}

  Verdict decide(const Call& call, const Listener& listener, std::uint64_t now_ns);

 private:
  struct Path;
  Verdict decide_exec(const Call& call);
  Verdict decide_open(const Call& call);
  Verdict decide_open_how(const Call& call);
  Verdict decide_open_path(const Call& call, int dir_fd, std::uint64_t address,
                           std::uint64_t flags);
  Verdict decide_path_change(const Call& call);
  Verdict decide_fork(const Call& call);
  Verdict decide_connect(const Call& call);
  Verdict decide_bind(const Call& call);
  Verdict decide_socket(const Call& call);
  Verdict decide_arguments(const Call& call);

  bool read_tool_path(const Call& call, int dir_fd, std::uint64_t address, std::string& path,
                      Verdict& verdict);
  Verdict refuse_write(const Call& call, const std::string& path, Cover cover);
  Verdict refuse(const Call& call, Denial denial, int error);
  Verdict refuse_call(const Call& call, const char* rule, const char* reason, int error);

  const Plan* plan_;
  GrantIndex grants_;
  Coalescer* evidence_;
  ProcessCounter* processes_;
  const Listener* listener_ = nullptr;
  std::uint64_t now_ns_ = 0;
  bool has_seen_tool_ = false;
};

}  // namespace ethos::sandbox
