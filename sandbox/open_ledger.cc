// SPDX-License-Identifier: Apache-2.0
#include "sandbox/open_ledger.h"

#include <sys/stat.h>

#include "ledger/create.h"

namespace ethos::sandbox {

using base::Errc;
using base::Result;

Result<ReadyLedger> ready_ledger(const ledger::LedgerChoice& choice, bool may_make,
                                 const base::Clock& clock) {
  ReadyLedger out{choice.files, std::nullopt};
  struct stat st {};
  if (::stat(choice.files.database.c_str(), &st) == 0) return out;
  if (!choice.is_default_place || !may_make)
    return base::fail(Errc::not_found, "there is no ledger " + choice.files.database +
                                           "; make one: ethos-ledger init --ledger " +
                                           choice.files.database);
  auto made = ledger::create_default_ledger(choice.files, clock);
  if (!made) return base::Unexpected(std::move(made).error().with_context("make the ledger"));
  if (*made)
    out.note = "made the ledger " + choice.files.database +
               "; keep its pin elsewhere (ethos-ledger pin), and move away " +
               (*made)->root_key_file.value_or("the root key");
  return out;
}

}  // namespace ethos::sandbox
