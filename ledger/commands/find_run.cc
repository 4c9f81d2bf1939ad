// SPDX-License-Identifier: Apache-2.0
#include "ledger/commands/find_run.h"

#include <set>

#include "ledger/printable.h"

namespace ethos::ledger {

using base::Errc;
using base::fail;
using base::Result;
using base::Unexpected;

Result<record::RunId> find_run(const LedgerReader& reader, const std::string& beginning) {
  if (auto whole = record::RunId::from_text(beginning); whole) return whole;
  if (beginning.size() < 4)
    return fail(Errc::usage, "--run: give at least four characters of the run id");
  std::set<std::string> found;
  auto ok = reader.read(0, reader.size(), [&](const StoredRecord& stored) {
    if (stored.view.run.starts_with(beginning)) found.emplace(stored.view.run);
    return found.size() < 2;
  });
  if (!ok) return Unexpected(std::move(ok).error());
  if (found.empty()) return fail(Errc::usage, "no run " + printable(beginning) + " in this ledger");
  if (found.size() > 1)
    return fail(Errc::usage, "--run: more than one run begins with " + printable(beginning));
  return record::RunId::from_text(*found.begin());
}

}  // namespace ethos::ledger
