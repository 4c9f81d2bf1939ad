// SPDX-License-Identifier: Apache-2.0
#include "sandbox/run_status.h"

#include <set>

#include "sandbox/exit_status.h"
#include "sandbox/json_value.h"

namespace ethos::sandbox {

std::string encode_status(const RunStatus& s) {
  Json out;
  out["denied_acts"] = big(s.denied_acts);
  out["duration_ms"] = static_cast<std::int64_t>(s.duration_ms);
  out["ended_by"] = s.ended_by;
  if (s.exit_code) out["exit"]["code"] = *s.exit_code;
  if (s.signal) out["exit"]["signal"] = *s.signal;
  out["kept_back"] = big(s.kept_back);
  Json& limits = out["limits"] = Json::Array{};
  for (const std::string& limit : std::set<std::string>(s.limits.begin(), s.limits.end()))
    limits.push_back(limit);
  out["run"] = s.run;
  out["status"] = s.status;
  out["tool"] = s.tool;
  out["v"] = 1;
  return out.encode();
}

std::string ended_by(const RunResult& result) {
  switch (result.ending) {
    case Ending::exited:
    case Ending::signaled:
    case Ending::not_executable:
    case Ending::not_found:
      return "tool";
    case Ending::wall_timeout:
      return "wall";
    case Ending::limit:
      return "limit";
    case Ending::interrupted:
      return "interrupted";
    case Ending::evidence:
      break;
  }
  return "runner";
}

std::string describe_ending(const RunResult& result, const std::string& program) {
  // What ended the run then came to the runner while it saw to what the tool had left.
  const bool was_over = result.has_tool_ended;
  switch (result.ending) {
    case Ending::wall_timeout:
      return "was ended: it ran longer than allowed";
    case Ending::limit:
      return (was_over ? "had ended, beyond the limit " : "was ended by the limit ") + result.limit;
    case Ending::interrupted:
      return was_over ? "had ended; a signal to the runner stopped the bringing out of its output"
                      : "was ended by a signal to the runner";
    case Ending::not_found:
      return ": " + program + " is not there inside the cage";
    case Ending::not_executable:
      return ": " + program + " cannot be executed inside the cage";
    case Ending::evidence:
      return (was_over ? "had ended, but its run has failed: " : "was ended: ") + result.detail;
    case Ending::exited:
    case Ending::signaled:
      break;
  }
  return {};
}

int decide_status(const RunResult& result, bool is_denial_fatal) {
  constexpr int kSignalBase = 128;
  if (result.ending == Ending::evidence || result.processes_left != 0)
    return code(ExitStatus::runner_failed);
  if (result.ending == Ending::interrupted) return kSignalBase + result.status;
  if (result.ending == Ending::wall_timeout) return code(ExitStatus::wall_timeout);
  if (result.ending == Ending::limit) return code(ExitStatus::limit);
  if (is_denial_fatal) return code(ExitStatus::denied_act);
  if (result.ending == Ending::not_executable) return code(ExitStatus::not_executable);
  if (result.ending == Ending::not_found) return code(ExitStatus::not_found);
  if (result.ending == Ending::signaled) return kSignalBase + result.status;
  const bool is_kept_back = result.status == 0 && !result.commit_refusals.empty();
  return is_kept_back ? code(ExitStatus::denied_act) : result.status;
}

}  // namespace ethos::sandbox
