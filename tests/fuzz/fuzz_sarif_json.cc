// SPDX-License-Identifier: Apache-2.0
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "sarif/json/copy.h"
#include "sarif/json/fragment.h"
#include "sarif/json/reader.h"
#include "sarif/json/writer.h"

namespace {

using namespace ethos::sarif;

void require(bool holds) {
  if (!holds) std::abort();
}

// Gives bytes in small pieces, so that each token crosses the edge of a read.
class SmallReads final : public ByteSource {
 public:
  explicit SmallReads(std::string_view bytes) : inner_(bytes) {}
  std::ptrdiff_t read(std::span<char> into) override { return inner_.read(into.first(1)); }

 private:
  MemorySource inner_;
};

std::string copy_of(ByteSource& source, std::string& fault) {
  JsonReader reader(source, {.limits = {.depth = 64}});
  StringSink sink;
  JsonWriter writer(sink, JsonLayout::compact);
  const bool is_good = copy_value(reader, reader.next(), writer) && reader.next() == JsonEvent::end;
  fault = reader.fault().message();
  return is_good ? sink.text() : "";
}

}  // namespace

// A text is read the same however its bytes arrive; what was accepted is a fixed point of copying.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  MemorySource whole(text);
  SmallReads pieces(text);
  std::string whole_fault;
  std::string pieces_fault;
  const std::string first = copy_of(whole, whole_fault);
  require(first == copy_of(pieces, pieces_fault));
  require(whole_fault == pieces_fault);
  if (first.empty()) return 0;
  MemorySource again(first);
  require(copy_of(again, whole_fault) == first);
  MemorySource third(first);
  JsonReader reader(third);
  JsonFragment fragment;
  require(fragment.capture(reader, reader.next()));
  StringSink sink;
  JsonWriter writer(sink, JsonLayout::compact);
  fragment.root().write(writer);
  require(sink.text() == first);
  return 0;
}
