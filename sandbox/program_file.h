// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ledger/base/result.h"
#include "sandbox/plan.h"
#include "sandbox/plan_path.h"
#include "sandbox/record_bodies.h"

// Which file a plan's command is, found without starting anything.
namespace ethos::sandbox {

// The absolute path that the cage has to execute: a word with '/' is taken from the plan's cwd, any
// other is looked for along the plan's PATH. A word that is nowhere becomes /usr/bin/WORD, which
// the cage will not find either (exit 127).
[[nodiscard]] std::string resolve_command(const Plan& plan);

// Opened once, so that what is measured is what was found; hashing may be done by another thread.
using OpenProgram = PlanFile;
struct OpenPrograms {
  std::optional<OpenProgram> program;
  // Of a script, and of an interpreter that is a script, in the order in which the kernel reads
  // them: at most five, after which it answers ELOOP.
  std::vector<OpenProgram> interpreters;
};
// Empty when the plan lets the tool start no such file or it cannot be read; the interpreters end
// before the first of which that holds. A relative one is looked for from the plan's cwd, as the
// kernel does.
[[nodiscard]] OpenPrograms open_programs(const Plan& plan);

// `goes_on`: as for ledger::hash_file.
[[nodiscard]] base::Result<ProgramFile> measure(const OpenProgram& program,
                                                const std::string& workspace,
                                                const std::function<bool()>& goes_on = {});

}  // namespace ethos::sandbox
