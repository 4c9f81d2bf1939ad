// SPDX-License-Identifier: Apache-2.0
#include "sandbox/commands.h"

#include <ostream>
#include <variant>

#include "ledger/base/step_mark.h"
#include "ledger/ledger_files.h"
#include "ledger/service/cage_runner.h"
#include "sandbox/by_service.h"
#include "sandbox/doctor.h"
#include "sandbox/drift.h"
#include "sandbox/exit_status.h"
#include "sandbox/for_caller.h"
#include "sandbox/learn.h"
#include "sandbox/learn_needs.h"
#include "sandbox/prepare.h"
#include "sandbox/program_file.h"
#include "sandbox/read_host.h"
#include "sandbox/run_command.h"
#include "sandbox/run_options.h"
#include "sandbox/shown_text.h"
#include "sandbox/small_limits.h"

namespace ethos::sandbox {
namespace {

int complain(std::ostream& err, const std::string& text, ExitStatus status) {
  err << "ethos-run: " << shown_word(text, kShownMessage) << '\n';
  return code(status);
}

int show_plan(const RunOptions& options, std::ostream& out, std::ostream& err) {
  auto caller = read_caller();
  if (!caller) return complain(err, caller.error().message(), ExitStatus::runner_failed);
  auto host = read_host(options.cgroup_parent.value_or(""));
  if (!host) return complain(err, host.error().message(), ExitStatus::runner_failed);
  // Only to keep its files out of every grant; that there is none yet does not matter here.
  std::optional<ledger::LedgerFiles> ledger;
  if (auto choice =
          ledger::choose_ledger(options.ledger, options.keys, ledger::process_environment()))
    ledger = choice->files;
  auto prepared = prepare(options, *caller, ledger, host->facts, Purpose::show);
  if (!prepared) return complain(err, prepared.error().message(), ExitStatus::runner_failed);
  for (const Refusal& r : prepared->refusals)
    err << "ethos-run: refused: " << refusal_line(r.cause, r.rule, r.on, r.fix) << '\n';
  if (!prepared->refusals.empty()) return code(ExitStatus::refused);
  // What the run would find only when it builds the cage.
  if (const auto denial = too_small(*prepared->plan)) {
    err << "ethos-run: refused: " << denial->cause << " [" << denial->step << "]; " << denial->fix
        << '\n';
    return code(ExitStatus::refused);
  }
  out << (options.is_json ? plan_document(*prepared) + "\n" : describe_plan(*prepared));
  const std::string program = resolve_command(*prepared->plan);
  if (look_at_host(program) != HostNode::absent) return code(ExitStatus::ok);
  return complain(
      err, prepared->policy.tool + ": " + program + " is not there; a run would end with 127",
      ExitStatus::not_found);
}

}  // namespace

int run(const std::vector<std::string>& args, std::ostream& out, std::ostream& err) {
  if (args.size() == 1 && args.front() == ledger::service::kRunnerWord) return run_for_caller(err);
  base::step_mark("options");
  const auto parsed = parse_run_options(args);
  if (const auto* answer = std::get_if<Answer>(&parsed)) {
    out << answer->out;
    if (!answer->err.empty()) err << "ethos-run: " << answer->err << '\n';
    return answer->status;
  }
  const auto& options = std::get<RunOptions>(parsed);
  switch (options.command) {
    case Command::plan:
      return show_plan(options, out, err);
    case Command::run:
      return options.is_by_service ? run_by_service(options, err) : run_tool(options, err);
    case Command::doctor:
      return run_doctor({options.is_json, options.is_quiet, options.cgroup_parent.value_or("")},
                        out);
    case Command::drift:
      return show_drift(options, out, err);
    case Command::learn:
      return run_learn(options, out, err);
  }
  return code(ExitStatus::runner_failed);
}

}  // namespace ethos::sandbox
