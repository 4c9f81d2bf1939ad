// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "ledger/commands/define.h"

namespace ethos::ledger {

void define_keys(CLI::App& app, Parsed& parsed) {
  CLI::App* rotate =
      add_command(app, parsed, "rotate", "Begin a new key epoch; the old secret is removed");
  auto as_json = std::make_shared<bool>(false);
  rotate->add_flag("--json", *as_json, "Print epoch and public key as JSON");
  set_action(*rotate, parsed, [as_json](const LedgerFiles& files, const Console& console) {
    return ledger::rotate(files, *as_json, console);
  });
}

}  // namespace ethos::ledger
