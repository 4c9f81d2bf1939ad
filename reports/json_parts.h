// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/json_out.h"
#include "reports/model.h"

namespace ethos::reports {

// Pieces that the documents of one ledger and of many have in common, written in one place so that
// both say them alike. Each puts members into the object that is open.

// `key`: a list of objects, each on a line of its own.
template <typename Rows, typename Each>
void put_list(JsonOut& out, std::string_view key, const Rows& rows, Each each) {
  out.line().key(key).open_list();
  for (const auto& row : rows) {
    out.line().open_object();
    each(row);
    out.close_object();
  }
  out.line().close_list();
}

void put_ref(JsonOut& out, std::string_view key, const Ref& ref);
void put_ref(JsonOut& out, std::string_view key, const std::optional<Ref>& ref);  // if there is one
// `key` as UTC text and `key_ms` as milliseconds.
void put_time(JsonOut& out, std::string_view key, std::int64_t wall_ms);
// Period, days, zone and its data, of `definition`.
void put_period(JsonOut& out, const Model& model);
void put_verdicts(JsonOut& out, const std::vector<Verdict::Check>& checks);
// `key`: the figures of a set of runs.
void put_tally(JsonOut& out, std::string_view key, const Tally& tally);
// `previous_period`: null where no record covers it, which is not a period of zeros.
void put_tally_before(JsonOut& out, const Tally& tally, Coverage::State covered);
void put_bucket(JsonOut& out, const BucketRow& row);
void put_cell(JsonOut& out, Capability capability, const MatrixCell& cell);
void put_exception(JsonOut& out, const Exception& row);
// `control_map`: which one was used.
void put_control_map(JsonOut& out, const ControlMap& map);

}  // namespace ethos::reports
