// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "sarif/evidence/denials.h"
#include "sarif/evidence/sandbox_block.h"
#include "sarif/json/fragment.h"

namespace {

using namespace ethos::sarif;

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

// Evidence that is accepted makes a block that is strict JSON, and denials that have a place.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  MemorySource source(std::string_view(reinterpret_cast<const char*>(data), size));
  const auto evidence = Evidence::read(source);
  if (!evidence) return 0;
  StringSink sink;
  JsonWriter writer(sink, JsonLayout::compact);
  writer.begin_object();
  write_sandbox_block(writer, *evidence);
  writer.end_object();
  MemorySource written(sink.text());
  JsonReader reader(written);
  JsonFragment fragment;
  require(fragment.capture(reader, reader.next()) && reader.next() == JsonEvent::end);
  for (const Finding& finding : denial_findings(*evidence, nullptr)) {
    require(!finding.location.uri.empty() && finding.location.region.start_line >= 1);
    require(!finding.message.empty());
  }
  static_cast<void>(evidence->invocation());
  return 0;
}
