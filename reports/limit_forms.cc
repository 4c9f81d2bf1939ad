// SPDX-License-Identifier: Apache-2.0
#include "reports/limit_forms.h"

#include <algorithm>
#include <array>
#include <map>

namespace ethos::reports {
namespace {

using Seen = LimitForm::Seen;

struct Form {
  std::string_view limit, by;
  Seen seen;
  std::string_view words;
};
constexpr std::string_view kCounter = "a counter: each run that reached it has a record";
constexpr std::string_view kRate =
    "the kernel holds the tool back and tells nobody; a disk that moved 7/8 of the limit or more "
    "in a second is recorded";
constexpr std::string_view kFull =
    "the kernel refuses what is too much and tells only the tool; how full it is, is looked at now "
    "and then, so a refusal may leave no record";
constexpr std::array<Form, 13> kForms = {{
    {"wall_ms", "supervisor", Seen::counted, kCounter},
    {"output_bytes", "supervisor", Seen::counted, kCounter},
    {"memory_bytes", "cgroup", Seen::counted, kCounter},
    {"pids", "cgroup", Seen::counted, kCounter},
    {"cpu_percent", "cgroup", Seen::counted, kCounter},
    {"io_read_bps", "cgroup", Seen::looked_at, kRate},
    {"io_write_bps", "cgroup", Seen::looked_at, kRate},
    {"pids", "supervisor", Seen::looked_at,
     "the kernel refuses a process start beyond it (RLIMIT_NPROC) and tells only the tool; the "
     "supervisor looks at the number of processes ten times a second, so a refused start is not "
     "observed and may leave no record; a run that for two seconds stays within an eighth of "
     "the limit and spends most of its processor time in the kernel is ended by the supervisor as "
     "a fork bomb, and that has one; one that only waits at its limit is not"},
    {"memory_bytes", "rlimit", Seen::looked_at,
     "the kernel refuses a request beyond it and tells only the tool; use is looked at ten times a "
     "second, so one large request that was refused, or what comes and goes between two looks, "
     "leaves no record"},
    {"file_bytes", "rlimit", Seen::looked_at,
     "seen only when the tool's first process was ended for it; what the kernel refuses another "
     "process leaves no record"},
    {"scratch_bytes", "tmpfs", Seen::looked_at, kFull},
    {"staged_bytes", "tmpfs", Seen::looked_at, kFull},
    {"inodes", "tmpfs", Seen::looked_at, kFull},
}};

const Form* form_of(std::string_view limit, std::string_view by) {
  const auto* found = std::find_if(kForms.begin(), kForms.end(), [&](const Form& form) {
    return form.limit == limit && form.by == by;
  });
  return found == kForms.end() ? nullptr : found;
}

struct Label {
  std::string_view name, words;
};
constexpr std::array<Label, 14> kLimits = {{
    {"wall_ms", "time by the clock"},
    {"cpu_percent", "share of processors"},
    {"memory_bytes", "memory"},
    {"swap_bytes", "swap"},
    {"pids", "number of processes"},
    {"output_bytes", "output on standard output and error"},
    {"file_bytes", "size of one file"},
    {"open_files", "open files of a process"},
    {"scratch_bytes", "scratch space"},
    {"staged_bytes", "space for granted writes"},
    {"inodes", "number of new files"},
    {"io_read_bps", "bytes a second from a disk"},
    {"io_write_bps", "bytes a second to a disk"},
    {"proc", "view of processes (/proc)"},
}};
constexpr std::array<Label, 5> kEnforcers = {{
    {"supervisor", "the supervisor"},
    {"rlimit", "the kernel, each process by itself (rlimit)"},
    {"cgroup", "the kernel, the whole cage (cgroup)"},
    {"tmpfs", "the kernel, size of the memory file system (tmpfs)"},
    {"no-proc", "the profile no-proc, which has none"},
}};

constexpr std::array<Label, 11> kSources = {{
    {"memory.events", "the kernel's counter for the cage"},
    {"pids.events", "the kernel's counter for the cage"},
    {"cpu.stat", "the kernel's counter for the cage"},
    {"io.stat", "the kernel's count of bytes moved, looked at each second"},
    {"timer", "the supervisor's timer"},
    {"byte_counter", "the supervisor's counter of bytes"},
    {"process_count", "number of processes, looked at ten times a second"},
    {"wait_status", "how the tool's first process ended"},
    {"peak_data",
     "memory in use, looked at ten times a second, and at the end the kernel's largest resident "
     "size "
     "of a process (the limit counts data, so near is an inference)"},
    {"statfs", "space in use, looked at now and then"},
    {"layers_sum", "space of all granted writes together, looked at now and then"},
}};

constexpr std::array<Label, 6> kSensors = {{
    {"seccomp_notify", "system calls, notified by the kernel before they are answered"},
    {"landlock_audit", "refusals of files that the kernel's audit reported"},
    {"cgroup_events", "the kernel's counters for the cage"},
    {"output_counter", "bytes of output"},
    {"pidfd", "the end of the tool's first process"},
    {"timer", "the clock of the run"},
}};

template <std::size_t Size>
std::string label_in(const std::array<Label, Size>& labels, std::string_view name) {
  for (const Label& label : labels) {
    if (label.name == name) return std::string(label.words);
  }
  return std::string(name);
}

}  // namespace

std::string_view name_of(Seen seen) {
  switch (seen) {
    case Seen::counted:
      return "counted";
    case Seen::looked_at:
      return "looked_at";
    case Seen::not_recorded:
      return "not_recorded";
  }
  return "";
}

Seen seen_of(std::string_view limit, std::string_view enforced_by) {
  const Form* form = form_of(limit, enforced_by);
  return form == nullptr ? Seen::not_recorded : form->seen;
}

std::string_view seen_text(std::string_view limit, std::string_view enforced_by) {
  const Form* form = form_of(limit, enforced_by);
  return form == nullptr ? "the kernel refuses what is too much and tells only the tool: there is "
                           "never a record"
                         : form->words;
}

std::string limit_label(std::string_view limit) { return label_in(kLimits, limit); }
std::string enforcer_label(std::string_view limit, std::string_view enforced_by) {
  if (limit == "pids" && enforced_by == "supervisor")
    return "the kernel, all processes of the run together (RLIMIT_NPROC); the supervisor looks ten "
           "times a second";
  if (limit == "memory_bytes" && enforced_by == "rlimit")
    return "the kernel, each process by itself (rlimit); the supervisor looks at all of them "
           "together";
  return label_in(kEnforcers, enforced_by);
}

std::string short_enforcer(std::string_view limit, std::string_view enforced_by) {
  if (limit == "pids" && enforced_by == "supervisor")
    return "the kernel (RLIMIT_NPROC), looked at by the supervisor";
  if (enforced_by == "supervisor") return "the supervisor";
  if (enforced_by == "rlimit" || enforced_by == "cgroup" || enforced_by == "tmpfs")
    return "the kernel (" + std::string(enforced_by) + ")";
  return std::string(enforced_by);
}

bool is_weaker_form(std::string_view limit, std::string_view enforced_by) {
  constexpr std::array<std::string_view, 6> kOfCgroups = {
      "memory_bytes", "swap_bytes", "cpu_percent", "pids", "io_read_bps", "io_write_bps"};
  if (limit == "proc") return true;
  return enforced_by != "cgroup" &&
         std::find(kOfCgroups.begin(), kOfCgroups.end(), limit) != kOfCgroups.end();
}

std::string_view weaker_meaning() {
  return "a limit of the whole cage (memory, number of processes) that no cgroup held, but "
         "something that holds less; also a cage without /proc. Limits with one form only (size of "
         "a "
         "file, open files, space, new files, output, time) are not called weaker, whatever holds "
         "them";
}

std::string limit_labels(std::string_view list) {
  std::string out;
  while (!list.empty()) {
    const auto end = list.find(", ");
    out += (out.empty() ? "" : ", ") + limit_label(list.substr(0, end));
    list = end == std::string_view::npos ? std::string_view() : list.substr(end + 2);
  }
  return out;
}

namespace {

// Of a list of "LIMIT by FORM" with ", " between.
template <typename Words>
std::string each_form(std::string_view list, std::string_view between, Words words) {
  constexpr std::string_view kBy = " by ";
  std::string out;
  while (!list.empty()) {
    const auto end = list.find(", ");
    const std::string_view one = list.substr(0, end);
    const auto by = one.find(kBy);
    if (!out.empty()) out += between;
    out += limit_label(one.substr(0, by));
    if (by != std::string_view::npos) out += words(one.substr(0, by), one.substr(by + kBy.size()));
    list = end == std::string_view::npos ? std::string_view() : list.substr(end + 2);
  }
  return out;
}

}  // namespace

std::string form_labels(std::string_view list) {
  return each_form(list, "; ", [](std::string_view limit, std::string_view by) {
    return ", by " + enforcer_label(limit, by);
  });
}

std::string short_form_labels(std::string_view list) {
  return each_form(list, ", ", [](std::string_view limit, std::string_view by) {
    return " (" + short_enforcer(limit, by) + ")";
  });
}

std::string sensor_label(std::string_view sensor) { return label_in(kSensors, sensor); }
std::string source_label(std::string_view source) { return label_in(kSources, source); }

void list_limit_forms(Model& model) {
  std::map<std::pair<std::string, std::string>, LimitForm> forms;
  for (const GrantRow& row : model.grant_rows) {
    if (row.grant.capability != Capability::limits) continue;
    const std::string& limit = model.text(row.grant.object);
    const std::string& by = model.text(row.grant.detail);
    const auto [at, is_new] = forms.try_emplace({limit, by});
    LimitForm& form = at->second;
    if (is_new) form = {row.grant.object, row.grant.detail, 0, seen_of(limit, by), row.first};
    form.runs += row.runs;  // a run has each limit once
    if (row.first.seq < form.first.seq) form.first = row.first;
  }
  for (const auto& [key, form] : forms) model.limit_forms.push_back(form);
}

std::string unseen_limits_text(const Model& model) {
  std::string out;
  for (const LimitForm& form : model.limit_forms) {
    if (form.seen == Seen::counted) continue;
    out += (out.empty() ? "" : ", ") + model.text(form.limit) + " by " +
           short_enforcer(model.text(form.limit), model.text(form.by)) + " (" +
           std::to_string(form.runs) + (form.runs == 1 ? " run)" : " runs)");
  }
  return out;
}

}  // namespace ethos::reports
