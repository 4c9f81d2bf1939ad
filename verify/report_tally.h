// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "verify/record.h"
#include "verify/view.h"

namespace ethos::verify {

// The figures of a period, by their names in a report (docs/report-model.md, C-1, C-3, C-15).
class ReportTally {
 public:
  // What is known of a run from one of its records to the next.
  struct Marks {
    bool has_denial = false;
    bool has_limit = false;
  };
  void on_open(const std::string& tool);
  // Of every later record of such a run.
  void on_record(const Envelope& e, const View& body, Marks& marks);

  // Whether reports of every program have it.
  struct Name {
    std::string_view key;
    bool is_old;
  };
  static constexpr std::size_t kFigures = 24;
  static const std::array<Name, kFigures>& names();
  [[nodiscard]] std::uint64_t figure(std::string_view key) const;

 private:
  std::uint64_t& of(std::string_view key);

  std::array<std::uint64_t, kFigures> n_{};
  std::set<std::string, std::less<>> tools_;
};

// Runs that are no rows of the report, which may be very many: each is kept in some fifty bytes.
class OtherRuns {
 public:
  enum class Where : std::uint8_t { previous, after };
  struct Run {
    Where where = Where::after;
    ReportTally::Marks marks;
  };
  void add(std::string_view id, Where where) { runs_.try_emplace(key_of(id), Run{where, {}}); }
  Run* find(std::string_view id) {
    const auto at = runs_.find(key_of(id));
    return at == runs_.end() ? nullptr : &at->second;
  }

 private:
  using Key = std::array<std::uint64_t, 2>;
  struct Hash {
    std::size_t operator()(const Key& key) const { return key[0] ^ (key[1] << 1U); }
  };
  // 26 letters of five bits; the last two bits are zero.
  static Key key_of(std::string_view id);

  std::unordered_map<Key, Run, Hash> runs_;
};

}  // namespace ethos::verify
