// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ledger/base/result.h"
#include "ledger/base/unique_fd.h"
#include "ledger/record/commitment.h"
#include "sandbox/record_bodies.h"

namespace ethos::sandbox {

// The bytes of one output stream, kept in memory that belongs to nobody's file system until the run
// is over: a commitment needs their number first, and the converter reads them again.
class OutputSpool {
 public:
  static base::Result<OutputSpool> create(const char* name);
  [[nodiscard]] int fd() const { return fd_.get(); }
  // Everything written so far; valid as long as this object.
  [[nodiscard]] base::Result<std::string_view> bytes();

  OutputSpool(OutputSpool&& other) noexcept;
  OutputSpool& operator=(OutputSpool&&) = delete;
  OutputSpool(const OutputSpool&) = delete;
  OutputSpool& operator=(const OutputSpool&) = delete;
  ~OutputSpool();

 private:
  explicit OutputSpool(base::UniqueFd fd) : fd_(std::move(fd)) {}
  base::UniqueFd fd_;
  void* map_ = nullptr;
  std::size_t size_ = 0;
};

// output.captured for one stream. With `keeps`, the bytes become a disclosure; otherwise only the
// commitment is made and its salt is forgotten.
[[nodiscard]] base::Result<OutputFact> capture(const char* stream, const StreamResult& result,
                                               OutputSpool& spool, bool keeps,
                                               std::vector<record::Disclosure>& disclosures);

}  // namespace ethos::sandbox
