// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "sarif/repair/repair.h"
#include "sarif/validate/validate.h"

namespace {

using namespace ethos::sarif;

void require(bool holds) {
  if (!holds) std::abort();
}

struct Mended {
  bool is_done = false;
  std::string text;
  std::uint64_t changes = 0;
};

Mended mend(std::string_view text, bool is_thorough) {
  RepairOptions options;
  options.layout = JsonLayout::compact;
  options.adds_regions = is_thorough;
  if (is_thorough) options.old_roots = {"/src", "C:\\a"};
  StringSink sink;
  std::uint64_t seen = 0;
  const auto done = repair(
      [text]() -> ethos::base::Result<std::unique_ptr<ByteSource>> {
        return std::unique_ptr<ByteSource>(std::make_unique<MemorySource>(text));
      },
      sink, options, [&seen](const RepairChange&) { ++seen; });
  if (!done) return {};
  require(done->changes == seen);
  return {true, sink.text(), seen};
}

bool is_schema_valid(std::string_view text) {
  MemorySource source(text);
  return validation::validate(source, {}).is_schema_valid;
}

}  // namespace

// What was mended needs no more mending; what had no change is a fixed point; nothing that was
// valid becomes invalid.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const bool is_thorough : {false, true}) {
    const Mended once = mend(text, is_thorough);
    if (!once.is_done) return 0;
    const Mended again = mend(once.text, is_thorough);
    require(again.is_done && again.text == once.text && again.changes == 0);
    if (is_schema_valid(text)) require(is_schema_valid(once.text));
  }
  return 0;
}
