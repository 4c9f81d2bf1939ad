// SPDX-License-Identifier: Apache-2.0
#include "tests/escape/escape_run.h"

#include <unistd.h>

#include <charconv>
#include <sstream>

#include "sandbox/based_path.h"

namespace ethos::support {

using namespace ethos::sandbox;  // NOLINT(google-build-using-namespace): a test helper

Plan hostile_plan(const ScratchDir& dir, std::vector<std::string> args) {
  const std::string program = ETHOS_HOSTILE;
  args.insert(args.begin(), program);
  Plan plan = base_plan(dir.path(), std::move(args));
  add_bind(plan, program, NodeType::file, true, false);
  plan.landlock.push_back(
      {program, based_path(program, dir.path()), NodeType::file, Access::read_exec});
  return plan;
}

std::string hostile_program() { return ETHOS_HOSTILE; }

std::string why_no_escape() {
  if (access(ETHOS_HOSTILE, X_OK) != 0)
    return std::string("this user cannot reach ") + ETHOS_HOSTILE + " (scripts/test opens a view)";
  return why_no_cage();
}

Answers::Answers(const std::string& output) {
  std::istringstream lines(output);
  std::string line;
  while (std::getline(lines, line)) {
    const std::size_t at = line.rfind('=');
    if (at == std::string::npos) continue;
    int value = -1;
    std::from_chars(line.data() + at + 1, line.data() + line.size(), value);
    all_[line.substr(0, at)] = value;
  }
}

int Answers::of(const std::string& name) const {
  const auto found = all_.find(name);
  return found == all_.end() ? -1 : found->second;
}

}  // namespace ethos::support
