// SPDX-License-Identifier: Apache-2.0
#include "ledger/ledger_files.h"

#include <cstdlib>

#include "ledger/base/paths.h"

namespace ethos::ledger {

LedgerFiles LedgerFiles::at(std::string database, std::optional<std::string> keys) {
  LedgerFiles files;
  files.keys = keys ? std::move(*keys) : database + ".keys";
  files.database = std::move(database);
  return files;
}

Environment process_environment() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    // An empty value says as little as none.
    if (value == nullptr || *value == '\0') return std::nullopt;
    return std::string(value);
  };
}

base::Result<LedgerChoice> choose_ledger(const std::optional<std::string>& ledger_option,
                                         const std::optional<std::string>& keys_option,
                                         const Environment& environment) {
  std::optional<std::string> named = ledger_option ? ledger_option : environment("ETHOS_LEDGER");
  LedgerChoice choice;
  choice.is_default_place = !named.has_value();
  if (!named) {
    if (const auto state = environment("XDG_STATE_HOME"); state && state->front() == '/') {
      named = *state + "/ethos/ledger.db";
    } else if (const auto home = environment("HOME"); home && home->front() == '/') {
      named = *home + "/.local/state/ethos/ledger.db";
    }
  }
  if (!named || named->empty()) {
    return base::fail(base::Errc::not_found,
                      "no ledger: give --ledger, or set ETHOS_LEDGER, XDG_STATE_HOME or HOME");
  }
  auto absolute = base::absolute_path(*named);
  if (!absolute) return base::Unexpected(std::move(absolute).error());
  choice.files = LedgerFiles::at(std::move(*absolute), keys_option);
  choice.files.access.agent_socket = environment("SSH_AUTH_SOCK").value_or("");
  return choice;
}

}  // namespace ethos::ledger
