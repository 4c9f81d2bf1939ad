// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace ethos::record {

// Which envelope a type has (docs/formats/record.md R-20).
enum class RecordLevel {
  ledger,  // run, run_seq and run_prev are absent
  run,     // present
  either,
};

// Reserved types are known by name but never written or accepted by version 1.
enum class TypeStatus { known, reserved, unknown };

struct RecordType {
  std::string_view name;
  RecordLevel level;
};

TypeStatus type_status(std::string_view name);
// The known type of that name, or nullptr.
const RecordType* find_type(std::string_view name);
// sarif.written and data.erase: what may follow the end of a run.
bool may_follow_end(std::string_view name);
// run.close and run.abort.
bool is_run_end(std::string_view name);

}  // namespace ethos::record
