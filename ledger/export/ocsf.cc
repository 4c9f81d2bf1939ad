// SPDX-License-Identifier: Apache-2.0
#include "ledger/export/ocsf.h"

#include <string_view>

#include "ledger/export/run_story.h"
#include "ledger/record/json_text.h"
#include "ledger/record/record.h"

namespace ethos::ledger {
namespace {

using record::Json;

// OCSF 1.3.0 numbers.
constexpr int kBaseEvent = 0;
constexpr int kFileActivity = 1001;
constexpr int kProcessActivity = 1007;
constexpr int kNetworkActivity = 4001;
constexpr int kOther = 99;
constexpr int kPerCategory = 1000;

// Class and activity of a record, and the members that only this class has.
struct Kind {
  int class_uid = kBaseEvent;
  const char* class_name = "Base Event";
  int activity_id = kOther;
  std::string activity;
  int severity_id = 1;  // informational
  int status_id = 0;    // unknown
  Json more = Json::object();
};

std::string base_name(const std::string& path) {
  const auto at = path.find_last_of("/:");
  return at == std::string::npos ? path : path.substr(at + 1);
}

Json file_of(const Json& body) {
  const std::string path = path_text(body.find("path"));
  const std::string* type = body.find_string("type");
  const int type_id = type == nullptr ? 0 : *type == "file" ? 1 : *type == "dir" ? 2 : 0;
  Json out = Json::object().set("name", base_name(path)).set("path", path).set("type_id", type_id);
  if (const std::string* sha256 = body.find_string("sha256");
      sha256 != nullptr && sha256->size() > 7) {
    out.set("hashes", Json::array().push(Json::object()
                                             .set("algorithm", "SHA-256")
                                             .set("algorithm_id", 3)
                                             .set("value", sha256->substr(7))));
  }
  return out;
}

Json process_of(const Json& open) {
  Json out = Json::object();
  if (const std::string* tool = open.find_string("tool")) out.set("name", *tool);
  if (const Json* exe = open.find("exe")) {
    Json file = file_of(*exe);
    out.set("file", std::move(file));
  }
  return out;
}

Kind of_end(const record::Record& parsed) {
  Kind out{kProcessActivity, "Process Activity", 2, "Terminate"};
  const bool is_abort = parsed.header.type == "run.abort";
  const Json* exit = parsed.body.find("exit");
  const Json* code = exit == nullptr ? nullptr : exit->find("code", Json::Kind::integer);
  if (code != nullptr) out.more.set("exit_code", code->as_integer());
  out.status_id = code != nullptr && code->as_integer() == 0 ? 1 : 2;
  out.severity_id = is_abort ? 3 : 1;
  out.more.set("process", Json::object().set("uid", parsed.header.run->run.text()));
  return out;
}

// A denial is about a file, an address, or the process itself.
Kind of_denial(const record::Record& parsed) {
  Kind out{kProcessActivity, "Process Activity", kOther, "Denied"};
  const Json* object = parsed.body.find("object");
  const std::string* address = object == nullptr ? nullptr : object->find_string("address");
  const bool is_certain = parsed.body.find_string("outcome") != nullptr &&
                          *parsed.body.find_string("outcome") == "denied";
  if (address != nullptr) {
    out = {kNetworkActivity, "Network Activity", 5, "Refuse"};
    out.more.set("dst_endpoint", Json::object().set("name", *address));
  } else if (object != nullptr && object->find("base") != nullptr) {
    out = {kFileActivity, "File System Activity", kOther, "Denied"};
    const std::string path = path_text(object);
    out.more.set("file",
                 Json::object().set("name", base_name(path)).set("path", path).set("type_id", 0));
  } else {
    out.more.set("process", Json::object().set("uid", parsed.header.run->run.text()));
  }
  out.severity_id = 3;
  out.status_id = is_certain ? 2 : 0;
  out.more.set("action_id", is_certain ? 2 : 0).set("disposition_id", is_certain ? 2 : 0);
  if (const Json* count = parsed.body.find("count")) out.more.set("count", *count);
  return out;
}

Kind kind_of(const record::Record& parsed) {
  const std::string& type = parsed.header.type;
  if (type == "run.open") {
    Kind out{kProcessActivity, "Process Activity", 1, "Launch"};
    Json process = process_of(parsed.body);
    process.set("uid", parsed.header.run->run.text());
    out.status_id = 1;
    out.more.set("process", std::move(process));
    return out;
  }
  if (type == "run.close" || type == "run.abort") return of_end(parsed);
  if (type == "runtime.sandbox_denial") return of_denial(parsed);
  if (type == "artifact.exported") {
    const std::string* action = parsed.body.find_string("action");
    Kind out{kFileActivity, "File System Activity", 3, "Update"};
    if (action != nullptr && *action == "created")
      out = {kFileActivity, out.class_name, 1, "Create"};
    if (action != nullptr && *action == "deleted")
      out = {kFileActivity, out.class_name, 4, "Delete"};
    out.status_id = 1;
    out.more.set("file", file_of(parsed.body));
    return out;
  }
  Kind out;
  out.activity = type;
  if (type == "resource.limit" || type == "run.gap") out.severity_id = 3;
  if (type == "key.revoke") out.severity_id = 4;
  return out;
}

Json actor_of(const record::Record& parsed) {
  Json actor = Json::object().set("app_name", "ethos-run");
  const Json* caller = parsed.body.find("caller");
  const Json* uid = caller == nullptr ? nullptr : caller->find("uid", Json::Kind::integer);
  if (uid != nullptr)
    actor.set("user", Json::object().set("uid", std::to_string(uid->as_integer())));
  else if (parsed.header.writer)
    actor.set("user", Json::object().set("uid", std::to_string(parsed.header.writer->uid)));
  return actor;
}

Json metadata_of(const record::Record& parsed, const StoredRecord& stored) {
  const std::string& origin = parsed.header.ledger.text();
  Json out = Json::object()
                 .set("version", "1.3.0")
                 .set("product", Json::object()
                                     .set("name", "ethos-ledger")
                                     .set("vendor_name", "ethos")
                                     .set("version", ETHOS_VERSION))
                 .set("uid", origin + "/" + std::to_string(stored.seq))
                 .set("event_code", parsed.header.type)
                 .set("log_name", origin)
                 .set("sequence", stored.seq);
  if (parsed.header.run) out.set("correlation_uid", parsed.header.run->run.text());
  if (parsed.header.type == "runtime.sandbox_denial")
    out.set("profiles", Json::array().push("security_control"));
  return out;
}

}  // namespace

base::Result<std::string> ocsf_event(const StoredRecord& stored) {
  auto parsed = record::parse_record(stored.bytes);
  if (!parsed) return base::Unexpected(std::move(parsed).error());
  Kind kind = kind_of(*parsed);
  Json place = Json::object()
                   .set("origin", parsed->header.ledger.text())
                   .set("seq", stored.seq)
                   .set("leaf_hash", stored.leaf_hash.base64());
  if (parsed->header.run) {
    place.set("run", parsed->header.run->run.text()).set("run_seq", parsed->header.run->seq);
  }
  Json event = Json::object()
                   .set("class_uid", kind.class_uid)
                   .set("class_name", kind.class_name)
                   .set("category_uid", kind.class_uid / kPerCategory)
                   .set("activity_id", kind.activity_id)
                   .set("activity_name", std::move(kind.activity))
                   .set("type_uid", kind.class_uid * 100 + kind.activity_id)
                   .set("severity_id", kind.severity_id)
                   .set("status_id", kind.status_id)
                   .set("time", parsed->header.ts.wall_ms)
                   .set("metadata", metadata_of(*parsed, stored));
  if (kind.class_uid != kBaseEvent) {
    event.set("actor", actor_of(*parsed));
    event.set("device", Json::object().set("type_id", 0).set("uid", parsed->header.ledger.text()));
  }
  for (record::JsonMember& member : kind.more.members())
    event.set(member.key, std::move(member.value));
  event.set("unmapped", Json::object().set("ethos", std::move(place)));
  event.set("raw_data", stored.bytes);
  return json_text(event);
}

}  // namespace ethos::ledger
