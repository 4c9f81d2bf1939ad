// SPDX-License-Identifier: Apache-2.0
#include "sandbox/denial.h"

namespace ethos::sandbox {

char mark_letter(Mark mark) {
  switch (mark) {
    case Mark::kernel:
      return 'K';
    case Mark::supervisor:
      return 'S';
    case Mark::advisory:
      return 'A';
    case Mark::proof:
      return 'P';
  }
  return '?';
}

const char* phase_name(Phase phase) {
  switch (phase) {
    case Phase::setup:
      return "setup";
    case Phase::run:
      return "run";
    case Phase::commit:
      return "commit";
  }
  return "?";
}

const char* outcome_name(Outcome outcome) {
  return outcome == Outcome::denied ? "denied" : "attempt";
}

const char* source_name(DenialSource source) {
  switch (source) {
    case DenialSource::launcher:
      return "launcher";
    case DenialSource::seccomp:
      return "seccomp";
    case DenialSource::landlock_audit:
      return "landlock_audit";
    case DenialSource::supervisor:
      return "supervisor";
    case DenialSource::commit:
      return "commit";
  }
  return "?";
}

const char* action_name(LimitAction action) {
  switch (action) {
    case LimitAction::killed:
      return "killed";
    case LimitAction::throttled:
      return "throttled";
    case LimitAction::refused:
      return "refused";
    case LimitAction::truncated:
      return "truncated";
  }
  return "?";
}

}  // namespace ethos::sandbox
