// SPDX-License-Identifier: Apache-2.0
#include "ledger/seal.h"

#include <set>
#include <string>

#include "ledger/reader.h"
#include "ledger/record/canonical_json.h"
#include "ledger/record/record_types.h"
#include "ledger/store.h"

namespace ethos::ledger {

using base::Errc;
using base::fail;
using base::Result;
using base::Unexpected;

Result<Committed> seal(Appender& appender, const Order& order, OpenRuns open_runs) {
  if (auto ok = check_order(order); !ok) return Unexpected(std::move(ok).error());
  auto reader = LedgerReader::open(appender.files());
  if (!reader) return Unexpected(std::move(reader).error());
  std::set<std::string> open;
  std::uint64_t closed = 0;
  auto read = reader->read(0, reader->size(), [&](const StoredRecord& stored) {
    if (stored.view.type == "run.open") open.emplace(stored.view.run);
    if (record::is_run_end(stored.view.type)) closed += open.erase(std::string(stored.view.run));
    return true;
  });
  if (!read) return Unexpected(std::move(read).error());
  if (!open.empty() && open_runs == OpenRuns::refuse) {
    return fail(Errc::refused, std::to_string(open.size()) + " runs have no end, " + *open.begin() +
                                   " among them: wait, or end them with ethos-ledger recover");
  }
  auto body = record::encode_canonical(record::Json::object()
                                           .set("authority", order.authority)
                                           .set("closed", closed)
                                           .set("open", open.size())
                                           .set("reason", order.reason));
  if (!body) return Unexpected(std::move(body).error());
  Operation operation;
  operation.records.push_back({"ledger.seal", nullptr, std::move(*body), std::nullopt});
  operation.check = [&](Store&, const Tail& tail) -> Result<void> {
    if (tail.last.checkpoint.size == reader->size()) return {};
    return fail(Errc::busy, "somebody wrote to the ledger in the meantime: try again");
  };
  return appender.operate(operation);
}

}  // namespace ethos::ledger
