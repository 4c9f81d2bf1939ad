// SPDX-License-Identifier: Apache-2.0
#include "sarif/evidence/evidence.h"

#include <algorithm>

#include "ledger/base/clock.h"

namespace ethos::sarif {
namespace {

using base::Errc;
using base::fail;

base::Result<void> check_keys(const JsonView& object, std::string_view what,
                              std::initializer_list<std::string_view> allowed) {
  if (!object.is_object()) return fail(Errc::malformed, std::string(what) + ": not an object");
  for (const JsonView member : object) {
    const std::string key = member.key();
    if (std::find(allowed.begin(), allowed.end(), key) == allowed.end()) {
      return fail(Errc::malformed, std::string(what) + ": unknown key \"" + key + "\"");
    }
  }
  return {};
}

}  // namespace

base::Result<Evidence> Evidence::read(ByteSource& source) {
  Evidence evidence;
  evidence.document_ = std::make_unique<JsonFragment>();
  LimitedSource limited(source, kMaxEvidenceBytes);
  JsonReader reader(limited, {.limits = {.depth = 32, .token_bytes = kMaxEvidenceBytes}});
  // Nodes count beside bytes, so the fragment may be larger than the text.
  if (!evidence.document_->capture(reader, reader.next(), 4 * kMaxEvidenceBytes) ||
      reader.next() != JsonEvent::end) {
    return fail(Errc::malformed, reader.fault().message());
  }
  const JsonView root = evidence.document_->root();
  auto done = check_keys(root, "evidence", {"v", "kind", "ledger", "records", "declaration"});
  if (!done) return base::Unexpected(std::move(done).error());
  if (text_of(root, "kind") != "ethos-evidence") {
    return fail(Errc::malformed, "not an ethos-evidence document");
  }
  if (integer_of(root, "v") != 1) return fail(Errc::unsupported, "version of ethos-evidence");
  done = evidence.check_ledger();
  if (done) done = evidence.take_records();
  if (!done) return base::Unexpected(std::move(done).error());
  return evidence;
}

base::Result<void> Evidence::check_ledger() const {
  const auto ledger = document_->root().find("ledger");
  if (!ledger) return fail(Errc::malformed, "evidence: no ledger");
  auto done =
      check_keys(*ledger, "ledger", {"origin", "run", "first_seq", "last_seq", "checkpoint"});
  if (!done) return done;
  for (const std::string_view key : {"origin", "run", "checkpoint"}) {
    if (text_of(*ledger, key).empty()) {
      return fail(Errc::malformed, "ledger: no " + std::string(key));
    }
  }
  return {};
}

base::Result<void> Evidence::take_record(const JsonView& record) {
  const auto seq = integer_of(record, "seq");
  const auto run_seq = integer_of(record, "run_seq");
  const auto body = record.find("body");
  const auto wall = record.find_path({"ts", "wall_ms"});
  const std::string type = text_of(record, "type");
  const std::string at = "record " + std::to_string(records_.size());
  if (!seq || !run_seq || !body || !body->is_object() || !wall || !wall->integer() ||
      type.empty()) {
    return fail(Errc::malformed, at + ": not a run record");
  }
  if (integer_of(record, "v") != 1) return fail(Errc::unsupported, at + ": version");
  if (text_of(record, "run") != run_id()) return fail(Errc::mismatch, at + ": of another run");
  if (text_of(record, "ledger") != text_of(ledger(), "origin")) {
    return fail(Errc::mismatch, at + ": of another ledger");
  }
  if (*run_seq != static_cast<std::int64_t>(records_.size())) {
    return fail(Errc::malformed, at + ": run_seq is not its place in the run");
  }
  if (!records_.empty() && *seq <= records_.back().seq) {
    return fail(Errc::malformed, at + ": seq does not ascend");
  }
  if (records_.empty() != (type == "run.open")) {
    return fail(Errc::malformed, at + ": run.open is the first record and no other");
  }
  records_.push_back({*seq, type, *body});
  wall_ms_.push_back(*wall->integer());
  return {};
}

base::Result<void> Evidence::take_records() {
  const auto list = document_->root().find("records");
  if (!list || !list->is_array() || list->size() == 0) {
    return fail(Errc::malformed, "evidence: no records");
  }
  for (const JsonView record : *list) {
    auto done = take_record(record);
    if (!done) return done;
  }
  if (integer_of(ledger(), "first_seq") != records_.front().seq ||
      integer_of(ledger(), "last_seq") != records_.back().seq) {
    return fail(Errc::mismatch, "ledger: first_seq and last_seq are not those of the records");
  }
  return {};
}

const Evidence::Record* Evidence::first(std::string_view type) const {
  const auto found = std::find_if(records_.begin(), records_.end(),
                                  [type](const Record& record) { return record.type == type; });
  return found == records_.end() ? nullptr : &*found;
}

std::optional<JsonView> Evidence::grant(std::string_view capability) const {
  for (const Record& record : records_) {
    if (record.type != "capability.grant") continue;
    const auto cap = record.body.find("cap");
    if (cap && cap->text_is(capability)) return record.body;
  }
  return std::nullopt;
}

std::string Evidence::limit(std::string_view name) const {
  for (const Record& record : records_) {
    if (record.type == "capability.grant" && text_of(record.body, "cap") == "limit" &&
        text_of(record.body, "name") == name) {
      return text_of(record.body, "value");
    }
  }
  return {};
}

std::string Evidence::tool() const { return text_of(records_.front().body, "tool"); }

JsonView Evidence::ledger() const { return *document_->root().find("ledger"); }

std::string Evidence::run_id() const { return text_of(ledger(), "run"); }

std::optional<Evidence::DeclarationPlace> Evidence::declaration() const {
  const auto declaration = document_->root().find("declaration");
  if (!declaration) return std::nullopt;
  DeclarationPlace place{text_of(*declaration, "uri"), 1};
  if (place.uri.empty()) return std::nullopt;
  const auto lines = declaration->find("lines");
  if (lines) place.line = std::max<std::int64_t>(1, integer_of(*lines, tool()).value_or(1));
  return place;
}

Invocation Evidence::invocation() const {
  Invocation known;
  known.start_time_utc = base::format_utc(wall_ms_.front());
  const Record* close = first("run.close");
  if (close == nullptr) {
    known.execution_successful = false;
    return known;
  }
  const auto index = static_cast<std::size_t>(close - records_.data());
  // The wall clock is recorded as it was read and may have been set back: SARIF wants an order.
  if (wall_ms_[index] >= wall_ms_.front()) known.end_time_utc = base::format_utc(wall_ms_[index]);
  if (const auto exit = close->body.find("exit")) {
    known.exit_code = integer_of(*exit, "code");
    known.exit_signal = integer_of(*exit, "signal");
  }
  // A linter that found something exits with 1 and has done its work all the same.
  known.execution_successful =
      text_of(close->body, "ended_by") == "tool" && known.exit_code.has_value();
  return known;
}

}  // namespace ethos::sarif
