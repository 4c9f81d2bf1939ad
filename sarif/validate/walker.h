// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sarif/json/reader.h"
#include "sarif/validate/item_digest.h"
#include "sarif/validate/reporter.h"
#include "sarif/validate/scalar_check.h"
#include "sarif/validate/tree.h"

namespace ethos::sarif::validation {

// Who looks at the meaning of what the walker has read.
class Listener {
 public:
  Listener() = default;
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  virtual ~Listener() = default;
  // A run begins; what is known of the one before is no longer needed.
  virtual void begin_run() = 0;
  // A result, rule, run ... has ended: it and what is around it may be looked at until the call
  // returns.
  virtual void end(const Value& object) = 0;
};

// Reads a log and holds each value against the tables of object types. Objects that mean something
// by themselves (a result, a rule, an artifact) are gathered in a tree, shown to the listener and
// dropped, so that memory stays with the largest of them.
class Walker {
 public:
  Walker(ByteSource& source, const Options& options, Reporter& reporter, Report& report,
         Listener& listener);

  void walk();

 private:
  enum class FrameKind : std::uint8_t { object, list, map, free };
  struct Frame {
    FrameKind kind = FrameKind::free;
    bool is_json_object = false;
    bool is_hashed = false;   // an array around it needs its digest
    bool opens_leaf = false;  // what is below is not looked at by itself
    const ObjectType* type = nullptr;
    const Property* property = nullptr;  // of the elements of a list or map
    Tree::Index node = Tree::kNone;
    Spot spot;
    std::uint64_t seen = 0;  // rows of `type` that were there
    std::uint64_t items = 0;
    ItemDigest state;   // of the members or elements so far
    ItemDigest member;  // of the key that was read last
  };
  // What the schema says about the value that comes next.
  struct Expected {
    const Property* property = nullptr;  // nullptr: anything
    bool is_element = false;
  };

  void on_key();
  void on_open(bool is_object);
  void on_close();
  void on_scalar(JsonEvent event);
  void on_fault();

  [[nodiscard]] Expected expected() const;
  [[nodiscard]] bool wants_digest() const;
  [[nodiscard]] Spot here() const { return {reader_.offset(), reader_.line(), reader_.column()}; }
  Tree::Index add_node(const Expected& expected, JsonKind kind);
  void skip_value();
  void check_required(const Frame& frame);
  void close_unit(const Frame& frame);
  void value_done(const Spot& spot, const ItemDigest* digest);
  [[nodiscard]] ItemDigest digest_of(const Frame& frame) const;
  [[nodiscard]] ItemDigest digest_of_scalar(JsonEvent event) const;
  void report_unknown(std::string_view name, const ObjectType& type);
  void report_duplicate_key();

  // A finding of the schema at the value just read, or (for `spot`) the one just closed.
  template <typename Explain>
  void fault(Check check, const Spot& spot, Explain explain) {
    report_.is_schema_valid = false;
    reporter_.add(
        check, spot, [this] { return reader_.pointer(); }, explain);
  }

  JsonReader reader_;
  Reporter& reporter_;
  Report& report_;
  Listener& listener_;
  Tree tree_;
  ItemHasher hasher_;
  std::vector<Frame> frames_;
  std::vector<DigestSet> digests_;  // of the open lists whose items must differ
  std::size_t open_digests_ = 0;
  std::size_t leaf_depth_ = 0;  // frames around and including the open leaf; 0: none is open
  const Property* pending_ = nullptr;
  std::string pending_name_;
};

}  // namespace ethos::sarif::validation
