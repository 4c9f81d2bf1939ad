// SPDX-License-Identifier: Apache-2.0
#include "sarif/log/rewrite.h"

#include "sarif/json/copy.h"
#include "sarif/json/fragment.h"
#include "sarif/log/reading.h"
#include "sarif/log_writer.h"

namespace ethos::sarif {
namespace {

using base::Errc;
using base::fail;

class Rewrite {
 public:
  Rewrite(JsonReader& reader, JsonWriter& writer, const Additions& additions)
      : reader_(reader), writer_(writer), add_(additions) {}

  base::Result<void> log() {
    const JsonEvent first = reader_.next();
    if (first == JsonEvent::error) return reader_failure(reader_);
    if (first != JsonEvent::begin_object) return fail(Errc::malformed, "not a SARIF log");
    writer_.begin_object();
    auto done = members([this](std::string_view key, JsonEvent value) {
      if (key == "version") return version(value);
      if (key == "runs") return runs(value);
      return copy(value);
    });
    if (!done) return done;
    if (!has_version_ || !has_runs_) {
      return fail(Errc::malformed, "not a SARIF log: version or runs is missing");
    }
    writer_.end_object();
    if (reader_.next() != JsonEvent::end) return reader_failure(reader_);
    writer_.finish();
    return {};
  }

 private:
  // Copies each key, then `use(key, first event)` copies the value; up to the end of the object,
  // which the caller writes.
  template <typename Use>
  base::Result<void> members(Use use) {
    for (JsonEvent event = reader_.next(); event != JsonEvent::end_object; event = reader_.next()) {
      if (event != JsonEvent::key) return reader_failure(reader_);
      const std::string key(reader_.text());
      writer_.raw_key(reader_.raw());
      auto done = use(key, reader_.next());
      if (!done) return done;
    }
    return {};
  }

  base::Result<void> copy(JsonEvent value) {
    if (!copy_value(reader_, value, writer_)) return reader_failure(reader_);
    return {};
  }

  base::Result<void> version(JsonEvent value) {
    has_version_ = true;
    auto done = check_version(value == JsonEvent::string ? reader_.text() : reader_.raw());
    return done ? copy(value) : done;
  }

  base::Result<void> runs(JsonEvent value) {
    has_runs_ = true;
    const bool is_null = value == JsonEvent::literal_null;
    if (value != JsonEvent::begin_array && !(is_null && add_.write_run)) return copy(value);
    writer_.begin_array();
    std::size_t count = 0;
    while (!is_null) {
      const JsonEvent event = reader_.next();
      if (event == JsonEvent::end_array) break;
      auto done = event == JsonEvent::begin_object ? run(count) : copy(event);
      if (!done) return done;
      ++count;
    }
    if (count == 0 && add_.write_run) add_.write_run(writer_);
    writer_.end_array();
    return {};
  }

  base::Result<void> run(std::size_t index) {
    run_ = index;
    if (add_.survey != nullptr) foreign_.emplace(add_.own_rule, add_.survey->at(index));
    const bool adds_findings = index == 0 && add_.rule && !add_.findings.empty();
    bool has_results = false;
    bool has_properties = false;
    bool has_automation = false;
    writer_.begin_object();
    auto done = members([&](std::string_view key, JsonEvent value) {
      if (key == "tool" && (adds_findings || foreign_) && value == JsonEvent::begin_object)
        return tool(adds_findings);
      if (key == "results" &&
          (adds_findings || foreign_ || add_.write_result || add_.append_results)) {
        has_results = true;
        return results(value, adds_findings);
      }
      if (key == "properties" && add_.write_sandbox) {
        has_properties = true;
        return properties(value);
      }
      has_automation = has_automation || key == "automationDetails";
      return copy_run_member(key, value);
    });
    if (!done) return done;
    if (adds_findings && !has_results) {
      writer_.key("results");
      writer_.begin_array();
      write_findings();
      writer_.end_array();
    }
    if (!has_automation && !add_.automation_id.empty()) {
      writer_.key("automationDetails");
      writer_.begin_object();
      writer_.member("id", add_.automation_id);
      writer_.end_object();
    }
    if (add_.write_sandbox && !has_properties) {
      writer_.key("properties");
      writer_.begin_object();
      add_.write_sandbox(writer_);
      writer_.end_object();
    }
    writer_.end_object();
    return {};
  }

  void write_findings() {
    for (const Finding& finding : add_.findings) {
      // The rule's index is not known here: the tool object may come later in the file.
      write_finding(writer_, finding, add_.rule->id, std::nullopt);
    }
  }

  base::Result<void> results(JsonEvent value, bool adds_findings) {
    // results: null says that the tool did not run (3.14.23); with findings to add it is a list.
    const bool is_null = value == JsonEvent::literal_null && adds_findings;
    if (value != JsonEvent::begin_array && !is_null) return copy(value);
    writer_.begin_array();
    while (!is_null) {
      const JsonEvent event = reader_.next();
      if (event == JsonEvent::end_array) break;
      auto done = add_.write_result || foreign_ ? result(event) : copy(event);
      if (!done) return done;
    }
    if (adds_findings) write_findings();
    if (add_.append_results) add_.append_results(run_, writer_);
    writer_.end_array();
    return {};
  }

  base::Result<void> result(JsonEvent event) {
    if (!fragment_.capture(reader_, event, kMaxElementBytes)) {
      return capture_failure(reader_, fragment_);
    }
    if (add_.write_result) return add_.write_result(run_, fragment_.root(), writer_);
    foreign_->value(fragment_.root(), writer_);
    return {};
  }

  // A part of a run, whose key is written already, as the tool wrote it or without our names.
  base::Result<void> copy_run_member(std::string_view key, JsonEvent value) {
    const bool is_single = key == "originalUriBaseIds" || key == "properties";
    if (!foreign_ || is_single) return copy(value);
    if (!fragment_.capture(reader_, value, kMaxForeignPart)) {
      return capture_failure(reader_, fragment_);
    }
    foreign_->value(fragment_.root(), writer_);
    return {};
  }

  base::Result<void> tool(bool adds_rule) {
    writer_.begin_object();
    auto done = members([&](std::string_view key, JsonEvent value) {
      return key == "driver" && value == JsonEvent::begin_object ? driver(adds_rule)
                                                                 : copy_run_member(key, value);
    });
    if (!done) return done;
    writer_.end_object();
    return {};
  }

  base::Result<void> driver(bool adds_rule) {
    bool has_rules = false;
    writer_.begin_object();
    auto done = members([&](std::string_view key, JsonEvent value) {
      const bool is_list = value == JsonEvent::begin_array;
      if (key != "rules" || (!is_list && !adds_rule)) return copy_run_member(key, value);
      has_rules = true;
      return rules(value, adds_rule);
    });
    if (!done) return done;
    if (!has_rules && adds_rule) {
      writer_.key("rules");
      writer_.begin_array();
      write_rule(writer_, *add_.rule);
      writer_.end_array();
    }
    writer_.end_object();
    return {};
  }

  // Appends our rule. Where ids are left alone, only when the tool's log has none of that id: two
  // descriptors of one id are refused by consumers.
  base::Result<void> rules(JsonEvent value, bool adds_rule) {
    bool is_known = !adds_rule;
    writer_.begin_array();
    const bool is_list = value == JsonEvent::begin_array;
    if (!is_list && !skip_value(reader_, value)) return reader_failure(reader_);
    while (is_list) {
      const JsonEvent event = reader_.next();
      if (event == JsonEvent::end_array) break;
      if (!fragment_.capture(reader_, event, kMaxElementBytes)) {
        return capture_failure(reader_, fragment_);
      }
      const JsonView rule = fragment_.root();
      if (foreign_) {
        foreign_->value(rule, writer_);
        continue;
      }
      const auto id = rule.find("id");
      is_known = is_known || (id && id->text_is(add_.rule->id));
      rule.write(writer_);
    }
    if (!is_known) write_rule(writer_, *add_.rule);
    writer_.end_array();
    return {};
  }

  // What is no object holds nothing that could be kept beside the block.
  base::Result<void> properties(JsonEvent value) {
    writer_.begin_object();
    const bool is_object = value == JsonEvent::begin_object;
    if (!is_object && !skip_value(reader_, value)) return reader_failure(reader_);
    if (is_object) {
      if (auto done = kept_properties(); !done) return done;
    }
    add_.write_sandbox(writer_);
    writer_.end_object();
    return {};
  }

  base::Result<void> kept_properties() {
    for (JsonEvent event = reader_.next(); event != JsonEvent::end_object; event = reader_.next()) {
      if (event != JsonEvent::key) return reader_failure(reader_);
      const bool is_ours =
          reader_.text() == "sandbox" || reader_.text().starts_with("sandbox_from_input");
      if (is_ours) {
        writer_.key(std::string(reader_.text()) + "_from_input");
        auto done = copy(reader_.next());
        if (!done) return done;
        continue;
      }
      writer_.raw_key(reader_.raw());
      auto done = copy(reader_.next());
      if (!done) return done;
    }
    return {};
  }

  JsonReader& reader_;
  JsonWriter& writer_;
  const Additions& add_;
  JsonFragment fragment_;
  std::optional<ForeignWriter> foreign_;  // of the run that is being written
  std::size_t run_ = 0;
  bool has_version_ = false;
  bool has_runs_ = false;
};

}  // namespace

base::Result<void> rewrite_log(JsonReader& reader, JsonWriter& writer, const Additions& additions) {
  return Rewrite(reader, writer, additions).log();
}

}  // namespace ethos::sarif
