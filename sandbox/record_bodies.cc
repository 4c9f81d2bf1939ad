// SPDX-License-Identifier: Apache-2.0
#include "sandbox/record_bodies.h"

#include <linux/audit.h>

#include <algorithm>
#include <set>

#include "sandbox/jsonc.h"
#include "sandbox/limits.h"
#include "sandbox/path_text.h"
#include "sandbox/run_status.h"

namespace ethos::sandbox {
namespace {

constexpr std::size_t kMaxSentence = 512;
constexpr std::size_t kMaxObject = 256;

// Each text followed by one NUL byte (E-6).
std::string joined(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) (out += text) += '\0';
  return out;
}

std::string mark_text(Mark mark) { return std::string(1, mark_letter(mark)); }

Json program_body(const ProgramFile& file, Committer& committer) {
  Json out;
  out["measured"] = "before_start";
  out["path"] = committer.path(file.path);
  out["sha256"] = file.sha256.text();
  out["size"] = static_cast<std::int64_t>(file.size);
  return out;
}

// The first by itself, as records of before have it; those that read each other as a list.
void add_interpreters(Json& exe, const std::vector<ProgramFile>& files, Committer& committer) {
  constexpr std::size_t kMostPathBytes = 4096;
  if (files.empty()) return;
  exe["interpreter"] = program_body(files.front(), committer);
  Json::Array further;
  std::size_t path_bytes = 0;
  for (std::size_t i = 1; i < files.size(); ++i) {
    path_bytes += files[i].path.path.size();
    if (path_bytes > kMostPathBytes) break;
    further.push_back(program_body(files[i], committer));
  }
  if (!further.empty()) exe["interpreters"] = std::move(further);
}

std::string arch_text(std::uint32_t arch, std::int32_t number) {
  constexpr std::int32_t kX32Bit = 0x40000000;
  constexpr std::string_view kHex = "0123456789abcdef";
  if (arch == AUDIT_ARCH_X86_64) return number >= 0 && (number & kX32Bit) != 0 ? "x32" : "x86_64";
  if (arch == AUDIT_ARCH_I386) return "i386";
  std::string out = "0x";
  for (int shift = 28; shift >= 0; shift -= 4)
    out += kHex[(arch >> static_cast<unsigned>(shift)) & 0xF];
  return out;
}

Json object_body(const Denial& denial, Committer& committer) {
  if (denial.where) return committer.path(*denial.where);
  Json out;
  out[denial.object_kind == "address" ? "address" : "text"] =
      bounded_text(denial.object, kMaxObject);
  return out;
}

Json setup_body(const std::string& operation, const std::string& source, int error) {
  Json out;
  out["count"] = 1;
  out["errno"] = error;
  out["mark"] = "S";
  out["operation"] = operation;
  out["outcome"] = "denied";
  out["phase"] = "setup";
  out["source"] = source;
  return out;
}

// What the object commits to must not stand in the sentence beside it.
void withhold(std::string& sentence, const std::string& path) {
  constexpr std::string_view kInstead = "(withheld)";
  for (std::size_t at = sentence.find(path); at != std::string::npos;
       at = sentence.find(path, at + kInstead.size()))
    sentence.replace(at, path.size(), kInstead);
}

Json usage_body(const RunResult* result) {
  Json out;
  const auto ms = [](const timeval& t) { return std::int64_t{t.tv_sec} * 1000 + t.tv_usec / 1000; };
  out["cpu_ms"] =
      result == nullptr ? std::int64_t{0} : ms(result->usage.ru_utime) + ms(result->usage.ru_stime);
  constexpr std::uint64_t kKi = 1024;
  out["max_rss_bytes"] = big(
      result == nullptr ? 0
                        : static_cast<std::uint64_t>(std::max(0L, result->usage.ru_maxrss)) * kKi);
  if (result == nullptr) return out;
  for (const RunResult::Figure& figure : result->figures) {
    if (figure.name == "memory_peak_bytes" && figure.mark == Mark::kernel)
      out["memory_peak_bytes"] = big(figure.value);
    if (figure.name == "pids_peak") out["pids_peak"] = static_cast<std::int64_t>(figure.value);
  }
  return out;
}

Json teardown_body(const CloseFacts& close) {
  Json out;
  const bool is_gone = close.result == nullptr || close.result->is_cgroup_gone;
  out["cgroup"] = !is_gone ? "left" : close.has_cgroup ? "removed" : "none";
  out["processes_left"] =
      close.result == nullptr ? std::int64_t{0} : std::int64_t{close.result->processes_left};
  // The scratch file systems live in the cage's mount namespace and cannot outlive its last
  // process.
  out["scratch"] = "gone";
  return out;
}

}  // namespace

std::string bounded_text(std::string_view text, std::size_t most) {
  std::string out;
  for (const char c : text.substr(0, most))
    out += static_cast<unsigned char>(c) < 0x20 || c == '\x7F' ? ' ' : c;
  // A cut inside a character leaves no text; neither may bytes from the system.
  while (!out.empty() && !is_utf8(out) && text.size() > most) out.pop_back();
  if (!is_utf8(out))
    for (char& c : out)
      if (static_cast<unsigned char>(c) >= 0x80) c = '?';
  return out;
}

Json open_body(const OpenFacts& open, Committer& committer) {
  Json out;
  if (open.actor) out["actor"] = committer.commit("actor", *open.actor);
  out["argc"] = static_cast<std::int64_t>(open.argv.size());
  out["argv"] = committer.commit("argv", joined(open.argv));
  Json& caller = out["caller"];
  caller["gid"] = open.caller_gid;
  if (open.login_uid) caller["login_uid"] = *open.login_uid;
  caller["pid"] = open.caller_pid;
  caller["uid"] = open.caller_uid;
  Json& ceilings = out["ceilings"] = Json::Array{};
  for (const auto& [name, digest] : open.ceilings) {
    Json item;
    item["name"] = name;
    item["sha256"] = digest.text();
    ceilings.push_back(std::move(item));
  }
  out["class"] = open.isolation;
  if (open.decision) {
    Json& decision = out["decision"];
    decision["authenticated"] = open.decision->is_authenticated;
    decision["doc"] = committer.commit("decision", open.decision->document);
    decision["policy"] = bounded_text(open.decision->policy, kMaxObject);
    decision["verdict"] = bounded_text(open.decision->verdict, kMaxObject);
  }
  if (open.program) {
    out["exe"] = program_body(*open.program, committer);
    add_interpreters(out["exe"], open.interpreters, committer);
  }
  if (!open.facts_bytes.empty()) out["facts"] = committer.commit("facts", open.facts_bytes);
  Json& host = out["host"];
  host["arch"] = open.arch;
  host["cgroup"] = open.cgroup;
  host["kernel"] = bounded_text(open.kernel, kMaxObject);
  host["landlock_abi"] = open.landlock_abi;
  if (!open.normal_bytes.empty()) out["normal"] = committer.commit("normal", open.normal_bytes);
  out["observe"] = open.observe;
  out["origin"] = open.origin;
  if (!open.plan_bytes.empty()) out["plan"] = committer.commit("plan", open.plan_bytes);
  out["product"] = open.product;
  out["profile"] = open.profile;
  if (open.git_layout) {
    Json& repository = out["repository"];
    repository["layout"] = *open.git_layout;
    if (open.git_revision) repository["revision"] = *open.git_revision;
  }
  if (open.source) out["source"] = committer.commit("source", *open.source);
  if (open.source_revision) out["source_revision"] = *open.source_revision;
  if (open.task) out["task"] = committer.commit("task", *open.task);
  out["tool"] = open.tool;
  Json& workspace = out["workspace"];
  workspace["dev"] = big(open.workspace_device);
  workspace["ino"] = big(open.workspace_inode);
  workspace["path"] = committer.commit("workspace", open.workspace);
  return out;
}

Json denial_body(const Denial& denial, Committer& committer) {
  Json out;
  if (denial.phase != Phase::run && !denial.reason.empty())
    out["cause"] = bounded_text(denial.reason, kMaxSentence);
  out["count"] = static_cast<std::int64_t>(denial.count);
  out["errno"] = denial.error;
  const bool has_object = denial.where || !denial.object.empty();
  out["mark"] = mark_text(has_object ? denial.object_mark : denial.operation_mark);
  if (has_object) out["object"] = object_body(denial, committer);
  out["operation"] = bounded_text(denial.operation, kMaxObject);
  out["outcome"] = outcome_name(denial.outcome);
  out["phase"] = phase_name(denial.phase);
  if (!denial.rule.empty()) out["rule"] = denial.rule;
  out["source"] = source_name(denial.source);
  if (denial.syscall >= 0 && denial.arch != 0) {
    Json& call = out["syscall"];
    call["arch"] = arch_text(denial.arch, denial.syscall);
    call["nr"] = denial.syscall;
  }
  return out;
}

Json refusal_body(const Refusal& refusal, Committer& committer) {
  Json out = setup_body("plan", "plan", refusal.error);
  std::string cause = refusal.cause;
  if (refusal.path && is_private_place(*refusal.path)) withhold(cause, "/" + refusal.path->path);
  out["cause"] = bounded_text(cause, kMaxSentence);
  out["fix"] = bounded_text(refusal.fix, kMaxSentence);
  if (refusal.path) {
    out["object"] = committer.path(*refusal.path);
  } else {
    out["object"]["text"] = bounded_text(refusal.on, kMaxObject);
  }
  out["rule"] = refusal.rule;
  return out;
}

Json setup_denial_body(const SetupDenial& denial, const std::string& workspace,
                       Committer& committer) {
  Json out = setup_body(bounded_text(denial.step, kMaxObject), "launcher", denial.error);
  std::string cause = denial.cause;
  for (const Mismatch& m : denial.mismatches)
    cause += "; " + m.what + ": expected " + m.expected + ", found " + m.found;
  const auto path = denial.object.starts_with('/') ? normalise_path(denial.object) : std::nullopt;
  if (path) {
    const BasedPath where = cage_path(*path, workspace);
    if (is_private_place(where)) withhold(cause, *path);
    out["object"] = committer.path(where);
  } else if (!denial.object.empty()) {
    out["object"]["text"] = bounded_text(denial.object, kMaxObject);
  }
  // A workspace below somebody's home is no more to be named than the home.
  withhold(cause, workspace);
  out["cause"] = bounded_text(cause, kMaxSentence);
  if (!denial.fix.empty()) out["fix"] = bounded_text(denial.fix, kMaxSentence);
  return out;
}

Json limit_body(const LimitEvent& event) {
  Json out;
  out["action"] = action_name(event.action);
  out["enforced_by"] = enforcer_name(event.by);
  out["limit"] = event.name;
  out["mark"] = mark_text(event.mark);
  out["observed"] = big(event.observed);
  out["source"] = event.source;
  out["value"] = big(event.value);
  return out;
}

Json gap_body(const Gap& gap) {
  Json out;
  out["lost"] = big(gap.count);
  out["reason"] = gap.reason;
  const bool is_own =
      gap.reason == "mask_lost" || gap.reason == "not_hidden" || gap.reason == "artifact_unread";
  out["source"] = is_own                             ? "supervisor"
                  : gap.reason.starts_with("audit_") ? "landlock_audit"
                                                     : "seccomp";
  return out;
}

Json artifact_body(const Artifact& artifact, Committer& committer) {
  Json out;
  const bool is_directory = artifact.action == "directory";
  out["action"] = is_directory ? "created" : artifact.action;
  out["grant"] = committer.path(artifact.grant);
  out["path"] = committer.path(artifact.where);
  if (!is_directory && artifact.action != "deleted")
    out["sha256"] = record::Digest(artifact.sha256).text();
  out["size"] = big(artifact.bytes);
  out["type"] = is_directory ? "directory" : "file";
  return out;
}

Json output_body(const OutputFact& output) {
  Json out;
  out["bytes"] = big(output.bytes);
  out["data"] = output.data;
  out["stream"] = output.stream;
  out["truncated"] = output.is_truncated;
  return out;
}

Json close_body(const CloseFacts& close) {
  Json out;
  Json& denials = out["denials"];
  denials["acts"] = big(close.denied_acts);
  denials["records"] = close.denial_records;
  constexpr std::uint64_t kNsPerMs = 1'000'000;
  const RunResult* r = close.result;
  out["duration_ms"] = r == nullptr || r->ended_ns < r->started_ns
                           ? std::int64_t{0}
                           : static_cast<std::int64_t>((r->ended_ns - r->started_ns) / kNsPerMs);
  out["ended_by"] = r == nullptr ? "refused" : ended_by(*r);
  if (close.execs) out["execs"] = *close.execs;
  if (r != nullptr && r->ending == Ending::exited) out["exit"]["code"] = r->status;
  if (r != nullptr && r->ending == Ending::signaled) out["exit"]["signal"] = r->status;
  out["gaps"] = close.gaps;
  Json& limits = out["limits"] = Json::Array{};
  for (const std::string& limit : std::set<std::string>(close.limits.begin(), close.limits.end()))
    limits.push_back(limit);
  out["records"] = close.records;
  out["status"] = close.status;
  out["teardown"] = teardown_body(close);
  out["usage"] = usage_body(r);
  return out;
}

}  // namespace ethos::sandbox
