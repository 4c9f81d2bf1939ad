// SPDX-License-Identifier: Apache-2.0
#include "ledger/export/run_story.h"

#include "ledger/record/record.h"
#include "ledger/record/record_types.h"
#include "ledger/record/sha256.h"

namespace ethos::ledger {

using record::Json;

namespace {

void keep(std::vector<Json>& kept, std::uint64_t& more, Json body) {
  if (kept.size() < kMaxKept) {
    kept.push_back(std::move(body));
  } else {
    ++more;
  }
}

}  // namespace

base::Result<void> take_record(RunStory& story, const StoredRecord& stored) {
  auto parsed = record::parse_record(stored.bytes);
  if (!parsed) return base::Unexpected(std::move(parsed).error());
  const std::string& type = parsed->header.type;
  ++story.records;
  if (type == "run.open") {
    story.run = stored.view.run;
    story.first_seq = stored.seq;
    story.started_ms = parsed->header.ts.wall_ms;
    story.open = std::move(parsed->body);
  } else if (type == "capability.grant") {
    story.grants.push_back(std::move(parsed->body));
  } else if (type == "sandbox.enforced") {
    story.enforced = std::move(parsed->body);
  } else if (type == "runtime.sandbox_denial") {
    keep(story.denials, story.more_denials, std::move(parsed->body));
  } else if (type == "artifact.exported") {
    keep(story.artifacts, story.more_artifacts, std::move(parsed->body));
  } else if (type == "resource.limit") {
    ++story.limits;
  } else if (type == "run.gap") {
    ++story.gaps;
  } else if (record::is_run_end(type)) {
    story.was_aborted = type == "run.abort";
    story.last_seq = stored.seq;
    story.ended_ms = parsed->header.ts.wall_ms;
    story.end = std::move(parsed->body);
    story.end_leaf = stored.leaf_hash;
    record::Sha256 hash;
    hash.update(base::as_bytes(stored.bytes));
    story.end_digest = hash.finish();
  }
  return {};
}

std::string path_text(const Json* path) {
  if (path == nullptr) return {};
  const std::string* at = path->find_string("base");
  const std::string base = at == nullptr ? std::string("?") : *at;
  if (const std::string* text = path->find_string("path")) return base + ":" + *text;
  if (const std::string* bytes = path->find_string("path_b64")) return base + ":base64:" + *bytes;
  return base + ":(withheld)";
}

}  // namespace ethos::ledger
