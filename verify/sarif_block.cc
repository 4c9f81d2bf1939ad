// SPDX-License-Identifier: Apache-2.0
// The sandbox block that a run's records give (sarif-property.md SP-1 to SP-9).
#include <algorithm>
#include <set>

#include "verify/digest.h"
#include "verify/encoding.h"
#include "verify/policy_path.h"
#include "verify/sarif_check.h"

namespace ethos::verify {
namespace {

std::string shown_path(const Value& path) {
  if (path.has("commit")) return "(withheld)";
  if (path.has("path_b64")) return "base64:" + path.text_at("path_b64");
  return text_of(path);
}

bool names(const Value& list, std::string_view word) {
  return std::any_of(list.items().begin(), list.items().end(),
                     [&](const Value& v) { return v.text() == word; });
}

class BlockBuilder {
 public:
  BlockBuilder(const std::vector<SarifRecord>& records) : records_(records) {
    for (const SarifRecord& record : records) {
      if (record.type == "run.open") open_ = &record.body;
      if (record.type == "sandbox.enforced") enforced_ = &record.body;
      if (record.type == "run.close") close_ = &record.body;
      if (record.type == "capability.grant") grants_.push_back(record.body);
    }
  }

  Value build(const std::string& origin, const std::string& run) {
    block_ = Value::object();
    head();
    paths();
    limits();
    network();
    kernel();
    Value ledger = Value::object();
    ledger.set("origin", Value::of(origin)).set("run", Value::of(run));
    ledger.set("first_seq", Value::of(records_.front().seq))
        .set("last_seq", Value::of(records_.back().seq));
    block_.set("ledger", std::move(ledger));
    Value declared = Value::object();
    for (const char* key : {"origin", "profile", "observe", "ceilings"})
      declared.set(key, open_->at(key));
    declared.set("grants", Value::array(grants_));
    block_.set("declared", std::move(declared));
    if (enforced_ != nullptr) block_.set("enforced", *enforced_);
    block_.set("denials", events("runtime.sandbox_denial")).set("limits", events("resource.limit"));
    block_.set("gaps", events("run.gap"));
    if (close_ != nullptr) {
      block_.set("usage", close_->at("usage"));
      Value outcome = Value::object();
      for (const char* key : {"duration_ms", "ended_by", "exit", "limits", "status"}) {
        if (close_->has(key)) outcome.set(key, close_->at(key));
      }
      block_.set("outcome", std::move(outcome));
    }
    return std::move(block_);
  }

 private:
  // SP-1, SP-2.
  void head() {
    block_.set("enabled", Value::of(enforced_ != nullptr));
    const auto setup = std::find_if(records_.begin(), records_.end(), [](const SarifRecord& r) {
      return r.type == "runtime.sandbox_denial" && r.body.text_at("phase") == "setup";
    });
    block_.set("denied", Value::of(setup != records_.end()));
    block_.set("refused_before_start", Value::of(setup != records_.end()));
    std::int64_t acts = 0;
    for (const SarifRecord& record : records_) {
      if (record.type == "runtime.sandbox_denial" && record.body.text_at("phase") != "setup")
        acts += std::min(record.body.at("count").number(), INT64_MAX - acts);
    }
    block_.set("denied_acts", Value::of(acts));
    if (setup != records_.end()) {
      const std::string& cause = setup->body.text_at("cause");
      block_.set("reason", Value::of(cause.empty() ? setup->body.text_at("operation") : cause));
    }
    block_.set("profile", open_->at("profile"))
        .set("tool", open_->at("tool"))
        .set("backend", open_->at("class"));
    std::set<std::string> tags{"observe:" + open_->text_at("observe"),
                               "origin:" + open_->text_at("origin")};
    if (enforced_ != nullptr) {
      for (const Value& entry : enforced_->at("weaker").items()) {
        tags.insert("weaker:" + entry.text_at("limit") + "=" + entry.text_at("by"));
      }
    }
    Value list = Value::array();
    for (const std::string& tag : tags) list.push(Value::of(tag));
    block_.set("tags", std::move(list));
  }

  // SP-3.
  void paths() {
    Value read = Value::array();
    Value write = Value::array();
    for (const Value& grant : grants_) {
      if (grant.text_at("cap") == "fs.read") read.push(Value::of(shown_path(grant.at("path"))));
      if (grant.text_at("cap") == "fs.write") write.push(Value::of(shown_path(grant.at("path"))));
    }
    block_.set("read_paths", std::move(read)).set("write_paths", std::move(write));
  }

  // SP-4.
  void limits() {
    for (const Value& grant : grants_) {
      if (grant.text_at("cap") != "limit") continue;
      const std::string& name = grant.text_at("name");
      const auto value =
          static_cast<std::int64_t>(parse_decimal(grant.text_at("value"), INT64_MAX).value_or(0));
      if (name == "memory_bytes") block_.set("memory_mb", Value::of(value / 1048576));
      if (name == "cpu_percent") block_.set("cpu_quota_percent", Value::of(value));
      if (name != "wall_ms") continue;
      if (value % 1000 == 0) {
        block_.set("timeout_seconds", Value::of(value / 1000));
      } else {
        std::string thousandths = std::to_string(value % 1000);
        thousandths.insert(0, 3 - thousandths.size(), '0');
        block_.set("timeout_seconds",
                   Value::decimal(std::to_string(value / 1000) + "." + thousandths));
      }
    }
  }

  // SP-5, what comes from grants.
  void network() {
    for (const Value& grant : grants_) {
      const std::string& cap = grant.text_at("cap");
      if (cap == "network")
        block_.set("requires_network", Value::of(grant.text_at("mode") != "none"));
      if (cap == "git")
        block_.set("git_read_only",
                   Value::of(grant.text_at("mode") == "none" || grant.text_at("mode") == "read"));
    }
  }

  bool isolated(const char* ns) const {
    if (enforced_ == nullptr) return false;
    const Value& k = enforced_->at("k");
    return k.at("ns").has(ns) && !names(k.at("ns_shared"), ns);
  }

  // SP-5, what comes from the cage.
  void kernel() {
    block_.set("network_isolated", Value::of(isolated("net")))
        .set("process_isolated", Value::of(isolated("pid")));
    block_.set("cgroup_enabled",
               Value::of(enforced_ != nullptr && enforced_->at("k").has("cgroup")));
    block_.set("seccomp_enabled",
               Value::of(enforced_ != nullptr && enforced_->at("k").at("seccomp").number() == 2));
    if (enforced_ == nullptr) return;
    const bool writes = std::any_of(grants_.begin(), grants_.end(), [](const Value& grant) {
      return grant.text_at("cap") == "fs.write" && grant.at("path").text_at("base") == "workspace";
    });
    block_.set("repo_read_only", Value::of(!writes));
    block_.set("seccomp_profile", enforced_->at("s").at("seccomp").at("name"));
  }

  Value events(const char* type) const {
    Value out = Value::array();
    for (const SarifRecord& record : records_) {
      if (record.type != type) continue;
      Value v = Value::object();
      v.set("seq", Value::of(record.seq)).set("body", record.body);
      out.push(std::move(v));
    }
    return out;
  }

  const std::vector<SarifRecord>& records_;
  const Value* open_ = nullptr;
  const Value* enforced_ = nullptr;
  const Value* close_ = nullptr;
  std::vector<Value> grants_;
  Value block_;
};

std::string object_text(const Value& body) {
  const Value& object = body.at("object");
  if (!object.is_object()) return "";
  for (const char* key : {"address", "text"}) {
    if (!object.text_at(key).empty()) return object.text_at(key);
  }
  return shown_path(object);
}

}  // namespace

std::string denial_fingerprint(const std::string& tool, const SarifRecord& record) {
  const std::string& act =
      record.body.text_at(record.type == "resource.limit" ? "limit" : "operation");
  std::string bytes;
  for (const std::string& part :
       {tool, record.type, act, object_text(record.body), record.body.text_at("rule")}) {
    bytes.append(part).push_back('\0');
  }
  Sha256 hash;
  return hash.of(bytes).text().substr(std::string_view("sha256:").size());
}

Value sandbox_block(const std::string& origin, const std::string& run,
                    const std::vector<SarifRecord>& records) {
  return BlockBuilder(records).build(origin, run);
}

}  // namespace ethos::verify
