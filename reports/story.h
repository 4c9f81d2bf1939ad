// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/json_tape.h"
#include "reports/model.h"
#include "reports/sha256.h"
#include "reports/zone.h"

namespace ethos::reports {

// Turns the records of one run into lines for people. Names are shown with escapes, so the text is
// safe for a terminal.
class Story {
 public:
  // `command` gives the command line behind a commitment, or what to say instead.
  using CommandLookup = std::function<std::string(const std::string& commitment)>;
  explicit Story(const Zone& zone, CommandLookup command = {})
      : zone_(zone), command_(std::move(command)) {}

  // The records of the run, in order.
  void add(std::uint64_t seq, JsonValue record, const Hash& leaf);
  // Everything, ended or not.
  [[nodiscard]] std::string text() const;

 private:
  void line(const std::string& words);
  void take_clock(JsonValue ts);
  // "110 ms after the opening": every moment of a run is told from the same start.
  [[nodiscard]] std::string after() const;
  void opened(JsonValue record);
  void granted(JsonValue body);
  void enforced(JsonValue body);
  void denied(JsonValue body);
  void limited(JsonValue body);
  void exported(JsonValue body);
  void closed(JsonValue body);

  const Zone& zone_;
  CommandLookup command_;
  std::string text_;
  Ref ref_;
  std::int64_t start_ms_ = 0, now_ms_ = 0, since_ms_ = 0;
  std::string start_boot_, observe_;
  std::vector<std::string> granted_;  // paths
  std::uint64_t start_ns_ = 0, lost_acts_ = 0;
  bool has_ended_ = false;
};

}  // namespace ethos::reports
