// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "verify/certificate.h"
#include "verify/json.h"
#include "verify/problem.h"
#include "verify/source.h"

namespace ethos::verify {

// Somebody else's word on when a state of the ledger existed.
struct TimeAnchor {
  std::uint64_t size = 0;
  std::int64_t at_ms = 0;
  std::string text;
};

// What the time stamps of a ledger say (anchors.md section 4).
struct AnchorSummary {
  std::uint64_t stamps = 0;
  std::uint64_t good = 0;
  std::uint64_t unknown = 0;
  std::string why_unknown;          // of the first
  std::vector<TimeAnchor> points;   // of the good ones
};

// The note as the ledger signed it, without the lines of others.
std::string own_note(std::string_view note, std::string_view origin);

// Collects `ledger.anchor` records and holds each against its checkpoint and token.
class AnchorBook {
 public:
  void on_record(std::int64_t seq, const Value& body);
  AnchorSummary finish(EvidenceSource& source, const std::string& origin, const std::vector<Certificate>& roots, Findings& findings) const;

 private:
  static constexpr std::size_t kMax = 100'000;
  struct Anchor {
    std::int64_t seq = 0;
    std::int64_t size = 0;
    std::int64_t at_ms = 0;
    std::string imprint;
    std::string token;
    std::string policy;
  };
  static bool judge(const Anchor& anchor, EvidenceSource& source, const std::string& origin, const std::vector<Certificate>& roots,
                    AnchorSummary& out, Findings& findings);
  std::vector<Anchor> anchors_;
};

}  // namespace ethos::verify
