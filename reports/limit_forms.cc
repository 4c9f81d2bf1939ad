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
constexpr std::string_view kFull =
    "the kernel refuses what is too much and tells only the tool; how full it is, is looked at now "
    "and then, so a refusal may leave no record";
constexpr std::array<Form, 11> kForms = {{
    {"wall_ms", "supervisor", Seen::counted, kCounter},
    {"output_bytes", "supervisor", Seen::counted, kCounter},
    {"memory_bytes", "cgroup", Seen::counted, kCounter},
    {"pids", "cgroup", Seen::counted, kCounter},
    {"cpu_percent", "cgroup", Seen::counted, kCounter},
    {"pids", "supervisor", Seen::looked_at,
     "the kernel refuses a process start beyond it and tells only the tool; the number of "
     "processes "
     "is looked at ten times a second, so a refused start is not observed and may leave no record"},
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
constexpr std::array<Label, 11> kLimits = {{
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
}};
constexpr std::array<Label, 4> kEnforcers = {{
    {"supervisor", "the supervisor"},
    {"rlimit", "the kernel, each process by itself (rlimit)"},
    {"cgroup", "the kernel, the whole cage (cgroup)"},
    {"tmpfs", "the kernel, size of the memory file system (tmpfs)"},
}};

constexpr std::array<Label, 10> kSources = {{
    {"memory.events", "the kernel's counter for the cage"},
    {"pids.events", "the kernel's counter for the cage"},
    {"cpu.stat", "the kernel's counter for the cage"},
    {"timer", "the supervisor's timer"},
    {"byte_counter", "the supervisor's counter of bytes"},
    {"process_count", "number of processes, looked at ten times a second"},
    {"wait_status", "how the tool's first process ended"},
    {"peak_data", "memory in use, looked at ten times a second"},
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
std::string enforcer_label(std::string_view enforced_by) {
  return label_in(kEnforcers, enforced_by);
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
    if (by != std::string_view::npos) out += words(one.substr(by + kBy.size()));
    list = end == std::string_view::npos ? std::string_view() : list.substr(end + 2);
  }
  return out;
}

}  // namespace

std::string form_labels(std::string_view list) {
  return each_form(list, "; ", [](std::string_view by) { return ", by " + enforcer_label(by); });
}

std::string short_form_labels(std::string_view list) {
  return each_form(list, ", ", [](std::string_view by) { return " (" + std::string(by) + ")"; });
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
    out += (out.empty() ? "" : ", ") + model.text(form.limit) + " by " + model.text(form.by) +
           " (" + std::to_string(form.runs) + (form.runs == 1 ? " run)" : " runs)");
  }
  return out;
}

}  // namespace ethos::reports
