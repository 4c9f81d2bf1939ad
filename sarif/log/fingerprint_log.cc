// SPDX-License-Identifier: Apache-2.0
#include "sarif/log/fingerprint_log.h"

#include <optional>
#include <string>

#include "sarif/log/rewrite.h"
#include "sarif/uri.h"

namespace ethos::sarif {
namespace {

constexpr std::string_view kKey = "primaryLocationLineHash";
constexpr std::string_view kFingerprints = "partialFingerprints";

struct PrimaryLine {
  std::string path;
  std::size_t line;
};

// Where GitHub's action looks: the first location, decoded, with a leading "file://" cut off and
// any other scheme passed over.
std::optional<PrimaryLine> primary_line(const JsonView& result) {
  const auto locations = result.find("locations");
  const auto first = locations ? locations->at(0) : std::nullopt;
  if (!first) return std::nullopt;
  const auto line = first->find_path({"physicalLocation", "region", "startLine"});
  const auto uri = first->find_path({"physicalLocation", "artifactLocation", "uri"});
  if (!line || !uri || !uri->is_string()) return std::nullopt;
  const auto number = line->integer();
  auto path = decode_uri_path(uri->text());
  if (!number || *number < 1 || !path) return std::nullopt;
  if (path->starts_with("file://")) path->erase(0, 7);
  if (path->find("://") != std::string::npos) return std::nullopt;
  return PrimaryLine{std::move(*path), static_cast<std::size_t>(*number)};
}

std::optional<std::string> hash_of(const JsonView& result, const PathMapper& paths,
                                   SourceFiles& sources) {
  const auto place = primary_line(result);
  if (!place) return std::nullopt;
  SourceFile* file = sources.find(paths.map(place->path).relative);
  return file == nullptr ? std::nullopt : file->hash(place->line);
}

void write_with_hash(const JsonView& result, const std::string& hash, JsonWriter& writer) {
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
    for (const JsonView one : member) one.write_member(writer);
    writer.member(kKey, hash);
    writer.end_object();
  }
  if (!has_fingerprints) {
    writer.key(kFingerprints);
    writer.begin_object();
    writer.member(kKey, hash);
    writer.end_object();
  }
  writer.end_object();
}

}  // namespace

base::Result<FingerprintSummary> fingerprint_log(JsonReader& reader, JsonWriter& writer,
                                                 const PathMapper& paths, SourceFiles& sources) {
  FingerprintSummary summary;
  Additions additions;
  additions.write_result = [&](std::size_t, const JsonView& result,
                               JsonWriter& out) -> base::Result<void> {
    ++summary.results;
    const auto hash = hash_of(result, paths, sources);
    const auto present = result.find_path({kFingerprints, kKey});
    // A list of fingerprints that is no object cannot be added to; it is a fault for validate.
    const auto list = result.find(kFingerprints);
    const bool can_add = result.is_object() && (!list || list->is_object());
    if (!hash || present || !can_add) {
      result.write(out);
      if (hash && present) ++(present->text_is(*hash) ? summary.kept : summary.different);
      return {};
    }
    write_with_hash(result, *hash, out);
    ++summary.added;
    return {};
  };
  auto done = rewrite_log(reader, writer, additions);
  if (!done) return base::Unexpected(std::move(done).error());
  return summary;
}

}  // namespace ethos::sarif
