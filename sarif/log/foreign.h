// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/base/result.h"
#include "sarif/json/fragment.h"
#include "sarif/json/reader.h"
#include "sarif/json/writer.h"

namespace ethos::sarif {

// What has to be known of a run that a tool wrote before anything is put beside it.
struct RunSurvey {
  struct Extension {
    std::size_t rules = 0;
    std::string name;
    std::string guid;
  };
  std::size_t rules = 0;  // of its driver
  std::string driver_name;
  std::string driver_guid;
  std::vector<Extension> extensions;
};

// ethos-verify reads logs no deeper than this.
inline constexpr std::size_t kMaxForeignDepth = 64;
// A part of a run that is held in memory as a whole (a list of artifacts), 36 bytes a value
// included.
inline constexpr std::size_t kMaxForeignPart = JsonFragment::kMaxBytes;

// Reads a whole log by a tool and refuses what evidence cannot stand beside: parts that are not of
// the kind their name promises (a second member of that name would have to be written, or none),
// and parts that lie outside of it (external properties), for which nobody could answer. One entry
// a run.
base::Result<std::vector<RunSurvey>> survey_log(JsonReader& reader);

// The id of a rule as a tool may use it: `own`, and ids below it ("own/sub"), get "_from_input"
// behind the name, as often as it takes to keep apart what was apart.
[[nodiscard]] std::string foreign_id(std::string_view id, std::string_view own);

// Writes what a tool wrote so that nothing in it says that it was ours: ids of our rule, our
// fingerprints and properties of results by other names, and no place among the driver's rules by
// number but those of its own rules.
class ForeignWriter {
 public:
  ForeignWriter(std::string_view own_rule, const RunSurvey& run) : own_(own_rule), run_(run) {}

  void value(const JsonView& value, JsonWriter& writer) const;
  void member(const JsonView& member, JsonWriter& writer) const;

 private:
  void object(const JsonView& object, JsonWriter& writer) const;
  void id(const JsonView& value, JsonWriter& writer) const;
  void ids(const JsonView& list, JsonWriter& writer) const;
  static void index(const JsonView& value, std::size_t rules, JsonWriter& writer);
  void reference(const JsonView& reference, JsonWriter& writer) const;
  void overrides(const JsonView& list, JsonWriter& writer) const;
  [[nodiscard]] bool names_a_rule(const JsonView& reference) const;
  [[nodiscard]] std::size_t rules_of(const JsonView& reference) const;

  std::string_view own_;
  const RunSurvey& run_;
};

}  // namespace ethos::sarif
