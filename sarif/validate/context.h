// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "sarif/validate/claims.h"
#include "sarif/validate/item_digest.h"
#include "sarif/validate/reporter.h"
#include "sarif/validate/tree.h"

namespace ethos::sarif::validation {

struct MessageInfo {
  ItemDigest id;
  std::int64_t wanted = 0;  // arguments
};

// The message strings of a rule or a tool, to be looked up by id.
class MessageTable {
 public:
  void add(const MessageInfo& message) { messages_.push_back(message); }
  // After the last add().
  void seal();
  [[nodiscard]] const MessageInfo* find(const ItemDigest& id) const;

 private:
  std::vector<MessageInfo> messages_;
};

struct RuleInfo {
  std::string id;
  MessageTable messages;
};

struct DigestSpread {
  std::size_t operator()(const ItemDigest& digest) const {
    return static_cast<std::size_t>(digest.low);
  }
};

// What results need to know of a driver or an extension.
struct Component {
  std::vector<RuleInfo> rules;
  std::unordered_map<ItemDigest, std::size_t, DigestSpread> rule_by_id;  // the first of each id
  MessageTable messages;
  std::int64_t notifications = 0;
  std::int64_t taxa = 0;
};

// What is remembered of the run that is being read.
struct RunState {
  explicit RunState(const ItemHasher& hasher) : claims(hasher) {}

  Component open;  // the tool component that is being read
  std::optional<Component> driver;
  std::vector<Component> extensions;
  std::string tool_name;
  bool has_error_notification = false;  // in the invocation that is being read
  std::int64_t taxonomies = 0;
  // Elements of the run's arrays so far, by ClaimKind.
  std::array<std::int64_t, 16> counts{};
  std::vector<ItemDigest> artifact_uris;             // zero: no URI
  std::array<std::vector<std::int32_t>, 3> parents;  // of artifacts, logical locations, addresses
  Claims claims;
  bool claims_are_full = false;
  std::unordered_map<ItemDigest, std::int32_t, DigestSpread> bases;  // of originalUriBaseIds

  std::uint64_t results = 0;
  std::uint64_t dropped = 0;  // results that the service would leave out
  bool has_columns = false;
  std::uint64_t with_suppressions = 0;
  std::uint64_t without_suppressions = 0;
  Spot first_without;
  std::string first_without_pointer;
  DigestSet places;  // of results without a region
};

// What is remembered of the whole log.
struct LogState {
  std::uint64_t runs = 0;
  DigestSet result_guids;
  DigestSet run_guids;
  // Where the first run of each tool and category is.
  std::unordered_map<ItemDigest, std::string, DigestSpread> categories;
};

class SourceChecks;

// What every check may use.
struct Context {
  Context(Reporter& r, const ItemHasher& h, Report& rep)
      : reporter(r), hasher(h), report(rep), run(h) {}

  Reporter& reporter;
  const ItemHasher& hasher;
  Report& report;
  RunState run;
  LogState log;
  SourceChecks* sources = nullptr;  // when there is a root

  [[nodiscard]] Profile profile() const { return reporter.profile(); }
  // Notes a claim, to be looked at when the run has ended.
  void claim(const Claim& claim, const Value& value);
};

// Whether following the parent of each entry, from `start` on, ever comes back. `mark` is as long
// as `parents` and 0 for an entry that was not looked at yet.
[[nodiscard]] bool leads_in_circle(const std::vector<std::int32_t>& parents,
                                   std::vector<std::int32_t>& mark, std::int32_t start);

// Whether `value` belongs to a run, rather than to properties that are kept outside of one.
[[nodiscard]] bool is_in_run(const Value& value);

// The artifact location of a location's physical location, and its region.
[[nodiscard]] std::optional<Value> artifact_location_of(const Value& location);
[[nodiscard]] std::optional<Value> region_of(const Value& location);

}  // namespace ethos::sarif::validation
