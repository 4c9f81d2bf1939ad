// SPDX-License-Identifier: Apache-2.0
#include "sarif/repair/survey.h"

#include "sarif/log/reading.h"
#include "sarif/repair/log_walk.h"
#include "sarif/repair/mender.h"

namespace ethos::sarif {

using validation::Key;
using validation::Property;
using validation::Type;

namespace {

constexpr std::string_view kLink = "sarif:/";

bool has_link(std::string_view token) { return token.find(kLink) != std::string_view::npos; }

bool has_link(const JsonView& value) {
  if (value.is_string()) return has_link(value.token());
  for (const JsonView part : value) {
    if (has_link(part)) return true;
  }
  return false;
}

class Survey final : public LogHandler {
 public:
  Survey(const Sources& sources, const std::vector<Bases>& bases)
      : mender_(sources, nullptr), bases_(bases) {}

  void begin_object(Type type, const std::string& /*pointer*/) override {
    if (type == Type::run) {
      runs_.emplace_back();
      mender_.set_bases(runs_.size() <= bases_.size() ? &bases_[runs_.size() - 1] : nullptr);
    }
    if (type == Type::tool_component) rules_ = Remap();
    if (type == Type::tool_component) has_numbered_relations_ = false;
    path_.begin_object();
  }

  void end_object(Type type, const std::string& /*pointer*/) override {
    const Key under = path_.end_object();
    if (type != Type::tool_component || runs_.empty()) return;
    if (has_numbered_relations_) rules_.keep_all();
    // Only the tool's own components are pointed into by number.
    const bool is_of_tool = path_.is_in_tool();
    if (is_of_tool && under == Key::driver) runs_.back().driver_rules = std::move(rules_);
    if (is_of_tool && under == Key::extensions) {
      runs_.back().extension_rules.push_back(std::move(rules_));
    }
    rules_ = Remap();
  }

  void key(std::string_view name) override { path_.key(name); }
  void begin_list(const Property& property, const std::string& /*pointer*/) override {
    path_.begin_list(property.key);
  }
  void end_list() override { path_.end_list(); }

  base::Result<void> element(const JsonView& value, const Property& property, std::size_t /*index*/,
                             const std::string& pointer) override {
    has_links_ = has_links_ || has_link(value);
    if (runs_.empty()) return {};
    switch (property.key) {
      case Key::rules:
        note_relations(value);
        add(rules_, value, property, pointer);
        break;
      case Key::artifacts:
        add(runs_.back().artifacts, value, property, pointer);
        break;
      case Key::logical_locations:
        add(runs_.back().logical_locations, value, property, pointer);
        break;
      default:
        break;
    }
    return {};
  }

  base::Result<void> member(const JsonView& value, std::string_view /*name*/, Type /*type*/,
                            const std::string& /*parent*/) override {
    has_links_ = has_links_ || has_link(value);
    return {};
  }

  base::Result<void> unknown(JsonReader& reader, JsonEvent first) override {
    std::size_t depth = 0;
    for (JsonEvent event = first;; event = reader.next()) {
      if (event == JsonEvent::error) return reader_failure(reader);
      if (event == JsonEvent::string) has_links_ = has_links_ || has_link(reader.raw());
      if (event == JsonEvent::begin_object || event == JsonEvent::begin_array) ++depth;
      if (event == JsonEvent::end_object || event == JsonEvent::end_array) --depth;
      if (depth == 0 && event != JsonEvent::key) return {};
    }
  }

  std::vector<RunTables> take() {
    if (has_links_) {
      for (RunTables& run : runs_) {
        run.driver_rules.keep_all();
        run.artifacts.keep_all();
        run.logical_locations.keep_all();
        for (Remap& rules : run.extension_rules) rules.keep_all();
      }
    }
    return std::move(runs_);
  }

 private:
  void add(Remap& remap, const JsonView& value, const Property& property,
           const std::string& pointer) {
    remap.add(mender_.digest_of_text(mender_.mended_text(value, property, pointer)));
    mender_.changes().clear();
  }

  // "See rule 3" would have to follow, but a number alone may also mean a taxon.
  void note_relations(const JsonView& rule) {
    const auto relations = rule.find("relationships");
    if (!relations || !relations->is_array()) return;
    for (const JsonView relation : *relations) {
      const auto target = relation.find("target");
      if (target && target->find("index") && !target->find("toolComponent")) {
        has_numbered_relations_ = true;
      }
    }
  }

  Mender mender_;
  const std::vector<Bases>& bases_;
  std::vector<RunTables> runs_;
  Remap rules_;
  LogPath path_;
  bool has_links_ = false;
  bool has_numbered_relations_ = false;
};

}  // namespace

base::Result<std::vector<RunTables>> survey(ByteSource& source, const Sources& sources,
                                            const std::vector<Bases>& bases) {
  JsonReader reader(source);
  Survey handler(sources, bases);
  auto done = walk_log(reader, handler);
  if (!done) return base::Unexpected(std::move(done).error());
  return handler.take();
}

}  // namespace ethos::sarif
