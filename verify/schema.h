// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "verify/forms.h"
#include "verify/record.h"
#include "verify/scanner.h"

namespace ethos::verify {

// How a body departs from the field table of its type.
struct BodyFault {
  enum class Kind { none, key, type, version };
  Kind kind = Kind::none;
  std::string key;  // the key concerned

  [[nodiscard]] bool any() const { return kind != Kind::none; }
};

// Checks a body against record.md, events.md and enforced.md: exactly the keys of its
// type, each value of its form. `origin` is the record's `ledger`.
BodyFault check_body(RecordType type, const View& body, std::string_view origin);

// The same for types of a run's own (events.md); false: not one of them.
bool check_run_body(RecordType type, const View& body, FieldFault& fault);
// Of a body that was scanned. What contradicts itself is only said of one that has passed check_body.
BodyFacts facts_of(RecordType type, const View& body, bool has_passed = true);
// Scans the body at `at`, two deep, and checks it in the same pass. Gives where it ends; null: not
// sure (quick_fields.h).
const char* quick_run_body(RecordType type, const char* at, const char* end, BodyFacts& facts);
// plan.md G-1 to G-8: the object of one grant. `committed` allows E-4's `commit` in paths.
FieldFault check_grant(const View& grant);
// enforced.md.
FieldFault check_enforced(const View& body);

}  // namespace ethos::verify
