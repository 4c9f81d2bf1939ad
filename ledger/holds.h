// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "ledger/appender.h"
#include "ledger/base/result.h"
#include "ledger/reader.h"

namespace ethos::ledger {

// Legal holds in force (docs/formats/record.md ), from the records that set and release
// them, in order.
class Holds {
 public:
  // Errc::mismatch for a hold that is set twice or released without being set.
  base::Result<void> on_record(std::string_view type, std::string_view body);

  // The name of a hold that covers this run (or the whole ledger), if any; an empty run is a record
  // of the ledger itself.
  [[nodiscard]] std::optional<std::string> covering(const std::string& run) const;
  [[nodiscard]] bool has(const std::string& name) const { return by_name_.contains(name); }
  // Name, and the runs held; none means the whole ledger.
  [[nodiscard]] const std::map<std::string, std::set<std::string>>& in_force() const {
    return by_name_;
  }

 private:
  std::map<std::string, std::set<std::string>> by_name_;
};

// [a-z0-9][a-z0-9._-]{0,63}
bool is_hold_name(std::string_view name);

base::Result<Holds> read_holds(const LedgerReader& reader);

// Feeds `holds` with the records from `from` on to the tail: what came after a reader looked.
base::Result<void> follow_holds(Holds& holds, std::uint64_t from, Store& store, const Tail& tail);

// Who ordered something, and why: 1 to 200 bytes each.
struct Order {
  std::string reason;
  std::string authority;
};
base::Result<void> check_order(const Order& order);

// Sets a hold over runs (1 to 300), or over the whole ledger when there are none.
base::Result<Committed> set_hold(Appender& appender, const std::string& name,
                                 const std::set<std::string>& runs, const Order& order);
base::Result<Committed> release_hold(Appender& appender, const std::string& name,
                                     const Order& order);

}  // namespace ethos::ledger
