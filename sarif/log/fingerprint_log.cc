// SPDX-License-Identifier: Apache-2.0
#include "sarif/log/fingerprint_log.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sarif/line_key.h"
#include "sarif/log/rewrite.h"
#include "sarif/uri.h"

namespace ethos::sarif {
namespace {

constexpr std::string_view kGithubKey = "primaryLocationLineHash";
constexpr std::string_view kFingerprints = "partialFingerprints";

struct PrimaryLine {
  std::string path;
  std::size_t line;
};

// Where GitHub's action looks: the first location, decoded, with a leading "file://" cut off and
// any other scheme passed over. `artifacts` are those of the run.
std::optional<PrimaryLine> primary_line(const JsonView& result,
                                        const std::vector<std::string>& artifacts) {
  const auto locations = result.find("locations");
  const auto first = locations ? locations->at(0) : std::nullopt;
  if (!first) return std::nullopt;
  const auto line = first->find_path({"physicalLocation", "region", "startLine"});
  const auto uri = first->find_path({"physicalLocation", "artifactLocation", "uri"});
  const auto index = first->find_path({"physicalLocation", "artifactLocation", "index"});
  if (!line || (uri && !uri->is_string())) return std::nullopt;
  const auto number = line->integer();
  const auto at = !uri && index ? index->integer() : std::nullopt;
  const bool is_listed = at && *at >= 0 && static_cast<std::size_t>(*at) < artifacts.size();
  if (!uri && !is_listed) return std::nullopt;
  auto path = decode_uri_path(uri ? uri->text() : artifacts[static_cast<std::size_t>(*at)]);
  if (!number || *number < 1 || !path) return std::nullopt;
  if (path->starts_with("file://")) path->erase(0, 7);
  if (path->find("://") != std::string::npos) return std::nullopt;
  return PrimaryLine{std::move(*path), static_cast<std::size_t>(*number)};
}

using Named = std::pair<std::string_view, std::string>;

std::vector<Named> prints_of(const JsonView& result, const std::vector<std::string>& artifacts,
                             const PathMapper& paths, SourceFiles& sources,
                             const FingerprintKinds& kinds) {
  std::vector<Named> prints;
  const auto place = primary_line(result, artifacts);
  SourceFile* file = place ? sources.find(paths.map(place->path).relative) : nullptr;
  if (file == nullptr) return prints;
  auto hash = kinds.github ? file->hash(place->line) : std::nullopt;
  if (hash) prints.emplace_back(kGithubKey, std::move(*hash));
  auto key = kinds.ethos ? file->key(place->line) : std::nullopt;
  if (key) prints.emplace_back(kLineKeyName, std::move(*key));
  return prints;
}

void write_prints(const std::vector<Named>& prints, JsonWriter& writer) {
  for (const auto& [key, value] : prints) writer.member(key, value);
}

void write_with_prints(const JsonView& result, const std::vector<Named>& prints,
                       JsonWriter& writer) {
  bool has_fingerprints = false;
  writer.begin_object();
  for (const JsonView member : result) {
    if (!member.key_is(kFingerprints) || !member.is_object()) {
      member.write_member(writer);
      continue;
    }
    has_fingerprints = true;
    writer.key(kFingerprints);
    writer.begin_object();
    for (const JsonView one : member) {
      const bool is_replaced =
          std::any_of(prints.begin(), prints.end(),
                      [&one](const Named& print) { return one.key_is(print.first); });
      if (!is_replaced) one.write_member(writer);
    }
    write_prints(prints, writer);
    writer.end_object();
  }
  if (!has_fingerprints) {
    writer.key(kFingerprints);
    writer.begin_object();
    write_prints(prints, writer);
    writer.end_object();
  }
  writer.end_object();
}

}  // namespace

base::Result<FingerprintSummary> fingerprint_log(JsonReader& reader, JsonWriter& writer,
                                                 const PathMapper& paths, SourceFiles& sources,
                                                 const FingerprintKinds& kinds,
                                                 const ArtifactUris& artifacts) {
  static const std::vector<std::string> none;
  FingerprintSummary summary;
  Additions additions;
  additions.write_result = [&](std::size_t run, const JsonView& result,
                               JsonWriter& out) -> base::Result<void> {
    ++summary.results;
    std::size_t replaced = 0;
    auto prints =
        prints_of(result, run < artifacts.size() ? artifacts[run] : none, paths, sources, kinds);
    // A list of fingerprints that is no object cannot be added to; it is a fault for validate.
    const auto list = result.find(kFingerprints);
    const bool can_add = result.is_object() && (!list || list->is_object());
    prints.erase(std::remove_if(prints.begin(), prints.end(),
                                [&](const Named& one) {
                                  const auto there = list ? list->find(one.first) : std::nullopt;
                                  if (!there) return false;
                                  const bool is_equal = there->text_is(one.second);
                                  ++(is_equal ? summary.kept : summary.different);
                                  if (!is_equal && kinds.replaces && can_add) ++replaced;
                                  return is_equal || !kinds.replaces;
                                }),
                 prints.end());
    if (prints.empty() || !can_add) {
      result.write(out);
      return {};
    }
    write_with_prints(result, prints, out);
    summary.added += prints.size() - replaced;
    summary.replaced += replaced;
    return {};
  };
  auto done = rewrite_log(reader, writer, additions);
  if (!done) return base::Unexpected(std::move(done).error());
  return summary;
}

}  // namespace ethos::sarif
