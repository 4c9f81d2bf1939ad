// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "ledger/base/result.h"
#include "sarif/json/fragment.h"
#include "sarif/json/writer.h"
#include "sarif/regroup/index_writer.h"
#include "sarif/regroup/log_map.h"
#include "sarif/regroup/part_tables.h"

namespace ethos::sarif {

// Copies the value in `range` of a file as it stands.
base::Result<void> copy_range(int fd, ByteRange range, JsonWriter& writer);
// Reads it into memory. Errc::mismatch when it is no JSON value any more.
base::Result<void> load_range(int fd, ByteRange range, JsonFragment& into);

// Writes the members of a run that are not its results, for a part of the run.
class RunWriter {
 public:
  RunWriter(int fd, const RunMap& run, PartTables& tables, JsonWriter& writer)
      : fd_(fd), run_(run), tables_(tables), indices_(tables), writer_(writer) {}

  // What a part calls itself; empty: as the run does.
  struct Identity {
    std::string automation_id;
    bool is_first = true;  // has the guid of the run
  };
  // The members that come before the results: all, but those that depend on what the results need.
  base::Result<void> head(const Identity& identity);
  // The others.
  base::Result<void> tail();

 private:
  base::Result<void> member(const MemberPlace& place, validation::Type owner);
  base::Result<void> automation(const MemberPlace* place, const Identity& identity);
  base::Result<void> tool();
  base::Result<void> driver();
  base::Result<void> table(Table table, validation::Type owner);

  int fd_;
  const RunMap& run_;
  PartTables& tables_;
  IndexWriter indices_;
  JsonWriter& writer_;
  JsonFragment fragment_;
};

}  // namespace ethos::sarif
