// SPDX-License-Identifier: Apache-2.0
#include "verify/sarif_written.h"

namespace ethos::verify {

std::optional<std::vector<Digest>> digest_lines(std::string_view text) {
  std::vector<Digest> out;
  for (std::string_view rest = text; !rest.empty();) {
    const auto end = rest.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    const auto digest = Digest::from_text(rest.substr(0, end));
    if (!digest) return std::nullopt;
    out.push_back(*digest);
    rest.remove_prefix(end + 1);
  }
  return out;
}

void check_sarif_written(const std::string& run, std::int64_t seq, const Value& body, std::uint64_t reported,
                         DocumentReader& reader, Findings& findings) {
  const std::int64_t stated = body.at("results").number();
  const auto mismatch = [&](const char* text, std::uint64_t wanted) {
    findings.add({.code = Code::counts_mismatch, .seq = seq, .run = run, .expected = std::to_string(wanted),
                  .found = std::to_string(stated), .text = text});
  };
  if (static_cast<std::uint64_t>(stated) < reported) {
    mismatch("sarif.written states fewer results than the run has denials and limits", reported);
  }
  const std::uint64_t refused = reader.refused();
  const auto text = reader.open(body.at("list"));
  if (reader.refused() != refused) {
    findings.add({.code = Code::not_recomputed, .seq = seq, .run = run,
                  .text = "its list of results was not counted: longer ones were named too often"});
    return;
  }
  if (!text) return;  // said elsewhere: missing, withheld, or not what was committed to
  const auto lines = digest_lines(*text);
  if (!lines) {
    findings.add({.code = Code::disclosure_mismatch, .seq = seq, .run = run,
                  .text = "the list of results is not one digest a line"});
  } else if (static_cast<std::int64_t>(lines->size()) != stated) {
    mismatch("sarif.written states another number of results than its list has lines", lines->size());
  }
}

}  // namespace ethos::verify
