// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "verify/batch.h"
#include "verify/leaf_reader.h"
#include "verify/problem.h"
#include "verify/source.h"
#include "verify/workers.h"

namespace ethos::verify {

// All records of a source in order, each checked for itself. Reading (where the source's pages can
// be read), hashing and scanning go on ahead on the workers, a few batches at a time; how many
// workers there are changes nothing in what comes out.
class RecordFeed {
 public:
  // A batch on its way.
  struct Flight {
    RecordBatch batch;
    CheckedBatch checked;
    std::uint64_t first_leaf = 0;  // what its subtrees were hashed for
    std::shared_ptr<WorkerPool::Job> job;
  };

  // The workers must end before this does.
  RecordFeed(EvidenceSource& source, WorkerPool& workers)
      : source_(source), workers_(workers), reader_(source.leaf_reader()) {}

  // The next batch, valid until the next call; null at the end.
  Flight* next(Findings& findings);

 private:
  static constexpr std::size_t kFlights = 6;

  bool launch(Findings& findings);
  bool fill(Flight& flight, Findings& findings);
  std::unique_ptr<Flight> land();
  void ask_sqlite();

  EvidenceSource& source_;
  WorkerPool& workers_;
  LeafReader* reader_;  // null: the source reads by itself
  std::deque<std::unique_ptr<Flight>> flying_;
  std::vector<std::unique_ptr<Flight>> spare_;
  std::unique_ptr<Flight> landed_;
  std::uint64_t rows_read_ = 0;  // each row is a leaf
  std::uint64_t rows_landed_ = 0;
  bool is_at_end_ = false;
};

}  // namespace ethos::verify
