// SPDX-License-Identifier: Apache-2.0
#include "verify/record_feed.h"

#include <utility>

namespace ethos::verify {

// Takes pages or rows for one batch. False: there are none left.
bool RecordFeed::fill(Flight& flight, Findings& findings) {
  if (reader_ == nullptr) {
    if (!source_.next_records(flight.batch, findings)) return false;
    flight.first_leaf = rows_read_;
    rows_read_ += flight.batch.rows.size();
    return true;
  }
  if (!reader_->next(flight.batch)) return false;
  // Rows are numbered without a hole, or something is wrong and the subtrees are of no use.
  const auto& pages = flight.batch.pages;
  flight.first_leaf = pages.empty() ? 0 : static_cast<std::uint64_t>(pages.front().low + 1);
  return true;
}

bool RecordFeed::launch(Findings& findings) {
  std::unique_ptr<Flight> flight;
  if (spare_.empty()) {
    flight = std::make_unique<Flight>();
  } else {
    flight = std::move(spare_.back());
    spare_.pop_back();
  }
  if (!fill(*flight, findings)) return false;
  const LeafReader* const reader = reader_;
  flight->job = workers_.submit([raw = flight.get(), reader](Sha256& hash) {
    if (reader != nullptr) reader->read_rows(raw->batch);
    check_batch(raw->batch, raw->first_leaf, raw->checked, hash);
  });
  flying_.push_back(std::move(flight));
  return true;
}

std::unique_ptr<RecordFeed::Flight> RecordFeed::land() {
  std::unique_ptr<Flight> flight = std::move(flying_.front());
  flying_.pop_front();
  workers_.wait(flight->job);
  return flight;
}

// What is on its way is read again, from the first row that was not handed out.
void RecordFeed::ask_sqlite() {
  while (!flying_.empty()) spare_.push_back(land());
  reader_ = nullptr;
  rows_read_ = rows_landed_;
  source_.skip_records(rows_landed_);
  is_at_end_ = false;
}

RecordFeed::Flight* RecordFeed::next(Findings& findings) {
  if (landed_) spare_.push_back(std::move(landed_));
  while (true) {
    while (!is_at_end_ && flying_.size() < kFlights) is_at_end_ = !launch(findings);
    if (flying_.empty()) return nullptr;
    landed_ = land();
    if (reader_ == nullptr || reader_->land(landed_->batch)) {
      rows_landed_ += landed_->batch.rows.size();
      return landed_.get();
    }
    spare_.push_back(std::move(landed_));
    ask_sqlite();
  }
}

}  // namespace ethos::verify
