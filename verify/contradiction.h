// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "verify/record.h"
#include "verify/view.h"

namespace ethos::verify {

// What of a denial (events.md) can contradict itself: words and numbers, empty or 0 where absent.
struct Denial {
  Denial() = default;
  explicit Denial(const View& body);

  std::string_view mark;
  std::string_view operation;
  std::string_view outcome;
  std::string_view phase;
  std::string_view rule;
  std::string_view source;
  std::string_view arch;  // of the system call
  std::int64_t call = 0;  // its number
  std::int64_t count = 0;
  std::int64_t error = 0;
  bool has_object = false;
  bool is_object_text = false;
  bool has_syscall = false;
  bool has_cause = false;
  bool has_fix = false;
};

// Values of one record that cannot both be true (events.md E-10 to E-15), whatever the rest of the
// ledger says. The body has passed its field table. Null when there is none; else one sentence.
const char* contradiction(RecordType type, const View& body);
// The same for a denial that was taken apart already: they come in large numbers.
const char* denial_contradiction(const Denial& denial);

}  // namespace ethos::verify
