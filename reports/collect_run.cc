// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "reports/acts.h"
#include "reports/classify.h"
#include "reports/collect.h"
#include "reports/text.h"

namespace ethos::reports {
namespace {

constexpr std::size_t kMaxInterpreters = 4;  // events.md, E-24

std::uint64_t not_negative(std::int64_t number) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, number));
}

// Staged writes are brought out only when the tool ended by itself; else they are discarded unseen,
// and a missing export says nothing about use.
bool brings_out(const Run& run) {
  return run.state == RunState::closed && run.exit_code.has_value();
}

}  // namespace

void Collector::start_row(const Event& event, Run& run) {
  const JsonValue body = event.body;
  run.opened = event.ref;
  run.started_ms = event.wall_ms;
  run.tool = name(body["tool"], NameRole::tool);
  run.argc = body["argc"].integer_or(0);
  run.declaration = std::string(body["source"]["c"].text_or(""));
  if (model_.shows_arguments) run.argv = std::string(body["argv"]["c"].text_or(""));
  run.origin = name(body["origin"], NameRole::declaration);
  run.profile = name(body["profile"], NameRole::declaration);
  run.cage = name(body["class"]);
  run.observe = name(body["observe"]);
  run.kernel = model_.names.id(std::string(body["host"]["kernel"].text_or("?")) + " " +
                                   std::string(body["host"]["arch"].text_or("?")),
                               NameRole::host);
  run.product = name(body["product"]);
  run.revision = name(body["repository"]["revision"], NameRole::revision);
  run.decision = model_.names.id(decision_text(body["decision"]), NameRole::decision);
  if (const auto uid = body["caller"]["uid"].integer())
    run.caller = model_.names.id(std::to_string(*uid), NameRole::user);
  run.ceilings = model_.names.id(ceilings_text(body["ceilings"]), NameRole::declaration);
  if (const JsonValue exe = body["exe"]; exe.exists()) {
    run.exe_path = model_.names.id(path_text(exe["path"]), NameRole::path);
    run.exe_sha256 = name(exe["sha256"], NameRole::program);
    run.interprets = is_interpreter(model_.text(run.exe_path));
    if (const JsonValue reader = exe["interpreter"]; reader.exists()) {
      run.interpreter = model_.names.id(path_text(reader["path"]), NameRole::path);
      run.interpreter_sha256 = name(reader["sha256"], NameRole::program);
    }
    const JsonValue more = exe["interpreters"];
    for (JsonValue one = more.first(); one.exists(); one = more.after(one)) {
      if (run.interpreters.size() == kMaxInterpreters) break;
      run.interpreters.push_back({model_.names.id(path_text(one["path"]), NameRole::path),
                                  name(one["sha256"], NameRole::program)});
    }
  }
}

void Collector::fill_row(Known& known, const Event& event) {
  const std::uint32_t index = known.run;
  Run& run = model_.runs[index];
  ++run.records;
  run.last = event.ref;
  const std::string_view type = event.type;
  if (type == "sarif.written") return sarif_written(index, event);
  if (!open_.contains(index)) return;  // data.erase after the end: counted above
  if (type == "capability.grant") return grant(index, event);
  if (type == "sandbox.enforced") return enforced(index, event);
  if (type == "runtime.sandbox_denial") return denial(index, event);
  if (type == "resource.limit") return limit(index, event);
  if (type == "run.gap") return gap(index, event);
  if (type == "artifact.exported") return exported(index, event);
  if (type == "output.captured") {
    run.output_bytes += event.body["bytes"].big_or(0);
    run.truncated = run.truncated || event.body["truncated"].bool_or(false);
  } else if (type == "run.close") {
    closed(index, event);
  } else if (type == "run.abort") {
    run.state = RunState::aborted;
    run.ended = event.ref;
    run.ended_ms = event.wall_ms;
    settle(index);
  }
}

GrantId Collector::grant_id(const Grant& grant) {
  const auto key = std::tuple(grant.cap, grant.object, grant.detail, grant.value,
                              static_cast<std::uint8_t>(grant.use));
  const auto [at, is_new] = grant_ids_.emplace(key, static_cast<GrantId>(model_.grants.size()));
  if (is_new) model_.grants.push_back(grant);
  return at->second;
}

void Collector::grant(std::uint32_t index, const Event& event) {
  const Grant grant = read_grant(event.body, model_.names);
  Open& open = open_[index];
  open.grants.push_back(grant_id(grant));
  open.grant_refs.push_back(event.ref);
  Run& run = model_.runs[index];
  if (grant.capability == Capability::network) run.network = grant.object;
  if (grant.capability == Capability::git) run.git = grant.object;
}

void Collector::enforced(std::uint32_t index, const Event& event) {
  Run& run = model_.runs[index];
  run.enforced = true;
  run.sources = model_.names.id(joined(event.body["sources"]));
  run.weaker = model_.names.id(weaker_text(event.body["weaker"]));
  Standing standing{run.tool,       run.origin,          run.revision, run.decision,
                    run.started_ms, open_[index].grants, event.ref};
  if (auto drift = drift_.see(std::move(standing), model_)) {
    drift->run = index;
    model_.drift.push_back(std::move(*drift));
  }
}

// What the run was given of files, in the words of object_text.
std::vector<std::string_view> Collector::granted_paths(std::uint32_t index) const {
  std::vector<std::string_view> out;
  for (const GrantId id : open_.at(index).grants) {
    const Grant& grant = model_.grants[static_cast<std::size_t>(id)];
    if (model_.names.role(grant.object) == NameRole::path) out.push_back(model_.text(grant.object));
  }
  return out;
}

void Collector::denial(std::uint32_t index, const Event& event) {
  Run& run = model_.runs[index];
  const JsonValue body = event.body;
  Denial out;
  out.run = index;
  out.ref = event.ref;
  out.at_ms = event.wall_ms;
  out.phase = name(body["phase"]);
  out.rule = name(body["rule"]);
  out.operation = name(body["operation"]);
  out.object = model_.names.id(object_text(body["object"]), object_role(body["object"]));
  out.outcome = name(body["outcome"]);
  out.mark = name(body["mark"]);
  out.source = name(body["source"]);
  out.cause = name(body["cause"], NameRole::cause);
  out.fix = name(body["fix"], NameRole::cause);
  out.error = body["errno"].integer_or(0);  // before the capability, which depends on it
  out.count = not_negative(body["count"].integer_or(0));
  const std::string_view rule = body["rule"].text_or("");
  const std::string_view operation = body["operation"].text_or("");
  Call call{body["phase"].text_or(""), rule, operation, model_.text(run.observe), out.error};
  if (call.observe == "all")
    call.is_on_the_way = is_on_the_way(model_.text(out.object), granted_paths(index));
  out.access = access_of(call);
  out.capability = capability_of_denial(rule, operation, out.access);
  if (body["phase"].text_or("") == "setup") {
    ++run.setup_denials;
  } else {
    ++run.denial_records;
    run.denied_acts += out.count;
  }
  model_.denials.push_back(out);
}

void Collector::limit(std::uint32_t index, const Event& event) {
  const JsonValue body = event.body;
  ++model_.runs[index].limit_records;
  model_.limits.push_back({index, event.ref, event.wall_ms, name(body["limit"]),
                           name(body["action"]), name(body["enforced_by"]), name(body["mark"]),
                           name(body["source"]), body["observed"].big_or(0),
                           body["value"].big_or(0)});
}

void Collector::gap(std::uint32_t index, const Event& event) {
  Run& run = model_.runs[index];
  const std::uint64_t lost = event.body["lost"].big_or(0);
  ++run.gaps;
  run.lost_acts += lost;
  model_.gaps.push_back({index, event.ref, event.wall_ms, name(event.body["reason"]),
                         name(event.body["source"]), lost});
}

void Collector::exported(std::uint32_t index, const Event& event) {
  ++model_.runs[index].exports;
  const JsonValue body = event.body;
  Artifact out;
  out.run = index;
  out.ref = event.ref;
  out.at_ms = event.wall_ms;
  out.path = model_.names.id(path_text(body["path"]), NameRole::path);
  out.action = name(body["action"]);
  out.digest = name(body["sha256"], NameRole::file);
  out.size = body["size"].big_or(0);
  model_.artifacts.push_back(out);
  Open& open = open_[index];
  const NameId path = model_.names.id(path_text(event.body["grant"]), NameRole::path);
  for (const GrantId id : open.grants) {
    const Grant& grant = model_.grants[static_cast<std::size_t>(id)];
    if (grant.capability != Capability::write || grant.object != path) continue;
    const auto [use, is_first] = open.used.try_emplace(id);
    if (is_first) use->second.first = event.ref;
    ++use->second.acts;
    return;
  }
}

void Collector::sarif_written(std::uint32_t index, const Event& event) {
  Artifact out;
  out.run = index;
  out.ref = event.ref;
  out.at_ms = event.wall_ms;
  out.is_sarif = true;
  out.action = model_.names.id("written");
  out.digest = name(event.body["sha256"], NameRole::file);
  out.results = event.body["results"].integer_or(0);
  const JsonValue converter = event.body["converter"];
  out.converter = name(converter["product"]);
  out.breaks_schema = converter["status"].integer_or(0) != 0;
  model_.artifacts.push_back(out);
}

void Collector::closed(std::uint32_t index, const Event& event) {
  Run& run = model_.runs[index];
  const JsonValue body = event.body;
  run.ended = event.ref;
  run.ended_ms = event.wall_ms;
  run.ended_by = name(body["ended_by"]);
  run.state = body["ended_by"].text_or("") == "refused" ? RunState::refused : RunState::closed;
  run.duration_ms = body["duration_ms"].integer_or(0);
  run.exit_code = body["exit"]["code"].integer();
  run.signal = body["exit"]["signal"].integer();
  run.status = body["status"].integer_or(-1);
  run.not_executed = is_not_executed(body);
  run.limits_hit = model_.names.id(joined(body["limits"]));
  if (body["execs"].exists()) run.program_starts = body["execs"]["total"].big_or(0);
  const JsonValue usage = body["usage"];
  run.cpu_ms = usage["cpu_ms"].integer_or(0);
  run.max_rss_bytes = usage["max_rss_bytes"].big_or(0);
  const JsonValue teardown = body["teardown"];
  run.left_behind =
      teardown["processes_left"].integer_or(0) != 0 || teardown["cgroup"].text_or("") == "left";
  Open& open = open_[index];
  open.memory_peak = usage["memory_peak_bytes"].big_or(run.max_rss_bytes);
  open.pids_peak = not_negative(usage["pids_peak"].integer_or(0));
  settle(index);
}

MatrixRow& Collector::matrix_row(NameId tool) {
  const auto [at, is_new] = matrix_at_.emplace(tool, model_.matrix.size());
  if (is_new) model_.matrix.emplace_back().tool = tool;
  return model_.matrix[at->second];
}

// The run is over (or the ledger is): its grants and their use go into the rows of its tool.
void Collector::settle(std::uint32_t index) {
  Run& run = model_.runs[index];
  const auto found = open_.find(index);
  Open& open = found->second;
  MatrixRow& row = matrix_row(run.tool);
  ++row.runs;
  if (run.state == RunState::refused) ++row.refused;
  // A grant is in force only once the cage stood; what a refused run asked for was never given.
  if (run.enforced) {
    ++row.in_force;
    if (run.not_executed) ++row.not_executed;
    for (std::size_t i = 0; i < open.grants.size(); ++i)
      settle_grant(run, open, i, open.grant_refs[i]);
    settle_runtime(run);
    settle_matrix(run, open);
  }
  const auto [at, is_new] =
      grant_set_ids_.emplace(open.grants, static_cast<std::uint32_t>(model_.grant_sets.size()));
  if (is_new) model_.grant_sets.push_back(open.grants);
  run.grant_set = at->second;
  open_.erase(found);
}

void Collector::settle_grant(const Run& run, const Open& open, std::size_t position,
                             const Ref& ref) {
  const GrantId id = open.grants[position];
  const auto [at, is_new] =
      grant_row_at_.emplace(std::pair(run.tool, id), model_.grant_rows.size());
  if (is_new) {
    GrantRow& fresh = model_.grant_rows.emplace_back();
    fresh.tool = run.tool;
    fresh.grant = model_.grants[static_cast<std::size_t>(id)];
    fresh.first = ref;
  }
  GrantRow& row = model_.grant_rows[at->second];
  ++row.runs;
  row.last = ref;
  if (row.grant.use == Use::observed && !brings_out(run)) ++row.discarded_runs;
  const auto used = open.used.find(id);
  if (used != open.used.end()) {
    ++row.used_runs;
    row.acts += used->second.acts;
    if (!row.first_use) row.first_use = used->second.first;
  }
  if (row.grant.capability != Capability::limits || row.grant.use != Use::observed) return;
  const std::string& limit = model_.text(row.grant.object);
  const std::uint64_t peak = limit == "wall_ms"        ? not_negative(run.duration_ms)
                             : limit == "memory_bytes" ? open.memory_peak
                             : limit == "pids"         ? open.pids_peak
                                                       : run.output_bytes;
  if (peak == 0) return;  // not measured on this host
  row.has_peak = true;
  row.peak = std::max(row.peak, peak);
}

// Every profile gives the base runtime (declaration.md, table P); no record of its own says so, but
// a tool that may start programs of /usr was not given nothing.
void Collector::settle_runtime(const Run& run) {
  const auto [at, is_new] = runtime_row_at_.try_emplace(run.tool);
  if (is_new) {
    const auto make = [&](Capability capability, std::string_view object, Use use) {
      GrantRow& row = model_.grant_rows.emplace_back();
      row.tool = run.tool;
      row.grant = {model_.names.id(kRuntimeGrant),
                   capability,
                   model_.names.id(object),
                   NameId::none,
                   0,
                   use};
      row.first = run.opened;
      return model_.grant_rows.size() - 1;
    };
    at->second.first = make(Capability::read, kRuntimeRead, Use::not_recorded);
    at->second.second = make(Capability::execute, kRuntimeStart, Use::observed);
  }
  for (const std::size_t index : {at->second.first, at->second.second}) {
    ++model_.grant_rows[index].runs;
    model_.grant_rows[index].last = run.opened;
  }
  GrantRow& started = model_.grant_rows[at->second.second];
  if (!run.program_starts) {
    ++started.discarded_runs;  // nothing says whether
  } else if (*run.program_starts != 0) {
    ++started.used_runs;
    started.acts += *run.program_starts;
    if (!started.first_use) started.first_use = run.ended;
  }
}

void Collector::settle_matrix(const Run& run, const Open& open) {
  struct Seen {
    bool granted = false, used = false, observed = false;
    Ref first_granted, first_used;
  };
  std::array<Seen, kCapabilities> seen{};
  for (const Capability capability : {Capability::read, Capability::execute}) {
    Seen& here = seen[static_cast<std::size_t>(capability)];
    here.granted = true;  // the base runtime
    here.first_granted = run.opened;
  }
  if (run.program_starts && *run.program_starts != 0) {
    Seen& started = seen[static_cast<std::size_t>(Capability::execute)];
    started.used = true;
    started.first_used = *run.ended;
  }
  for (std::size_t i = 0; i < open.grants.size(); ++i) {
    const Grant& grant = model_.grants[static_cast<std::size_t>(open.grants[i])];
    if (grant.use == Use::withheld) continue;
    Seen& here = seen[static_cast<std::size_t>(grant.capability)];
    if (!here.granted) here.first_granted = open.grant_refs[i];
    here.granted = true;
    // A limit is held, not used; whether it was reached is a matter of resource.limit records.
    here.observed = here.observed || (grant.use == Use::observed &&
                                      grant.capability != Capability::limits && brings_out(run));
    const auto use = open.used.find(open.grants[i]);
    if (use != open.used.end() && !here.used) {
      here.used = true;
      here.first_used = use->second.first;
    }
  }
  MatrixRow& row = matrix_row(run.tool);
  for (std::size_t i = 0; i < kCapabilities; ++i) {
    if (!seen[i].granted) continue;
    MatrixCell& cell = row.cells[i];
    ++cell.granted;
    if (!cell.first_granted) cell.first_granted = seen[i].first_granted;
    if (seen[i].used) {
      ++cell.used;
      if (!cell.first_used) cell.first_used = seen[i].first_used;
    } else if (seen[i].observed) {
      ++cell.unused;
    } else {
      ++cell.unrecorded;
    }
  }
}

}  // namespace ethos::reports
