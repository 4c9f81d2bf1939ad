// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "sarif/json/fragment.h"
#include "sarif/validate/report.h"
#include "sarif/validate/validate.h"

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

std::string json_report(ByteSource& source, validation::Profile profile, bool& is_clean) {
  validation::Options options;
  options.profile = profile;
  options.findings_per_rule = 0;
  std::vector<validation::FileReport> files(1);
  files[0].path = "input";
  files[0].report = validation::validate(source, options);
  is_clean = files[0].report.is_clean();
  StringSink json;
  validation::write_json(json, files, profile);
  StringSink text;
  validation::write_text(text, files, profile);
  for (const char c : text.text()) require(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
  StringSink sarif;
  validation::write_sarif(sarif, files, profile);
  MemorySource report(sarif.text());
  validation::Options github;
  github.profile = validation::Profile::github;
  const validation::Report verdict = validation::validate(report, github);
  require(verdict.is_readable() && verdict.is_schema_valid);
  return json.text();
}

}  // namespace

// Every text gets the same answer however its bytes arrive; all three reports are well formed, and
// the SARIF report is valid itself. The length of the text chooses the profile.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto profile = static_cast<validation::Profile>(size % validation::kProfileCount);
  MemorySource whole(text);
  SmallReads pieces(text);
  bool whole_is_clean = false;
  bool pieces_are_clean = false;
  const std::string first = json_report(whole, profile, whole_is_clean);
  require(first == json_report(pieces, profile, pieces_are_clean));
  require(whole_is_clean == pieces_are_clean);
  MemorySource source(first);
  JsonReader reader(source);
  JsonFragment fragment;
  require(fragment.capture(reader, reader.next()));
  require(reader.next() == JsonEvent::end);
  return 0;
}
