// SPDX-License-Identifier: Apache-2.0
#include "sarif/evidence/sandbox_block.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <set>

#include "sarif/evidence/path_text.h"

namespace ethos::sarif {
namespace {

constexpr std::int64_t kMebibyte = 1048576;

std::optional<std::int64_t> number(const std::string& digits) {
  std::int64_t value = 0;
  const auto done = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (done.ec != std::errc{} || done.ptr != digits.data() + digits.size()) return std::nullopt;
  return value;
}

// Writes the block rule by rule.
class Block {
 public:
  Block(JsonWriter& writer, const Evidence& evidence)
      : writer_(writer), evidence_(evidence), open_(evidence.records().front().body) {
    const auto* const enforced = evidence.first("sandbox.enforced");
    if (enforced != nullptr) enforced_ = enforced->body;
  }

  void write() {
    write_outcome();
    write_identity();
    write_paths("read_paths", "fs.read");
    write_paths("write_paths", "fs.write");
    write_limits();
    write_isolation();
    write_ledger();
    write_declared();
    if (enforced_) write_value("enforced", *enforced_);
    write_records("denials", "runtime.sandbox_denial");
    write_records("limits", "resource.limit");
    write_records("gaps", "run.gap");
    write_close();
  }

 private:
  void write_value(std::string_view key, const JsonView& value) {
    writer_.key(key);
    value.write(writer_);
  }

  void write_text(std::string_view key, const std::string& text) {
    if (!text.empty()) writer_.member(key, text);
  }

  void write_outcome() {  // SP-1
    writer_.member_boolean("enabled", enforced_.has_value());
    std::string reason;
    for (const auto& record : evidence_.records()) {
      if (record.type != "runtime.sandbox_denial" || text_of(record.body, "phase") != "setup") {
        continue;
      }
      reason = text_of(record.body, "cause");
      if (reason.empty()) reason = text_of(record.body, "operation");
      break;
    }
    writer_.member_boolean("denied", !reason.empty());
    writer_.member_boolean("refused_before_start", !reason.empty());
    write_text("reason", reason);
    std::int64_t acts = 0;
    for (const auto& record : evidence_.records())
      if (record.type == "runtime.sandbox_denial" && text_of(record.body, "phase") != "setup")
        acts += integer_of(record.body, "count").value_or(0);
    writer_.member_integer("denied_acts", acts);
  }

  void write_identity() {  // SP-2
    write_text("profile", text_of(open_, "profile"));
    write_text("backend", text_of(open_, "class"));
    write_text("tool", text_of(open_, "tool"));
    std::set<std::string> tags = {"origin:" + text_of(open_, "origin"),
                                  "observe:" + text_of(open_, "observe")};
    if (enforced_) {
      if (const auto weaker = enforced_->find("weaker")) {
        for (const JsonView one : *weaker) {
          tags.insert("weaker:" + text_of(one, "limit") + "=" + text_of(one, "by"));
        }
      }
    }
    writer_.key("tags");
    writer_.begin_array();
    for (const std::string& tag : tags) writer_.string(tag);
    writer_.end_array();
  }

  void write_paths(std::string_view key, std::string_view capability) {  // SP-3
    writer_.key(key);
    writer_.begin_array();
    for (const auto& record : evidence_.records()) {
      if (record.type != "capability.grant" || text_of(record.body, "cap") != capability) continue;
      if (const auto path = record.body.find("path")) writer_.string(path_text(*path));
    }
    writer_.end_array();
  }

  void write_limits() {  // SP-4
    if (const auto wall = number(evidence_.limit("wall_ms"))) {
      const std::int64_t rest = *wall % 1000;
      writer_.key("timeout_seconds");
      std::string text = std::to_string(*wall / 1000);
      if (rest != 0) text += "." + std::to_string(1000 + rest).substr(1);
      writer_.raw_scalar(text);
    }
    if (const auto memory = number(evidence_.limit("memory_bytes"))) {
      writer_.member_integer("memory_mb", *memory / kMebibyte);
    }
    if (const auto cpu = number(evidence_.limit("cpu_percent"))) {
      writer_.member_integer("cpu_quota_percent", *cpu);
    }
  }

  [[nodiscard]] bool is_own_namespace(std::string_view name) const {
    if (!enforced_) return false;
    const auto shared = enforced_->find_path({"k", "ns_shared"});
    const auto own = enforced_->find_path({"k", "ns", name});
    if (!shared || !shared->is_array() || !own) return false;
    for (const JsonView one : *shared) {
      if (one.text_is(name)) return false;
    }
    return true;
  }

  void write_isolation() {  // SP-5
    if (const auto network = evidence_.grant("network")) {
      writer_.member_boolean("requires_network", text_of(*network, "mode") != "none");
    }
    writer_.member_boolean("network_isolated", is_own_namespace("net"));
    writer_.member_boolean("process_isolated", is_own_namespace("pid"));
    if (const auto git = evidence_.grant("git")) {
      const std::string mode = text_of(*git, "mode");
      writer_.member_boolean("git_read_only", mode == "none" || mode == "read");
    }
    if (enforced_) writer_.member_boolean("repo_read_only", !has_workspace_write());
    writer_.member_boolean("cgroup_enabled",
                           enforced_ && enforced_->find_path({"k", "cgroup"}).has_value());
    const auto mode = enforced_ ? enforced_->find_path({"k", "seccomp"}) : std::nullopt;
    writer_.member_boolean("seccomp_enabled", mode && mode->integer() == 2);
    const auto program = enforced_ ? enforced_->find_path({"s", "seccomp", "name"}) : std::nullopt;
    if (program) write_text("seccomp_profile", program->text());
  }

  [[nodiscard]] bool has_workspace_write() const {
    const auto& records = evidence_.records();
    return std::any_of(records.begin(), records.end(), [](const Evidence::Record& record) {
      const auto path = record.body.find("path");
      return record.type == "capability.grant" && text_of(record.body, "cap") == "fs.write" &&
             path && text_of(*path, "base") == "workspace";
    });
  }

  void write_ledger() { write_value("ledger", evidence_.ledger()); }  // SP-6

  void write_declared() {  // SP-7
    writer_.key("declared");
    writer_.begin_object();
    for (const std::string_view key : {"origin", "profile", "observe", "ceilings"}) {
      if (const auto value = open_.find(key)) write_value(key, *value);
    }
    writer_.key("grants");
    writer_.begin_array();
    for (const auto& record : evidence_.records()) {
      if (record.type == "capability.grant") record.body.write(writer_);
    }
    writer_.end_array();
    writer_.end_object();
  }

  void write_records(std::string_view key, std::string_view type) {  // SP-8
    writer_.key(key);
    writer_.begin_array();
    for (const auto& record : evidence_.records()) {
      if (record.type != type) continue;
      writer_.begin_object();
      writer_.member_integer("seq", record.seq);
      write_value("body", record.body);
      writer_.end_object();
    }
    writer_.end_array();
  }

  void write_close() {  // SP-9
    const auto* const close = evidence_.first("run.close");
    if (close == nullptr) return;
    if (const auto usage = close->body.find("usage")) write_value("usage", *usage);
    writer_.key("outcome");
    writer_.begin_object();
    for (const std::string_view key : {"duration_ms", "ended_by", "exit", "limits", "status"}) {
      if (const auto value = close->body.find(key)) write_value(key, *value);
    }
    writer_.end_object();
  }

  JsonWriter& writer_;
  const Evidence& evidence_;
  JsonView open_;
  std::optional<JsonView> enforced_;
};

}  // namespace

void write_sandbox_block(JsonWriter& writer, const Evidence& evidence) {
  writer.key("sandbox");
  writer.begin_object();
  Block(writer, evidence).write();
  writer.end_object();
}

}  // namespace ethos::sarif
