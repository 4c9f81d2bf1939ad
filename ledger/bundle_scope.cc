// SPDX-License-Identifier: Apache-2.0
#include "ledger/bundle_scope.h"

#include <algorithm>

#include "ledger/dropped.h"
#include "ledger/record/canonical_json.h"
#include "ledger/record/commitment.h"
#include "ledger/record/signed_note.h"
#include "ledger/tiles.h"

namespace ethos::ledger {
namespace {

using base::Errc;
using base::fail;
using base::Result;
using base::Unexpected;
using record::Json;

void collect(const Json& json, BundleScope& scope) {
  if (json.is(Json::Kind::string)) {
    auto digest = record::Digest::from_text(json.as_string());
    if (digest) scope.digests.insert(*digest);
  } else if (json.is(Json::Kind::array)) {
    for (const Json& item : json.items()) collect(item, scope);
  } else if (json.is(Json::Kind::object)) {
    auto commitment = record::Commitment::from_json(json);
    if (commitment) scope.commitments.emplace(commitment->c, commitment->kind);
    for (const record::JsonMember& member : json.members()) collect(member.value, scope);
  }
}

// Commitments and digests that a record's body names.
Result<void> collect_body(const StoredRecord& stored, BundleScope& scope) {
  auto body = record::parse_canonical(stored.view.body);
  if (!body)
    return Unexpected(std::move(body).error().with_context("record " + std::to_string(stored.seq)));
  collect(*body, scope);
  return {};
}

// The checkpoint that a ledger.anchor is about, when it is not the bundle's own.
Result<void> collect_anchor(const StoredRecord& stored, BundleScope& scope) {
  auto body = record::parse_canonical(stored.view.body);
  const Json* size = body ? body->find("size", Json::Kind::integer) : nullptr;
  if (size == nullptr || size->as_integer() <= 0)
    return fail(Errc::mismatch, "record " + std::to_string(stored.seq) + ": no size");
  const auto stamped = static_cast<std::uint64_t>(size->as_integer());
  if (stamped < scope.head.checkpoint.size) scope.checkpoints.insert(stamped);
  return {};
}

bool is_key_record(const StoredRecord& stored) {
  return stored.seq == 0 || stored.view.type.starts_with("key.");
}

// A data.erase of the ledger: it belongs to a run's bundle when it names one of its commitments.
struct Erasure {
  std::uint64_t seq = 0;
  std::string bytes;
  std::set<record::Digest> targets;
};

Result<Erasure> parse_erasure(const StoredRecord& stored) {
  Erasure out{stored.seq, std::string(stored.bytes), {}};
  auto body = record::parse_canonical(stored.view.body);
  if (!body) return Unexpected(std::move(body).error());
  const Json* targets = body->find("targets", Json::Kind::array);
  if (targets == nullptr)
    return fail(Errc::mismatch, "record " + std::to_string(stored.seq) + ": no targets");
  for (const Json& target : targets->items()) {
    if (!target.is(Json::Kind::string)) continue;
    auto c = record::Digest::from_base64(target.as_string());
    if (c) out.targets.insert(*c);
  }
  return out;
}

// The checkpoint of a bundle: the smallest kept one of at least that size.
Result<StoredCheckpoint> find_head(const LedgerReader& reader, std::uint64_t size,
                                   bool is_cosigned) {
  for (;;) {
    auto head = reader.checkpoint_from(size);
    if (!head) return Unexpected(std::move(head).error());
    if (!*head && is_cosigned)
      return fail(Errc::refused,
                  "no checkpoint that covers it is cosigned (see: ethos-ledger cosign)");
    if (!*head) return fail(Errc::mismatch, "no checkpoint covers it");
    auto note = record::parse_note((*head)->note);
    if (!note) return Unexpected(std::move(note).error());
    const bool has_other =
        std::any_of(note->signatures.begin(), note->signatures.end(),
                    [&](const auto& line) { return line.name != (*head)->checkpoint.origin; });
    if (!is_cosigned || has_other) return std::move(**head);
    size = (*head)->checkpoint.size + 1;
  }
}

// The walk of one run's bundle.
class RunWalk {
 public:
  RunWalk(const BundleOptions& options, BundleScope& scope)
      : run_(*options.run), scope_(scope), since_(options.since.value_or(0)), is_cosigned_(options.is_cosigned) {}

  bool visit(const StoredRecord& stored) {
    if (stored.view.run == run_.text()) {
      last_ = stored.seq;
      is_found_ = true;
      return keep(stored);
    }
    if (is_key_record(stored)) {
      if (stored.view.type == "key.epoch") scope_.epochs.push_back(stored.seq);
      return keep(stored);
    }
    if (stored.view.type == "data.erase" && stored.view.run.empty()) {
      auto erasure = parse_erasure(stored);
      if (!erasure) {
        result_ = Unexpected(std::move(erasure).error());
        return false;
      }
      erasures_.push_back(std::move(*erasure));
    }
    return true;
  }

  Result<void> finish(const LedgerReader& reader) {
    if (!result_) return std::move(result_);
    if (!is_found_) return fail(Errc::usage, "no run " + run_.text() + " in this ledger");
    for (Erasure& erasure : erasures_) {
      const bool is_ours =
          std::any_of(erasure.targets.begin(), erasure.targets.end(),
                      [&](const auto& c) { return scope_.commitments.contains(c); });
      if (!is_ours) continue;
      last_ = std::max(last_, erasure.seq);
      scope_.singles.emplace(erasure.seq, std::move(erasure.bytes));
    }
    auto head = find_head(reader, std::max(last_ + 1, since_), is_cosigned_);
    if (!head) return Unexpected(std::move(head).error());
    scope_.head = std::move(*head);
    // Keys named later than the head are of no use here, and would depend on when the bundle is
    // made.
    const std::uint64_t size = scope_.head.checkpoint.size;
    scope_.singles.erase(scope_.singles.lower_bound(size), scope_.singles.end());
    std::erase_if(scope_.epochs, [&](std::uint64_t seq) { return seq + 1 >= size; });
    return {};
  }

 private:
  bool keep(const StoredRecord& stored) {
    scope_.singles.emplace(stored.seq, stored.bytes);
    result_ = collect_body(stored, scope_);
    return result_.has_value();
  }

  const record::RunId& run_;
  BundleScope& scope_;
  std::uint64_t since_;
  bool is_cosigned_;
  std::vector<Erasure> erasures_;
  std::uint64_t last_ = 0;
  bool is_found_ = false;
  Result<void> result_;
};

Result<BundleScope> scope_of_run(const LedgerReader& reader, const BundleOptions& options) {
  BundleScope scope;
  if (options.since && (*options.since == 0 || *options.since > reader.size())) {
    return fail(Errc::usage, "--since: the ledger has " + std::to_string(reader.size()) + " records");
  }
  RunWalk walk(options, scope);
  auto ok = reader.read(0, reader.size(), [&](const StoredRecord& r) { return walk.visit(r); });
  if (ok) ok = walk.finish(reader);
  if (!ok) return Unexpected(std::move(ok).error());
  return scope;
}

Result<BundleScope> scope_of_range(const LedgerReader& reader, const BundleOptions& options) {
  BundleScope scope;
  const std::uint64_t to = options.to.value_or(reader.size());
  if (to > reader.size() || to == 0) return fail(Errc::usage, "--to is beyond the ledger, or 0");
  if (options.from >= to) return fail(Errc::usage, "--from must be less than the end of the range");
  auto head = find_head(reader, to, options.is_cosigned);
  if (!head) return Unexpected(std::move(head).error());
  scope.head = std::move(*head);
  const std::uint64_t size = scope.head.checkpoint.size;
  scope.from = options.from / kTileWidth * kTileWidth;
  // Without the record that orders it, a missing one would look like tampering.
  auto dropped = find_dropped(reader);
  if (!dropped) return Unexpected(std::move(dropped).error());
  if (dropped->last_order && *dropped->last_order >= size) {
    return fail(Errc::usage, "--to: the range ends before record " +
                                 std::to_string(*dropped->last_order) +
                                 ", which says which records were dropped");
  }
  Result<void> result;
  auto ok = reader.read(0, size, [&](const StoredRecord& stored) {
    if (stored.view.type == "key.epoch" && stored.seq + 1 < size)
      scope.epochs.push_back(stored.seq);
    const bool is_single = stored.seq < scope.from && is_key_record(stored);
    if (is_single) scope.singles.emplace(stored.seq, stored.bytes);
    if (is_single || stored.seq >= scope.from) result = collect_body(stored, scope);
    if (result && stored.view.type == "ledger.anchor" && stored.seq >= scope.from)
      result = collect_anchor(stored, scope);
    return result.has_value();
  });
  if (ok) ok = std::move(result);
  if (!ok) return Unexpected(std::move(ok).error());
  return scope;
}

}  // namespace

Result<BundleScope> find_bundle_scope(const LedgerReader& reader, const BundleOptions& options) {
  auto scope = options.run ? scope_of_run(reader, options) : scope_of_range(reader, options);
  if (scope) {
    for (const std::uint64_t seq : scope->epochs) scope->checkpoints.insert(seq + 1);
  }
  return scope;
}

}  // namespace ethos::ledger
