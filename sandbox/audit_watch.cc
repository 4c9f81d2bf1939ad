// SPDX-License-Identifier: Apache-2.0
#include "sandbox/audit_watch.h"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <utility>

namespace ethos::sandbox {
namespace {

// What Landlock answers, where the call's own record is not there or says that it went well: a call
// can do other things as well.
int usual_error(const std::string& blockers) {
  const bool is_permission = blockers.starts_with("scope.") || blockers.starts_with("ptrace") ||
                             blockers.starts_with("fs.change_topology");
  return is_permission ? EPERM : EACCES;
}

constexpr std::int64_t kLastErrno = 4095;

}  // namespace

void AuditWatch::take(std::uint16_t type, std::string_view text) {
  const bool is_landlock = type == audit::kLandlockAccess || type == audit::kLandlockDomain;
  // A busy machine logs many calls: only those of an open event are of interest.
  if (!is_landlock && open_.empty()) return;
  auto record = audit::parse_record(type, text);
  if (!record) return;
  switch (type) {
    case audit::kLandlockAccess:
      return take_access(std::move(*record));
    case audit::kLandlockDomain:
      return take_domain(*record);
    case audit::kSyscall:
      return take_call(*record);
    case audit::kEndOfEvent:
      for (std::size_t i = 0; i < open_.size(); ++i)
        if (open_[i].event == record->event) return finish(i);
      return;
    default:
      return;
  }
}

void AuditWatch::take_access(audit::Record&& record) {
  if (domain_ == 0) {
    // Before the record that names the process; those are the set-up's probes.
    unknown_.push_back(record.domain);
    if (unknown_.size() > kMaxUnknown) unknown_.pop_front();
    return;
  }
  if (record.domain != domain_) return;
  ++received_;
  AuditDenial denial{std::move(record.blockers), std::move(record.object),
                     std::move(record.object_kind), 0};
  denial.error = usual_error(denial.blockers);
  const auto known = std::ranges::find(open_, record.event, &Open::event);
  if (known != open_.end()) {
    known->denials.push_back(std::move(denial));
    return;
  }
  if (open_.size() >= kMaxOpen) finish(0);
  open_.push_back({record.event, {}});
  open_.back().denials.push_back(std::move(denial));
}

void AuditWatch::take_domain(const audit::Record& record) {
  if (record.status == "allocated") {
    if (domain_ != 0 || record.pid != pid_) return;
    domain_ = record.domain;
    received_ = static_cast<std::uint64_t>(std::ranges::count(unknown_, domain_));
    unknown_.clear();
  } else if (domain_ != 0 && record.domain == domain_) {
    final_count_ = record.denials;
  }
}

void AuditWatch::take_call(const audit::Record& record) {
  const auto open = std::ranges::find(open_, record.event, &Open::event);
  if (open == open_.end()) return;
  if (record.pid == pid_) {
    open_.erase(open);
    return;
  }
  if (record.result < 0 && record.result >= -kLastErrno)
    for (AuditDenial& denial : open->denials) denial.error = static_cast<int>(-record.result);
}

void AuditWatch::finish(std::size_t at) {
  auto& denials = open_[at].denials;
  if (is_running_) std::ranges::move(denials, std::back_inserter(ready_));
  open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(at));
}

void AuditWatch::begin_run() {
  open_.clear();
  ready_.clear();
  is_running_ = true;
}

std::vector<AuditDenial> AuditWatch::take_denials(bool is_all) {
  while (is_all && !open_.empty()) finish(0);
  return std::exchange(ready_, {});
}

}  // namespace ethos::sandbox
