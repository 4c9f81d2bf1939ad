// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "ledger/base/result.h"
#include "sarif/json/reader.h"
#include "sarif/log/index.h"

namespace ethos::sarif {

// Where the parts of a log lie in its file, so that they can be copied into other orders and other
// files without holding them: some 16 bytes a result and 16 bytes an element of an indexed array.

// The value of a member or an element, first byte to behind the last.
struct ByteRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  [[nodiscard]] std::uint64_t size() const { return end - begin; }
};

struct MemberPlace {
  std::string key;
  ByteRange value;
};

// The arrays of a run that other parts point into by number.
enum class Table : std::uint8_t {
  rules,          // of the driver, 3.19.23
  notifications,  // of the driver, 3.19.22
  artifacts,
  logical_locations,
  thread_flow_locations,
  web_requests,
  web_responses,
  addresses,
  invocations,
  graphs
};
inline constexpr std::size_t kTableCount = static_cast<std::size_t>(Table::graphs) + 1;
[[nodiscard]] std::string_view table_key(Table table);

struct ResultPlace {
  std::uint64_t begin = 0;
  std::uint32_t length = 0;
  float severity = 0;  // the higher the worse: see severity_of()
  std::uint32_t locations = 0;
  std::uint32_t steps = 0;   // thread flow locations of all its code flows
  bool is_evidence = false;  // of the rule runtime.sandbox_denial
};

struct RunMap {
  bool is_object = false;
  ByteRange whole;
  std::vector<MemberPlace> members;         // in file order, with those below
  std::vector<MemberPlace> tool_members;    // of run.tool
  std::vector<MemberPlace> driver_members;  // of run.tool.driver
  std::array<std::vector<ByteRange>, kTableCount> tables;
  std::vector<ResultPlace> results;
  bool has_results = false;  // an array is there, also an empty one
  // A rule that refers to another descriptor by number alone: whose number is not said.
  bool has_numbered_relations = false;
  // Something names a component by its number, or a taxon: taxonomies have to stay in their places.
  bool has_taxonomy_indices = false;
  // Ids of results that have no level and whose rule is declared nowhere; no more than
  // kMostUndeclared are remembered.
  static constexpr std::size_t kMostUndeclared = 4096;
  std::set<std::string, std::less<>> undeclared_rules;

  [[nodiscard]] const MemberPlace* find(std::string_view key) const;
  [[nodiscard]] std::vector<ByteRange>& table(Table t) {
    return tables[static_cast<std::size_t>(t)];
  }
  [[nodiscard]] const std::vector<ByteRange>& table(Table t) const {
    return tables[static_cast<std::size_t>(t)];
  }
};

struct LogMap {
  std::vector<MemberPlace> members;  // of the log, without runs
  std::vector<RunMap> runs;
  bool has_links = false;  // some text holds "sarif:/", which counts elements of the file (3.10.3)
};

// Reads the log of `fd`, a regular file, from its start. `runs` is index_log() of the same file.
base::Result<LogMap> map_log(int fd, const std::vector<RunIndex>& runs);

// How bad a result is, from 0 to 10 like GitHub's security-severity: that of its rule where it has
// one, else 8.0 for error, 5.5 for warning, 2.0 for note and 0 for none. A result that is
// suppressed or absent comes after all others.
[[nodiscard]] float severity_of(const JsonView& result, const RunIndex& run);

}  // namespace ethos::sarif
