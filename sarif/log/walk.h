// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "ledger/base/result.h"
#include "sarif/json/copy.h"
#include "sarif/json/reader.h"
#include "sarif/log/reading.h"

namespace ethos::sarif {

// Base of the classes that read a log as a stream: the loops over members, elements and runs.
// Callbacks get the first event of a value and read it to its end.
class LogWalk {
 protected:
  explicit LogWalk(JsonReader& reader) : reader_(reader) {}
  ~LogWalk() = default;
  LogWalk(const LogWalk&) = delete;
  LogWalk& operator=(const LogWalk&) = delete;

  // Up to the end of the object that was just opened: `use(key, first event)` for each member.
  template <typename Use>
  base::Result<void> members(Use use) {
    for (JsonEvent event = reader_.next(); event != JsonEvent::end_object; event = reader_.next()) {
      if (event != JsonEvent::key) return reader_failure(reader_);
      const std::string key(reader_.text());
      auto done = use(key, reader_.next());
      if (!done) return done;
    }
    return {};
  }

  // Up to the end of the array that was just opened: `use(first event)` for each element.
  template <typename Use>
  base::Result<void> elements(Use use) {
    for (JsonEvent event = reader_.next(); event != JsonEvent::end_array; event = reader_.next()) {
      if (event == JsonEvent::error) return reader_failure(reader_);
      auto done = use(event);
      if (!done) return done;
    }
    return {};
  }

  base::Result<void> skip(JsonEvent event) {
    if (!skip_value(reader_, event)) return reader_failure(reader_);
    return {};
  }

  // A whole log: `use_member(key, first event)` for the top-level members but version and runs,
  // `use_run(index, first event)` for each run. Checks that it is SARIF 2.1.0 and ends there.
  template <typename UseMember, typename UseRun>
  base::Result<void> walk_log(UseMember use_member, UseRun use_run) {
    const JsonEvent first = reader_.next();
    if (first == JsonEvent::error) return reader_failure(reader_);
    if (first != JsonEvent::begin_object) return not_a_log();
    bool has_version = false;
    bool has_runs = false;
    auto done = members([&](std::string_view key, JsonEvent value) {
      if (key == "version") {
        has_version = true;
        const bool is_text = value == JsonEvent::string;
        auto known = check_version(is_text ? reader_.text() : reader_.raw());
        return known && !is_text ? skip(value) : known;
      }
      if (key != "runs") return use_member(key, value);
      has_runs = true;
      if (value != JsonEvent::begin_array) return skip(value);
      std::size_t index = 0;
      return elements([&](JsonEvent run) { return use_run(index++, run); });
    });
    if (!done) return done;
    if (reader_.next() != JsonEvent::end) return reader_failure(reader_);
    if (!has_version || !has_runs) return not_a_log();
    return {};
  }

  static base::Unexpected not_a_log() {
    return base::fail(base::Errc::malformed, "not a SARIF log: version or runs is missing");
  }

  JsonReader& reader_;
};

}  // namespace ethos::sarif
