// SPDX-License-Identifier: Apache-2.0
#include "ledger/export/statements.h"

#include "ledger/base/clock.h"
#include "ledger/record/digest.h"
#include "ledger/record/json_text.h"

namespace ethos::ledger {
namespace {

using record::Json;

constexpr std::string_view kDigestPrefix = "sha256:";

// {"sha256": hex} of a "sha256:..." text.
Json digest_set(const std::string* text) {
  Json out = Json::object();
  if (text != nullptr && text->starts_with(kDigestPrefix))
    out.set("sha256", text->substr(kDigestPrefix.size()));
  return out;
}

Json copy_of(const Json* value) { return value == nullptr ? Json::object() : *value; }

std::string run_name(const RunStory& story, const record::Checkpoint& head) {
  return head.origin + "/run/" + story.run;
}

// Files that the run brought out, and the record that ends it: a run without files is about itself.
Json subjects(const RunStory& story, const record::Checkpoint& head) {
  Json out = Json::array();
  out.push(Json::object()
               .set("name", run_name(story, head))
               .set("digest", Json::object().set("sha256", story.end_digest.hex())));
  for (const Json& artifact : story.artifacts) {
    const std::string* sha256 = artifact.find_string("sha256");
    if (sha256 == nullptr) continue;  // a directory, a link, a deletion
    out.push(Json::object()
                 .set("name", path_text(artifact.find("path")))
                 .set("digest", digest_set(sha256)));
  }
  return out;
}

// Where the records are, and what signs them: a consumer can ask for their proofs.
Json place(const RunStory& story, const record::Checkpoint& head) {
  return Json::object()
      .set("origin", head.origin)
      .set("run", story.run)
      .set("first_seq", story.first_seq)
      .set("last_seq", story.last_seq)
      .set("last_leaf_hash", story.end_leaf.base64())
      .set("tree_size", head.size)
      .set("root_hash", head.root.base64());
}

Json statement(const RunStory& story, const record::Checkpoint& head, const char* type,
               Json predicate) {
  return Json::object()
      .set("_type", "https://in-toto.io/Statement/v1")
      .set("subject", subjects(story, head))
      .set("predicateType", type)
      .set("predicate", std::move(predicate));
}

Json list_of(const std::vector<Json>& values) {
  Json out = Json::array();
  for (const Json& value : values) out.push(value);
  return out;
}

Json trace_policy(const RunStory& story) {
  Json out = Json::object();
  for (const char* key :
       {"normal", "plan", "facts", "ceilings", "observe", "profile", "decision"}) {
    if (const Json* value = story.open.find(key)) out.set(key, *value);
  }
  out.set("grants", list_of(story.grants));
  if (story.enforced) {
    out.set("enforced", copy_of(story.enforced->find("s")));
    if (const Json* weaker = story.enforced->find("weaker")) out.set("weaker", *weaker);
    if (const Json* sources = story.enforced->find("sources")) out.set("sources", *sources);
  }
  return out;
}

Json monitor_log(const RunStory& story) {
  const Json* exe = story.open.find("exe");
  const std::string program = path_text(exe == nullptr ? nullptr : exe->find("path"));
  Json process = Json::object().set("eventType", "process").set("processBinary", program);
  if (const Json* execs = story.end.find("execs")) process.set("execs", *execs);
  Json network = Json::array();
  for (const Json& denial : story.denials) {
    const Json* object = denial.find("object");
    const std::string* address = object == nullptr ? nullptr : object->find_string("address");
    if (address == nullptr) continue;
    Json entry = Json::object().set("address", *address);
    for (const char* key : {"operation", "outcome", "mark", "count"})
      if (const Json* value = denial.find(key)) entry.set(key, *value);
    network.push(std::move(entry));
  }
  // The supervisor hashed these itself: the executable before it started, outputs as it copied
  // them.
  Json files = Json::array();
  if (exe != nullptr && exe->find_string("sha256") != nullptr) {
    files.push(Json::object()
                   .set("name", program)
                   .set("digest", digest_set(exe->find_string("sha256")))
                   .set("annotations", Json::object().set("action", "executed")));
  }
  for (const Json& artifact : story.artifacts) {
    Json annotations = Json::object();
    for (const char* key : {"action", "size", "type"})
      if (const Json* value = artifact.find(key)) annotations.set(key, *value);
    files.push(Json::object()
                   .set("name", path_text(artifact.find("path")))
                   .set("digest", digest_set(artifact.find_string("sha256")))
                   .set("annotations", std::move(annotations)));
  }
  Json out = Json::object()
                 .set("process", Json::array().push(std::move(process)))
                 .set("network", std::move(network))
                 .set("fileAccess", std::move(files))
                 .set("ethos_denials", list_of(story.denials));
  if (story.more_denials > 0) out.set("ethos_denials_left_out", story.more_denials);
  if (story.more_artifacts > 0) out.set("ethos_artifacts_left_out", story.more_artifacts);
  return out;
}

struct Tests {
  Json passed = Json::array();
  Json warned = Json::array();
  Json failed = Json::array();
};

bool exited_with_zero(const RunStory& story) {
  const Json* exit = story.end.find("exit");
  const Json* code = exit == nullptr ? nullptr : exit->find("code", Json::Kind::integer);
  const std::string* ended_by = story.end.find_string("ended_by");
  return code != nullptr && code->as_integer() == 0 && ended_by != nullptr && *ended_by == "tool";
}

Tests judge(const RunStory& story) {
  Tests out;
  (exited_with_zero(story) ? out.passed : out.failed).push("tool-exits-with-0");
  (story.was_aborted ? out.failed : out.passed).push("evidence-has-an-end");
  (story.denials.empty() ? out.passed : out.warned).push("nothing-was-denied");
  (story.limits == 0 ? out.passed : out.warned).push("no-limit-was-reached");
  (story.gaps == 0 ? out.passed : out.warned).push("no-act-went-unrecorded");
  return out;
}

}  // namespace

std::string runtime_trace_statement(const RunStory& story, const record::Checkpoint& head) {
  const std::string* product = story.open.find_string("product");
  Json source = Json::object()
                    .set("uri", "urn:ethos:run:" + run_name(story, head))
                    .set("annotations", place(story, head));
  Json monitor = Json::object()
                     .set("type", "urn:ethos:monitor:ethos-run:" +
                                      (product == nullptr ? std::string("unknown") : *product))
                     .set("configSource", std::move(source))
                     .set("tracePolicy", trace_policy(story));
  const std::string* tool = story.open.find_string("tool");
  Json process = Json::object()
                     .set("hostID", "urn:ethos:ledger:" + head.origin)
                     .set("type", "urn:ethos:tool:" + (tool == nullptr ? std::string() : *tool))
                     .set("event", story.run);
  Json times = Json::object()
                   .set("buildStartedOn", base::format_utc(story.started_ms))
                   .set("buildFinishedOn", base::format_utc(story.ended_ms));
  return json_text(statement(story, head, "https://in-toto.io/attestation/runtime-trace/v0.1",
                             Json::object()
                                 .set("monitor", std::move(monitor))
                                 .set("monitoredProcess", std::move(process))
                                 .set("monitorLog", monitor_log(story))
                                 .set("metadata", std::move(times))));
}

std::string test_result_statement(const RunStory& story, const record::Checkpoint& head) {
  Tests tests = judge(story);
  const char* result = !tests.failed.items().empty()   ? "FAILED"
                       : !tests.warned.items().empty() ? "WARNED"
                                                       : "PASSED";
  Json configuration = Json::array().push(
      Json::object().set("name", run_name(story, head)).set("annotations", place(story, head)));
  return json_text(statement(story, head, "https://in-toto.io/attestation/test-result/v0.1",
                             Json::object()
                                 .set("result", result)
                                 .set("configuration", std::move(configuration))
                                 .set("passedTests", std::move(tests.passed))
                                 .set("warnedTests", std::move(tests.warned))
                                 .set("failedTests", std::move(tests.failed))));
}

}  // namespace ethos::ledger
