// SPDX-License-Identifier: Apache-2.0
#include "verify/assertion_help.h"

#include "verify/assertion_words.h"

namespace ethos::verify {

void explain_assertions(std::ostream& out) {
  out << R"help(A statement about runs (--assert EXPR); it is pass, fail, unknown (the records cannot say) or empty (no run to judge).
It is held against every run in which a tool started; refused ones too when it names refused, state, policy, ended or
recomputed. With --period only against those that began in these days.

  expr    = or [ "implies" expr | "where" or ]     `A implies B` and `B where A` judge only the runs that fit A
  or      = and { "or" and }
  and     = not { "and" not }
  not     = "not" not | "(" expr ")" | rule | field op value | field "in" values
  rule    = name [ values ] | "grants" "subset" "of" value
  values  = value | "(" value { "," value } ")"
  op      = "==" | "!=" | "<" | "<=" | ">" | ">="
  value   = word | "quoted text" | 'quoted text' | number

Rules
  no-network            no network was granted, and the kernel showed a network namespace of the run's own
  no-git                the repository was not readable
  writes-within PATHS   every granted write path lies within one of them; relative to the workspace
  writes-nothing        no write path was granted
  reads-within PATHS    the same for reading, without the base runtime
  grants subset of FILE nothing was granted beyond a declaration or a list of grants, e.g. [{"cap":"fs.read","path":"."}]
                        (the command is no grant: whether it is the declared one is told beside the answer)
  limits-enforced-by W  memory, swap, cpu, io and pids, as far as limited, were held by one of these
  watched-by SOURCES    each of these was live
  source.K              the kernel's own audit was a live source of denials
  no-weaker             memory, swap, cpu, io and pids, as far as limited, were held by a cgroup, and the profile was not no-proc
                        (wall, output, files, inodes and scratch never have a cgroup: they are not meant)
  no-denials            no act was denied, and none can have been that leaves no record (needs observe all)
  no-recorded-denials   no denial is recorded, whatever was observed
  no-gaps               no act was seen and left unrecorded
  ended                 the run has an end of its own: it is neither open nor aborted
  recomputed            grants and plan were recomputed and equal

Fields that are texts (==, !=, in): tool, run, and those below.
Fields that are numbers: status, denials, gaps, hidden, limits_hit, records, limit.NAME.

Words that a field or rule knows; another one is a usage error
)help" << vocabulary_text()
      << R"help(
Examples
  --assert no-network --assert 'tool == "lint" implies writes-within (build, .ethos/out)'
  --assert ended --runs          names the aborted and the open runs
  --assert 'tool == lint implies grants subset of approved/ethos.json'
)help";
}

}  // namespace ethos::verify
