// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/audit_record.h"

namespace ethos::sandbox {

// One refusal of the cage's Landlock domain, in the kernel's own words.
struct AuditDenial {
  std::string blockers;  // "fs.write_file"
  std::string object;
  std::string object_kind;  // path, address, name; empty without an object
  int error = 0;            // what the call returned; never 0
};

// Finds the records of one cage among all those of the machine. The kernel numbers domains; the
// first refusal of a domain brings the number together with the pid that restricted itself, which
// for this cage is the pid that clone3 returned. The set-up's own probes make that first refusal.
//
// When the last process of a domain is gone the kernel says how many refusals it made, logged or
// not: what did not arrive is known exactly. Memory is bounded by the constants.
class AuditWatch {
 public:
  static constexpr std::size_t kMaxUnknown = 256;  // refusals of domains whose process is not known
  static constexpr std::size_t kMaxOpen = 64;      // events whose last record has not come yet

  // `pid` of the process that entered the domain, as the machine's first pid namespace counts.
  explicit AuditWatch(pid_t pid) : pid_(pid) {}

  void take(std::uint16_t type, std::string_view text);

  // A record said which domain is this cage's.
  [[nodiscard]] bool has_domain() const { return domain_ != 0; }
  // From now on the tool runs. What came before, and what the cage's first process does itself, is
  // set-up and no denial of the run; it is counted all the same.
  void begin_run();
  // Refusals whose records are complete, in their order; with `is_all` the others too.
  std::vector<AuditDenial> take_denials(bool is_all);

  // Refusals of this cage that arrived, set-up included.
  [[nodiscard]] std::uint64_t received() const { return received_; }
  // The kernel's own count, once the domain is gone.
  [[nodiscard]] std::optional<std::uint64_t> final_count() const { return final_count_; }

 private:
  struct Open {
    std::uint64_t event = 0;
    std::vector<AuditDenial> denials;
  };
  void take_access(audit::Record&& record);
  void take_domain(const audit::Record& record);
  void take_call(const audit::Record& record);
  void finish(std::size_t at);

  pid_t pid_;
  std::uint64_t domain_ = 0;
  bool is_running_ = false;
  std::uint64_t received_ = 0;
  std::optional<std::uint64_t> final_count_;
  std::deque<std::uint64_t> unknown_;  // domains of refusals before ours was known
  std::deque<Open> open_;
  std::vector<AuditDenial> ready_;
};

}  // namespace ethos::sandbox
