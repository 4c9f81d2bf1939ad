// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "reports/drift.h"
#include "reports/json_tape.h"
#include "reports/model.h"
#include "reports/sha256.h"

namespace ethos::reports {

// Fills a model from records in ledger order. Keeps nothing of a record that belongs to no run of
// the period but a count, and 40 bytes for each run outside it.
//
// One counting rule: a run and all its records belong to the period in which the run was opened.
class Collector {
 public:
  // The model's period, zone and verdict must be set.
  explicit Collector(Model& model);

  void add(std::uint64_t seq, std::string_view bytes, const Hash& leaf);
  // A record of which only the hash is left.
  void add_dropped();
  // Closes what is still open and computes the rows that need everything. Once, at the end.
  // `baseline`: what stood in another ledger, in this model's names, for the comparison of grants.
  // `redaction`: applied when everything is read, before the rows that people read are made.
  void finish(const GrantSnapshot* baseline = nullptr, const Redaction* redaction = nullptr);
  // What stood at the second point of the comparison.
  [[nodiscard]] const GrantSnapshot& standing() const { return drift_.to(); }

 private:
  enum class Where : std::uint8_t { period, previous, before, after };
  using RunKey = std::array<char, 16>;
  struct KeyHash {
    std::size_t operator()(const RunKey& key) const;
  };
  struct Known {
    Where where = Where::before;
    bool has_ended = false, had_denial = false, had_limit = false;
    std::uint32_t run = 0;  // index, when `where` is period
  };

  // Of a run that has not ended.
  struct Open {
    struct Use {
      std::uint64_t acts = 0;
      Ref first;
    };
    std::vector<GrantId> grants;
    std::vector<Ref> grant_refs;
    std::map<GrantId, Use> used;
    std::uint64_t memory_peak = 0, pids_peak = 0;
  };
  struct Event {  // a record taken apart
    std::uint64_t seq;
    Ref ref;
    std::string_view type;
    JsonValue body;
    std::int64_t wall_ms;
  };

  static RunKey key_of(std::string_view run_id);
  TieOutRow& tie_out(std::string_view type);
  Tally* tally_of(Where where);
  void note_clock(std::int64_t wall_ms);
  void count_commitments(std::string_view bytes);

  void ledger_event(const Event& event);
  void key_epoch(const Event& event);
  void run_event(std::string_view run_id, const Event& event);
  Known* known_run(std::string_view run_id);
  Known& open_run(std::string_view run_id, const Event& event);
  void count(Known& known, const Event& event);
  void outside(std::string_view run_id, Known& known, const Event& event);
  void end_outside(Known& known, const Event& event);
  GrantId grant_id(const Grant& grant);

  // Rows of runs in the period (collect_run.cc).
  void start_row(const Event& event, Run& run);
  void fill_row(Known& known, const Event& event);
  void grant(std::uint32_t index, const Event& event);
  void enforced(std::uint32_t index, const Event& event);
  void denial(std::uint32_t index, const Event& event);
  [[nodiscard]] std::vector<std::string_view> granted_paths(std::uint32_t index) const;
  void limit(std::uint32_t index, const Event& event);
  void gap(std::uint32_t index, const Event& event);
  void exported(std::uint32_t index, const Event& event);
  void sarif_written(std::uint32_t index, const Event& event);
  void closed(std::uint32_t index, const Event& event);
  void settle(std::uint32_t index);
  void settle_grant(const Run& run, const Open& open, std::size_t position, const Ref& ref);
  void settle_runtime(const Run& run);
  void settle_matrix(const Run& run, const Open& open);
  MatrixRow& matrix_row(NameId tool);
  NameId name(JsonValue value, NameRole role = NameRole::plain) {
    return model_.names.id(value.text_or(""), role);
  }

  Model& model_;
  JsonTape tape_;
  Period previous_;
  std::unordered_map<RunKey, Known, KeyHash> runs_;
  std::string last_run_;
  Known* last_known_ = nullptr;
  std::unordered_map<std::uint32_t, Open> open_;
  std::unordered_map<RunKey, Standing, KeyHash> earlier_;  // until their cage stands
  DriftWatch drift_;
  std::map<std::tuple<NameId, NameId, NameId, std::uint64_t, std::uint8_t>, GrantId> grant_ids_;
  std::map<std::vector<GrantId>, std::uint32_t> grant_set_ids_;
  std::map<std::pair<NameId, GrantId>, std::size_t> grant_row_at_;
  // Rows of the base runtime of a tool: reading, then starting programs.
  std::map<NameId, std::pair<std::size_t, std::size_t>> runtime_row_at_;
  std::map<NameId, std::size_t> matrix_at_;
  std::set<NameId> previous_tools_;
  std::int64_t newest_ms_ = 0;
};

// The rows that are sums over others (summary.cc): rules, buckets, counted names, exceptions,
// order.
void summarise(Model& model);

}  // namespace ethos::reports
