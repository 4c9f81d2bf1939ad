// SPDX-License-Identifier: Apache-2.0
#include "sarif/repair/repair.h"

#include <optional>
#include <vector>

#include "sarif/json/copy.h"
#include "sarif/json/utf16_source.h"
#include "sarif/log/reading.h"
#include "sarif/repair/log_walk.h"
#include "sarif/repair/mender.h"
#include "sarif/repair/surrogate_source.h"
#include "sarif/repair/survey.h"

namespace ethos::sarif {

using validation::Key;
using validation::Property;
using validation::Type;

namespace {

constexpr std::array<std::string_view, kRepairKinds> kKindNames = {
    "byte-order-mark",   "number-out-of-range", "uri-encoded",   "uri-from-windows",
    "uri-made-relative", "fingerprint-added",   "item-merged",   "duplicate-removed",
    "severity-mapped",   "level-mapped",        "null-replaced", "region-added",
    "encoding-changed",  "surrogate-replaced"};

// Writes the log as it streams by, each part mended.
class Rewrite final : public LogHandler {
 public:
  Rewrite(JsonReader& reader, JsonWriter& writer, Mender& mender,
          const std::vector<RunTables>& tables, const std::vector<Bases>& bases,
          const std::function<void()>& flush)
      : reader_(reader),
        writer_(writer),
        mender_(mender),
        tables_(tables),
        bases_(bases),
        flush_(flush) {}

  void begin_object(Type type, const std::string& /*pointer*/) override {
    if (type == Type::run && next_run_ < tables_.size()) {
      mender_.set_bases(next_run_ < bases_.size() ? &bases_[next_run_] : nullptr);
      run_ = &tables_[next_run_++];
      mender_.set_tables(run_);
      next_extension_ = 0;
    }
    const bool is_of_tool = path_.is_in_tool();
    const Key under = path_.begin_object();
    if (type == Type::tool_component) rules_ = is_of_tool ? rules_of(under) : nullptr;
    writer_.begin_object();
  }

  void end_object(Type type, const std::string& /*pointer*/) override {
    path_.end_object();
    if (type == Type::tool_component) rules_ = nullptr;
    if (type == Type::run) mender_.set_tables(nullptr);
    writer_.end_object();
  }

  void key(std::string_view name) override {
    path_.key(name);
    writer_.key(name);
  }

  void begin_list(const Property& property, const std::string& /*pointer*/) override {
    path_.begin_list(property.key);
    writer_.begin_array();
  }

  void end_list() override {
    path_.end_list();
    writer_.end_array();
  }

  base::Result<void> element(const JsonView& value, const Property& property, std::size_t index,
                             const std::string& pointer) override {
    mender_.set_line(reader_.line());
    const Remap* remap = remap_of(property.key);
    const auto first = remap != nullptr ? remap->merged_with(index) : std::nullopt;
    if (first) {
      StringSink sink;
      JsonWriter text(sink, JsonLayout::compact);
      value.write(text);
      mender_.note(RepairKind::item_merged, pointer, sink.text(), "",
                   "equal to item " + std::to_string(*first));
    } else {
      mender_.write_element(value, property, pointer, writer_);
    }
    flush_();
    return {};
  }

  base::Result<void> member(const JsonView& value, std::string_view name, Type type,
                            const std::string& parent) override {
    mender_.set_line(reader_.line());
    mender_.write_member(value, name, type, parent, writer_);
    flush_();
    return {};
  }

  base::Result<void> unknown(JsonReader& reader, JsonEvent first) override {
    if (!copy_value(reader, first, writer_)) return reader_failure(reader);
    return {};
  }

 private:
  [[nodiscard]] const Remap* rules_of(Key under) {
    if (run_ == nullptr) return nullptr;
    if (under == Key::driver) return &run_->driver_rules;
    if (under == Key::extensions && next_extension_ < run_->extension_rules.size()) {
      return &run_->extension_rules[next_extension_++];
    }
    return nullptr;
  }

  [[nodiscard]] const Remap* remap_of(Key list) const {
    if (run_ == nullptr) return nullptr;
    switch (list) {
      case Key::rules:
        return rules_;
      case Key::artifacts:
        return &run_->artifacts;
      case Key::logical_locations:
        return &run_->logical_locations;
      default:
        return nullptr;
    }
  }

  JsonReader& reader_;
  JsonWriter& writer_;
  Mender& mender_;
  const std::vector<RunTables>& tables_;
  const std::vector<Bases>& bases_;
  const std::function<void()>& flush_;
  const RunTables* run_ = nullptr;
  const Remap* rules_ = nullptr;
  std::size_t next_run_ = 0;
  std::size_t next_extension_ = 0;
  LogPath path_;
};

// The log as text that a reader takes: UTF-8, without halves of surrogate pairs.
class Text {
 public:
  Text(std::unique_ptr<ByteSource> bytes, SurrogateSource::Note note)
      : bytes_(std::move(bytes)), utf8_(*bytes_), source_(utf8_, std::move(note)) {}
  [[nodiscard]] ByteSource& source() { return source_; }
  [[nodiscard]] bool is_utf16() const { return utf8_.is_utf16(); }

 private:
  std::unique_ptr<ByteSource> bytes_;
  Utf16Source utf8_;
  SurrogateSource source_;
};

// The root, opened for looking up files, when one is named.
struct OpenRoot {
  std::optional<PathMapper> paths;
  std::optional<SourceFiles> files;
};

base::Result<OpenRoot> open_root(const std::string& root) {
  OpenRoot open;
  if (root.empty()) return open;
  auto paths = PathMapper::create(root, "");
  if (!paths) return base::Unexpected(std::move(paths).error());
  auto files = SourceFiles::open(root);
  if (!files) return base::Unexpected(std::move(files).error());
  open.paths = std::move(*paths);
  open.files = std::move(*files);
  return open;
}

}  // namespace

std::string_view repair_kind_name(RepairKind kind) {
  return kKindNames[static_cast<std::size_t>(kind)];
}

base::Result<RepairSummary> repair(const OpenInput& open, ByteSink& sink,
                                   const RepairOptions& options,
                                   const std::function<void(const RepairChange&)>& on_change) {
  auto root = open_root(options.root);
  if (!root) return base::Unexpected(std::move(root).error());
  Sources sources;
  if (root->paths) sources = {&*root->paths, &*root->files, {}};
  for (const std::string& old : options.old_roots) sources.old_roots.push_back(old_root_of(old));
  std::vector<Bases> bases;
  if (sources.can_relate()) {
    auto source = open();
    if (!source) return base::Unexpected(std::move(source).error());
    Text text(std::move(*source), {});
    auto read = read_bases(text.source());
    if (!read) return base::Unexpected(std::move(read).error());
    bases = std::move(*read);
  }
  auto first = open();
  if (!first) return base::Unexpected(std::move(first).error());
  std::optional<Text> text;
  text.emplace(std::move(*first), SurrogateSource::Note());
  const auto tables = survey(text->source(), sources, bases);
  if (!tables) return base::Unexpected(base::Error(tables.error()));
  text.reset();

  auto second = open();
  if (!second) return base::Unexpected(std::move(second).error());
  Mender mender(sources, root->files && options.adds_fingerprints ? &*root->files : nullptr);
  mender.set_adds_regions(options.adds_regions);
  RepairSummary summary;
  const std::function<void()> flush = [&] {
    for (const RepairChange& change : mender.changes()) {
      ++summary.changes;
      ++summary.by_kind[static_cast<std::size_t>(change.kind)];
      on_change(change);
    }
    mender.changes().clear();
  };
  text.emplace(std::move(*second), [&mender](std::uint64_t line, std::string_view escape) {
    mender.set_line(line);
    mender.note(RepairKind::surrogate_replaced, "", '"' + std::string(escape) + '"', "\"\\ufffd\"",
                "half of a pair, which no text can hold");
  });
  JsonReader reader(text->source());
  JsonWriter writer(sink, options.layout);
  Rewrite rewrite(reader, writer, mender, *tables, bases, flush);
  auto done = walk_log(reader, rewrite);
  if (!done) return base::Unexpected(std::move(done).error());
  writer.finish();
  if (text->is_utf16()) {
    mender.set_line(1);
    mender.note(RepairKind::encoding_changed, "", R"("UTF-16")", R"("UTF-8")", "JSON is UTF-8");
  }
  if (reader.had_bom()) {
    mender.set_line(1);
    mender.note(RepairKind::byte_order_mark, "", "", "", "JSON readers refuse it");
  }
  flush();
  return summary;
}

}  // namespace ethos::sarif
