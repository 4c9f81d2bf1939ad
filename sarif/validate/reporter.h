// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sarif/validate/check.h"
#include "sarif/validate/tree.h"
#include "sarif/validate/validate.h"

namespace ethos::sarif::validation {

// What a finding says. Without a fix of its own it takes the rule's.
struct Explanation {
  std::string message;
  std::string fix;

  Explanation(const char* m) : message(m) {}             // NOLINT(google-explicit-constructor)
  Explanation(std::string m) : message(std::move(m)) {}  // NOLINT(google-explicit-constructor)
  Explanation(std::string m, std::string f) : message(std::move(m)), fix(std::move(f)) {}
};

// Counts findings and keeps those that the options ask for. The texts are made only for findings
// that are kept, so that a file with a million faults costs little more than one with a few.
class Reporter {
 public:
  Reporter(const Options& options, Report& report);

  [[nodiscard]] Profile profile() const { return options_.profile; }
  [[nodiscard]] bool is_on(Check check) const {
    return rule_of(check).in(options_.profile) != Severity::off;
  }

  // `pointer` and `explain` are called at once or not at all.
  template <typename Pointer, typename Explain>
  void add(Check check, const Spot& spot, Pointer pointer, Explain explain) {
    if (!count(check)) return;
    keep(check, spot, pointer(), Explanation(explain()));
  }
  template <typename Explain>
  void at(Check check, const Value& value, Explain explain) {
    add(
        check, value.spot(), [&value] { return value.pointer(); }, explain);
  }
  // About the member `key` of `object` when it is there, else about the object.
  template <typename Explain>
  void at_member(Check check, const Value& object, Key key, Explain explain) {
    at(check, object.find(key).value_or(object), explain);
  }

  // The file is of another version: nothing else that was found counts, or will.
  void only_wrong_version(const Spot& spot, std::string pointer, Explanation explanation);

  // Puts the findings into order.
  void finish();

 private:
  // Whether the finding is to be kept.
  [[nodiscard]] bool count(Check check);
  void keep(Check check, const Spot& spot, std::string pointer, Explanation explanation);

  const Options& options_;
  Report& report_;
  std::vector<std::size_t> kept_;
  bool is_closed_ = false;
};

// `text` in quotes for a message: cut after some characters, never inside one.
[[nodiscard]] std::string quoted(std::string_view text);

}  // namespace ethos::sarif::validation
