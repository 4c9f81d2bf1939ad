// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "sarif/evidence/denials.h"
#include "sarif/log/digest.h"
#include "sarif/log/fingerprint_log.h"
#include "sarif/log/foreign.h"
#include "sarif/log/rewrite.h"
#include "verify/sarif_file.h"

namespace {

using namespace ethos::sarif;

void require(bool holds) {
  if (!holds) std::abort();
}

std::string rewritten(std::string_view text, const Additions& additions) {
  MemorySource source(text);
  JsonReader reader(source, {.limits = {.depth = 64}});
  StringSink sink;
  JsonWriter writer(sink, JsonLayout::compact);
  return rewrite_log(reader, writer, additions) ? sink.text() : "";
}

std::size_t results_of(std::string_view text) {
  MemorySource source(text);
  const auto digest = digest_log(source);
  require(digest.has_value());
  return digest->results.size();
}

// A log that evidence can stand beside says nothing of its own as ours: ethos-verify finds one
// denial, ours, which nothing switches off.
void check_owned(std::string_view text, Additions additions) {
  MemorySource source(text);
  JsonReader reader(source, {.limits = {.depth = kMaxForeignDepth}});
  const auto survey = survey_log(reader);
  if (!survey || survey->empty()) return;
  additions.own_rule = kDenialRuleId;
  additions.survey = &*survey;
  const std::string owned = rewritten(text, additions);
  require(!owned.empty());
  const auto file = ethos::verify::parse_sarif(owned);
  require(file && !file->has_outside_results);
  MemorySource again(owned);
  const auto digests = digest_log(again);
  require(digests.has_value());
  std::size_t denials = 0;
  std::size_t count = 0;
  for (const auto& run : file->runs) {
    require(run.block.is_object());
    for (const auto& result : run.results) {
      // What the runner records of a result is what the verifier makes of it.
      require(count < digests->results.size() && digests->results[count] == result.digest.text());
      ++count;
      if (!result.denial) continue;
      ++denials;
      require(result.denial->neutral.empty() && !result.denial->is_suppressed);
      require(!run.disables_denials);
    }
  }
  require(denials == 1 && count == digests->results.size());
}

}  // namespace

// A log that is accepted stays the same when copied twice, and loses no result when a denial and a
// block are added.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string plain = rewritten(text, {});
  if (plain.empty()) return 0;
  require(rewritten(plain, {}) == plain);
  Additions additions;
  additions.write_sandbox = [](JsonWriter& writer) {
    writer.key("sandbox");
    writer.begin_object();
    writer.end_object();
  };
  additions.rule = denial_rule();
  additions.findings.emplace_back();
  const std::string added = rewritten(plain, additions);
  require(!added.empty());
  require(results_of(added) >= results_of(plain));
  check_owned(plain, additions);
  MemorySource source(plain);
  JsonReader reader(source);
  StringSink sink;
  JsonWriter writer(sink, JsonLayout::compact);
  SourceFiles none;
  require(fingerprint_log(reader, writer, PathMapper(), none).has_value());
  require(sink.text() == plain);
  return 0;
}
