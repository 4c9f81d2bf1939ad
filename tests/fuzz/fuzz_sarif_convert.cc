// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "sarif/convert/formats.h"
#include "sarif/json/fragment.h"
#include "sarif/log_writer.h"
#include "sarif/resolve.h"
#include "sarif/uri.h"

namespace {

using namespace ethos::sarif;

void require(bool holds) {
  if (!holds) std::abort();
}

void check_region(const Region& region) {
  require(region.start_line >= 1 && region.start_column.value_or(1) >= 1);
  require(region.end_line.value_or(region.start_line) >= region.start_line);
  require(region.end_column.value_or(1) >= 1);
}

void check_log(const ConvertedRun& run) {
  StringSink sink;
  JsonWriter writer(sink, JsonLayout::compact);
  write_log(writer, run, {});
  MemorySource source(sink.text());
  JsonReader reader(source);
  JsonFragment fragment;
  require(fragment.capture(reader, reader.next()) && reader.next() == JsonEvent::end);
}

}  // namespace

// Whatever a linter writes: each converter refuses it or makes a log that is strict JSON, with
// complete rules, URIs that are URIs and regions that a viewer can show.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(detect_format(text));
  for (const Format& format : all_formats()) {
    if (format.read == nullptr) continue;
    MemorySource source(text);
    auto run = format.read(source);
    if (!run) continue;
    SourceFiles none;
    resolve_places(*run, PathMapper(), none);
    for (const Finding& finding : run->findings) {
      require(finding.rule < run->rules.size() && !finding.message.empty());
      require(is_uri_reference(finding.location.uri));
      check_region(finding.location.region);
      for (const Location& one : finding.related) check_region(one.region);
    }
    for (const Rule& rule : run->rules) {
      require(!rule.short_description.empty() && !rule.full_description.empty());
      require(!rule.help.empty() && !rule.id.empty());
    }
    check_log(*run);
  }
  return 0;
}
