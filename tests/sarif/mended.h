// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <catch2/catch.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sarif/repair/repair.h"

// A log as `repair` leaves it, for its tests.

namespace ethos::sarif {

using nlohmann::json;

struct Mended {
  std::string text;
  std::vector<RepairChange> changes;
  std::string failure;

  [[nodiscard]] json log() const { return json::parse(text); }
  [[nodiscard]] json run0() const { return log()["runs"][0]; }
  [[nodiscard]] std::string pointers() const {
    std::string out;
    for (const RepairChange& change : changes) {
      out += out.empty() ? "" : " ";
      out += change.pointer;
    }
    return out;
  }
};

inline Mended mend(const std::string& text, RepairOptions options) {
  Mended mended;
  StringSink sink;
  options.layout = JsonLayout::compact;
  const auto done = repair(
      [&text]() -> base::Result<std::unique_ptr<ByteSource>> {
        return std::unique_ptr<ByteSource>(std::make_unique<MemorySource>(text));
      },
      sink, options, [&mended](const RepairChange& change) { mended.changes.push_back(change); });
  if (!done) {
    mended.failure = done.error().message();
    return mended;
  }
  CHECK(done->changes == mended.changes.size());
  mended.text = sink.text();
  return mended;
}

inline Mended mend(const std::string& text, const std::string& root = {}) {
  RepairOptions options;
  options.root = root;
  return mend(text, options);
}

// A log with one run; the text is the run's members but for the tool's.
inline std::string log_with(const std::string& members,
                            const std::string& driver = "\"name\":\"T\"") {
  return R"({"version":"2.1.0","runs":[{"tool":{"driver":{)" + driver + "}}" +
         (members.empty() ? "" : "," + members) + "}]}\n";
}

inline std::string result_with(const std::string& members) {
  return log_with(R"("results":[{"message":{"text":"m"},)" + members + "}]");
}

}  // namespace ethos::sarif
