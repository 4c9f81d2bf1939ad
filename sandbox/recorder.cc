// SPDX-License-Identifier: Apache-2.0
#include "sandbox/recorder.h"

#include <algorithm>
#include <cassert>

#include "ledger/base/bytes.h"
#include "ledger/base/step_mark.h"
#include "sandbox/enforced_json.h"
#include "sandbox/path_text.h"

namespace ethos::sandbox {
namespace {

using base::Result;

// More different programs than this are counted but not listed.
constexpr std::size_t kMaxExecPaths = 1024;

// "openat .git/hooks/x", "socket AF_INET SOCK_STREAM": in the workspace as it is seen from there.
std::string name_of(const Denial& denial, const std::string& workspace) {
  std::string object = denial.object;
  if (object.size() > workspace.size() + 1 && object.starts_with(workspace + "/"))
    object.erase(0, workspace.size() + 1);
  return denial.operation + (object.empty() ? "" : " ") + object;
}

}  // namespace

Recorder::Recorder(ledger::RecordSink& sink, const base::Clock& clock, const record::RunId& run,
                   OpenFacts open, std::vector<Json> grants, std::vector<ledger::Blob> blobs)
    : writer_(sink, clock, run),
      open_(std::move(open)),
      grants_(std::move(grants)),
      blobs_(std::move(blobs)) {}

Recorder::~Recorder() { writer_.stop(); }

void Recorder::set_program(std::optional<ProgramFile> program,
                           std::vector<ProgramFile> interpreters) {
  open_.program = std::move(program);
  open_.interpreters = std::move(interpreters);
}

void Recorder::make_opening() {
  if (opening_) return;
  if (before_opening_) before_opening_();
  Json open = open_body(open_, committer_);
  opening_ = {std::move(open), committer_.take()};
}

void Recorder::while_building() {
  make_opening();
  for (const Json& grant : grants_) {
    Json body = committer_.grant(grant);
    granted_.push_back({std::move(body), committer_.take()});
  }
  writer_.warm_up();
}

bool Recorder::on_barrier(const Enforced& enforced) {
  assert(plan_ != nullptr && !is_open_);
  if (!opening_) while_building();
  if (!may_start_) return false;
  base::step_mark("bodies of commit 1");
  writer_.add("run.open", std::move(opening_->json), std::move(opening_->disclosures));
  for (Body& grant : granted_)
    writer_.add("capability.grant", std::move(grant.json), std::move(grant.disclosures));
  Json body = encode_enforced(enforced, *plan_, committer_);
  writer_.add("sandbox.enforced", std::move(body), committer_.take());
  has_cgroup_ = enforced.cgroup.is_present;
  auto blobs = blobs_;
  blobs.push_back(
      {record::Digest(enforced.seccomp.sha256), base::to_string(enforced.seccomp.bytes)});
  is_open_ = writer_.flush(std::move(blobs)).has_value();
  if (is_open_) writer_.allow_thread();
  return is_open_;
}

bool Recorder::on_exec(const ExecEvent& event) {
  exec_total_ += event.count;
  const BasedPath where = event.where.value_or(BasedPath{
      Base::host, event.path.empty() ? "." : event.path.substr(event.path.front() == '/' ? 1 : 0)});
  const std::string key = encode_path(where).encode();
  const auto at = execs_.find(key);
  if (at != execs_.end())
    at->second += event.count;
  else if (execs_.size() < kMaxExecPaths)
    execs_.emplace(key, event.count);
  else
    unlisted_execs_ += event.count;
  return writer_.failure().empty();
}

bool Recorder::on_denial(const Denial& denial) {
  if (denial.phase != Phase::setup) {
    if (denied_acts_ == 0) first_denial_ = name_of(denial, open_.workspace);
    denied_acts_ += denial.count;
    ++denial_records_;
  }
  Json body = denial_body(denial, committer_);
  // Equal acts are gathered for up to a second: the record's moment is that of the first.
  return writer_.add("runtime.sandbox_denial", std::move(body), committer_.take(), denial.first_ns);
}

bool Recorder::on_limit(const LimitEvent& event) {
  limits_.push_back(event.name);
  return writer_.add("resource.limit", limit_body(event), {});
}

bool Recorder::on_gap(const Gap& gap) {
  ++gap_records_;
  // Denials beyond the budget, and those that the kernel counted and had no room to tell.
  if (gap.reason == "flood" || gap.reason == "audit_lost") lost_denials_ += gap.count;
  return writer_.add("run.gap", gap_body(gap), {});
}

Result<void> Recorder::refuse(const std::vector<Refusal>& refusals, int status) {
  // The first is the answer; a declaration may be wrong in many places, and a few say enough.
  constexpr std::size_t kMaxRefusals = 32;
  std::vector<Json> bodies;
  for (const Refusal& refusal : refusals)
    if (bodies.size() < kMaxRefusals) bodies.push_back(refusal_body(refusal, committer_));
  return refuse_with(std::move(bodies), status);
}

Result<void> Recorder::refuse(const SetupDenial& denial, int status) {
  std::vector<Json> bodies;
  bodies.push_back(setup_denial_body(denial, open_.workspace, committer_));
  return refuse_with(std::move(bodies), status);
}

Result<void> Recorder::refuse_with(std::vector<Json> denials, int status) {
  assert(!is_open_);
  auto denial_disclosures = committer_.take();
  make_opening();
  writer_.add("run.open", std::move(opening_->json), std::move(opening_->disclosures));
  for (Json& denial : denials)
    writer_.add("runtime.sandbox_denial", std::move(denial), std::exchange(denial_disclosures, {}));
  CloseFacts close;
  close.status = status;
  close.records = static_cast<std::int64_t>(writer_.count()) + 1;
  writer_.add("run.close", close_body(close), {});
  return writer_.flush(blobs_);
}

// Programs that were started, as attempts: [{"count":"3","path":{...}},...] in byte order.
Json Recorder::exec_list() {
  std::string list = "[";
  for (const auto& [path, count] : execs_) {
    if (list.size() > 1) list += ',';
    list += R"({"count":")" + std::to_string(count) + R"(","path":)" + path + "}";
  }
  Json out;
  out["list"] = committer_.commit("execs", list + "]");
  out["total"] = big(exec_total_);
  return out;
}

Result<void> Recorder::close(const RunResult& result, const std::vector<OutputFact>& outputs,
                             std::vector<record::Disclosure> disclosures, int status) {
  assert(is_open_);
  writer_.stop();
  for (const OutputFact& output : outputs)
    writer_.add("output.captured", output_body(output), std::exchange(disclosures, {}));
  for (const Artifact& artifact : result.artifacts) {
    Json body = artifact_body(artifact, committer_);
    writer_.add("artifact.exported", std::move(body), committer_.take());
  }
  if (unlisted_execs_ > 0) {
    Gap unlisted;
    unlisted.reason = "programs";
    unlisted.count = unlisted_execs_;
    ++gap_records_;
    writer_.add("run.gap", gap_body(unlisted), {});
  }
  CloseFacts close;
  close.denied_acts = denied_acts_;
  close.denial_records = denial_records_;
  close.gaps = gap_records_;
  close.limits = limits_;
  close.records = static_cast<std::int64_t>(writer_.count()) + 1;
  close.status = status;
  close.result = &result;
  close.has_cgroup = has_cgroup_;
  if (exec_total_ > 0) close.execs = exec_list();
  Json body = close_body(close);
  writer_.add("run.close", std::move(body), committer_.take());
  return writer_.flush({});
}

Result<void> Recorder::add_sarif(Json body, std::vector<record::Disclosure> disclosures) {
  if (!writer_.add("sarif.written", std::move(body), std::move(disclosures)))
    return base::fail(base::Errc::io, writer_.failure());
  return writer_.flush({});
}

std::string Recorder::failure() const { return writer_.failure(); }

}  // namespace ethos::sandbox
