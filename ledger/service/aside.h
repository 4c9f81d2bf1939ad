// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "ledger/base/result.h"
#include "ledger/base/unique_fd.h"
#include "ledger/ledger_files.h"

namespace ethos::ledger::service {

// While it lives the service that writes a ledger stands aside (docs/formats/service.md SV-19), so
// that direct writers of the service's own user are let in. Producers wait meanwhile.
class Aside {
 public:
  // Nothing when no service writes the ledger. Errc::busy when one does and does not answer at its
  // usual socket; Errc::refused when it does not stand aside for this caller.
  static base::Result<std::optional<Aside>> ask(const LedgerFiles& files);

 private:
  explicit Aside(base::UniqueFd socket) : socket_(std::move(socket)) {}
  base::UniqueFd socket_;
};

}  // namespace ethos::ledger::service
