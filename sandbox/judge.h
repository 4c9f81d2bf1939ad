// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sandbox/coalescer.h"
#include "sandbox/grant_index.h"
#include "sandbox/host_paths.h"
#include "sandbox/listener.h"
#include "sandbox/path_calls.h"
#include "sandbox/path_walk.h"
#include "sandbox/quick_look.h"
#include "sandbox/use_sink.h"

namespace ethos::sandbox {

// What becomes of one notified call. `error` 0: the kernel carries it out.
struct Verdict {
  int error = 0;
  bool is_unasked = false;  // nobody asked yet whether the caller still waits: the answer tells
};

// Decides notified calls and writes down the refused ones: calls that name a path in
// judge_paths.cc, those that start a program in judge_exec.cc, what the cage keeps from a reader in
// judge_withheld.cc, the others in judge.cc. Stateless but for counters. A call is let through only
// when the kernel itself refuses what must be refused (mounts, Landlock, missing capabilities,
// namespaces), because arguments behind pointers can change after the look at them.
class Judge {
 public:
  // `uses`: is told what the tool used of its grants; may be null.
  Judge(const Plan& plan, Coalescer& evidence, UseSink* uses = nullptr)
      : plan_(&plan),
        grants_(plan),
        evidence_(&evidence),
        uses_(uses),
        walker_(grants_.has_shut_directories()),
        quick_(plan, grants_) {}
  Judge(const Judge&) = delete;
  Judge& operator=(const Judge&) = delete;

  Verdict decide(const Call& call, const Listener& listener, std::uint64_t now_ns);

 private:
  // The arguments of an open of any form.
  struct Opening {
    std::int32_t dir_fd = 0;
    std::uint64_t address = 0;
    std::uint64_t flags = 0;
    std::uint64_t mode = 0;
    std::uint64_t resolve = 0;

    [[nodiscard]] bool creates() const;
    [[nodiscard]] bool is_new() const;      // the name must not be taken
    [[nodiscard]] bool is_unnamed() const;  // O_TMPFILE: the path is a directory
    [[nodiscard]] bool writes() const;
  };

  Verdict decide_exec(const Call& call);
  Verdict refuse_memory(const Call& call, const Place& place);
  Verdict decide_open(const Call& call);
  Verdict decide_open_how(const Call& call);
  Verdict decide_opening(const Call& call, const Opening& opening);
  Glance glance_at(const Call& call, const Opening& opening, const std::string& text);
  Verdict decide_access(const Call& call, const Opening& opening, const Place& place,
                        std::string_view text);
  void note_opening(const Opening& opening, const Place& place);
  void note_change(const Call& call, LastName last, int index, const Place& place);
  Verdict decide_reading(const Call& call, const Place& place, Cover cover, std::string_view text);
  Verdict decide_path_change(const Call& call);
  Verdict decide_paths(const Call& call);
  Verdict decide_node(const Call& call, std::uint64_t mode);
  Verdict decide_fork(const Call& call);
  [[nodiscard]] Verdict decide_memory_file(const Call& call) const;
  Verdict decide_own_filter(const Call& call);
  [[nodiscard]] Verdict decide_page_holding(const Call& call) const;
  [[nodiscard]] bool is_memory_counted() const;
  Verdict decide_connect(const Call& call);
  Verdict decide_bind(const Call& call);
  Verdict decide_socket(const Call& call);
  Verdict decide_arguments(const Call& call);

  bool read_text(const Call& call, std::uint64_t address, std::string& text, Verdict& verdict);
  bool find_place(const Call& call, const PathQuery& query, Place& place, Verdict& verdict);
  bool may_start_place(const Call& call, const Place& place, Verdict& verdict);
  Verdict decide_mapping(const Call& call);
  bool may_interpret(const Call& call, const Place& file, Verdict& verdict);
  bool may_change(const Call& call, const PathCall& layout, int index, Verdict& verdict);
  bool may_change_at(const Call& call, LastName last, bool removes, const Place& place,
                     Verdict& verdict);
  [[nodiscard]] Cover parent_cover(const std::string& path) const;
  bool is_withheld(const std::string& path);
  bool is_barred(const Place& place);
  bool is_shut(const Call& call, const Place& place, std::string_view text);
  bool is_closed_above(const Call& call, const Place& place, std::string_view text);
  bool is_behind_closed(const Call& call, const Place& place, std::string_view text);
  bool could_read(const Place& place);
  bool is_of_others(const Place& place);
  bool is_in_others(const Call& call, const std::string& path);
  bool is_change_behind_closed(const Call& call, const Place& place, std::string_view text);
  Verdict refuse_of_others(const Call& call, const std::string& path);
  static bool ends_by_itself(const Opening& opening, const Place& place);
  void note_exec(const Call& call, std::string path);
  Verdict refuse_path(const Call& call, const std::string& path, std::string_view rule,
                      std::string_view reason, int error);
  Verdict refuse_write(const Call& call, const std::string& path, Cover cover);
  Verdict refuse_withheld(const Call& call, const std::string& path);
  Verdict refuse_masked(const Call& call, const Place& place, Cover cover);
  Verdict refuse_exec(const Call& call, const std::string& path);
  Verdict refuse_set_id(const Call& call);
  Verdict refuse(const Call& call, Denial denial, int error);
  Verdict refuse_call(const Call& call, const char* rule, const char* reason, int error);

  const Plan* plan_;
  GrantIndex grants_;
  Coalescer* evidence_;
  UseSink* uses_;
  PathWalker walker_;
  QuickLook quick_;
  HostPaths host_;
  const Listener* listener_ = nullptr;
  std::uint64_t now_ns_ = 0;
  int own_filters_ = 0;
  bool has_seen_tool_ = false;
};

}  // namespace ethos::sandbox
