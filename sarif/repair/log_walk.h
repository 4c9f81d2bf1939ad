// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ledger/base/result.h"
#include "sarif/json/fragment.h"
#include "sarif/json/reader.h"
#include "sarif/validate/schema.h"

namespace ethos::sarif {

// What is done with the parts of a log as it streams by. Every call gets the JSON pointer of its
// value. An error ends the walk.
class LogHandler {
 public:
  LogHandler() = default;
  LogHandler(const LogHandler&) = delete;
  LogHandler& operator=(const LogHandler&) = delete;
  virtual ~LogHandler() = default;

  // A log, run, tool or tool component, which is walked through member by member.
  virtual void begin_object(validation::Type type, const std::string& pointer) = 0;
  virtual void end_object(validation::Type type, const std::string& pointer) = 0;
  virtual void key(std::string_view name) = 0;
  // A list in one of these whose elements come one by one: results, rules, artifacts ...
  virtual void begin_list(const validation::Property& property, const std::string& pointer) = 0;
  virtual void end_list() = 0;
  // An element of such a list, or any other member of such an object, that is small enough to be
  // held in memory.
  virtual base::Result<void> element(const JsonView& value, const validation::Property& property,
                                     std::size_t index, const std::string& pointer) = 0;
  virtual base::Result<void> member(const JsonView& value, std::string_view name,
                                    validation::Type type, const std::string& parent) = 0;
  // What the schema does not know, and property bags: to be read to its end.
  virtual base::Result<void> unknown(JsonReader& reader, JsonEvent first) = 0;
};

// Where a handler is: under which key each open object and list stands.
class LogPath {
 public:
  void key(std::string_view name) { key_ = validation::key_from_name(name); }
  void begin_list(validation::Key key) { open_.push_back({true, key}); }
  void end_list() { open_.pop_back(); }
  // The key of the object, or of the list that it is an element of.
  validation::Key begin_object() {
    const bool in_list = !open_.empty() && open_.back().is_list;
    open_.push_back({false, in_list ? open_.back().key : key_});
    return open_.back().key;
  }
  validation::Key end_object() {
    const validation::Key under = open_.back().key;
    open_.pop_back();
    return under;
  }
  // The key of the list that is open, Key::none when an object is.
  [[nodiscard]] validation::Key list() const {
    return !open_.empty() && open_.back().is_list ? open_.back().key : validation::Key::none;
  }
  // Whether what stands here is part of a run's tool.
  [[nodiscard]] bool is_in_tool() const {
    for (auto at = open_.rbegin(); at != open_.rend(); ++at) {
      if (!at->is_list) return at->key == validation::Key::tool;
    }
    return false;
  }

 private:
  struct Open {
    bool is_list;
    validation::Key key;
  };
  std::vector<Open> open_;
  validation::Key key_ = validation::Key::none;
};

// Walks through the whole text, which must be one SARIF 2.1.0 log. Errors: those of the reader,
// malformed for what is no log, unsupported for another version, and the handler's own.
base::Result<void> walk_log(JsonReader& reader, LogHandler& handler);

}  // namespace ethos::sarif
