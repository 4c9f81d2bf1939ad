// SPDX-License-Identifier: Apache-2.0
#include "sarif/validate/source_checks.h"

#include <algorithm>

#include "ledger/record/digest.h"
#include "sarif/columns.h"
#include "sarif/json/utf8.h"
#include "sarif/uri.h"
#include "sarif/validate/formats.h"
#include "sarif/validate/uri_parts.h"

namespace ethos::sarif::validation {
namespace {

// Columns that a line can have, whatever is counted: UTF-16 units are never fewer than characters.
// Bytes that are no UTF-8 count one each.
std::int64_t column_count(std::string_view line) {
  std::int64_t units = 0;
  while (!line.empty()) {
    const std::size_t length = std::max<std::size_t>(utf8_sequence_length(line), 1);
    units += length == 4 ? 2 : 1;
    line.remove_prefix(length);
  }
  return units;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

// With every line end as one "\n".
std::string plain_lines(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
    out += text[i];
  }
  return out;
}

std::optional<Value> base_of(const Value& location) {
  const auto name = location.text_of(Key::uri_base_id);
  if (!name) return std::nullopt;
  Value at = location;
  while (at.has_parent() && at.type() != Type::run) at = at.parent();
  const auto bases = at.find(Key::original_uri_base_ids);
  if (!bases || !bases->is_object()) return std::nullopt;
  int looked_at = 0;
  constexpr int kMostBases = 100;
  for (const Value base : *bases) {
    if (base.name() == *name) return base;
    if (++looked_at > kMostBases) break;
  }
  return std::nullopt;
}

std::string file_path(std::string_view uri) {
  const UriParts parts = split_uri(uri);
  if (!parts.is_file() || !(parts.authority.empty() || parts.authority == "localhost")) return {};
  return decode_uri_path(parts.path).value_or(std::string());
}

}  // namespace

base::Result<SourceChecks> SourceChecks::open(const std::string& root) {
  auto paths = PathMapper::create(root, "");
  if (!paths) return base::Unexpected(std::move(paths).error());
  auto files = SourceFiles::open(root);
  if (!files) return base::Unexpected(std::move(files).error());
  return SourceChecks(std::move(*paths), std::move(*files));
}

std::string SourceChecks::path_of(const Value& location) const {
  const auto uri = location.text_of(Key::uri);
  if (!uri || uri->empty() || !validation::is_uri_reference(*uri)) return {};
  const UriParts parts = split_uri(*uri);
  if (parts.is_absolute()) return paths_.map(file_path(*uri)).relative;
  if (parts.has_authority) return {};
  const auto path = decode_uri_path(parts.path);
  if (!path) return {};
  const auto base = base_of(location);
  const auto base_uri = base ? base->text_of(Key::uri) : std::nullopt;
  if (base_uri) {
    // A base on another machine is taken for the root, as services do.
    std::string below = paths_.map(file_path(*base_uri) + *path).relative;
    if (!below.empty()) return below;
  }
  return paths_.map(*path).relative;
}

void SourceChecks::check_result(Context& context, const Value& result) {
  const auto locations = result.find(Key::locations);
  if (locations && locations->is_array() && locations->begin() != locations->end()) {
    const auto first = artifact_location_of(*locations->begin());
    const std::string path = first ? path_of(*first) : std::string();
    if (first && first->has(Key::uri) && (path.empty() || !files_.has(path))) {
      context.reporter.at_member(Check::source_absent, *first, Key::uri, [&] {
        return "There is no file " + quoted(first->text_of(Key::uri).value_or("")) +
               " below the root.";
      });
    }
  }
  result.each_object([&](const Value& part) {
    if (part.type() == Type::physical_location) check_place(context, part);
    if (part.type() == Type::artifact_change) check_change(context, part);
  });
}

void SourceChecks::check_place(Context& context, const Value& location) {
  const auto artifact = location.find(Key::artifact_location);
  SourceFile* file = artifact ? files_.find(path_of(*artifact)) : nullptr;
  if (file == nullptr) return;
  for (const Key key : {Key::region, Key::context_region}) {
    const auto region = location.find(key);
    if (!region || !region->is_object()) continue;
    check_region(context, *file, *region, Check::line_beyond_end);
    check_snippet(context, *file, *region);
  }
}

void SourceChecks::check_region(Context& context, SourceFile& file, const Value& region,
                                Check beyond) {
  const auto check_end = [&](Key line_key, Key column_key, std::int64_t line) {
    if (line < 1) return;
    const auto text = file.line(static_cast<std::size_t>(line));
    if (!text) {
      context.reporter.at_member(beyond, region, line_key, [&] {
        return "Line " + std::to_string(line) + " is named, but the file has " +
               std::to_string(file.line_count()) + ".";
      });
      return;
    }
    const auto column = region.integer_of(column_key);
    if (!column || *column < 1 || text->size() > kMaxColumnLine) return;
    const std::int64_t most = column_count(*text) + 1;
    if (*column <= most) return;
    const Check check = beyond == Check::fix_beyond_end ? beyond : Check::column_beyond_line;
    context.reporter.at_member(check, region, column_key, [&] {
      return "Column " + std::to_string(*column) + " is named, but line " + std::to_string(line) +
             " ends in column " + std::to_string(most) + ".";
    });
  };
  const auto start = region.integer_of(Key::start_line);
  if (!start) return;
  check_end(Key::start_line, Key::start_column, *start);
  const std::int64_t end = region.integer_of(Key::end_line).value_or(*start);
  // One fault for a region in one line that is not there.
  if (end == *start && !file.line(static_cast<std::size_t>(std::max<std::int64_t>(end, 0)))) return;
  check_end(Key::end_line, Key::end_column, end);
}

// A snippet may be the region itself or the lines around it: it has to stand in these lines.
void SourceChecks::check_snippet(Context& context, SourceFile& file, const Value& region) {
  const auto snippet = region.find(Key::snippet, Key::text);
  const auto start = region.integer_of(Key::start_line);
  if (!snippet || !snippet->is_string() || !start || *start < 1) return;
  constexpr std::int64_t kMostLines = 200;
  const std::int64_t end = region.integer_of(Key::end_line).value_or(*start);
  if (end < *start || end - *start > kMostLines) return;
  std::string lines;
  for (std::int64_t line = *start; line <= end; ++line) {
    const auto text = file.line(static_cast<std::size_t>(line));
    if (!text) break;
    lines += *text;
    lines += '\n';
  }
  const std::string wanted(trimmed(plain_lines(snippet->text())));
  if (lines.find(wanted) != std::string::npos) return;
  context.reporter.at(Check::snippet_differs, *snippet, [&] {
    return "The snippet is " + quoted(snippet->text()) + ", but the file has " +
           quoted(trimmed(lines)) + " there.";
  });
}

void SourceChecks::check_change(Context& context, const Value& change) {
  const auto location = change.find(Key::artifact_location);
  const auto replacements = change.find(Key::replacements);
  SourceFile* file = location ? files_.find(path_of(*location)) : nullptr;
  if (file == nullptr || !replacements || !replacements->is_array()) return;
  for (const Value replacement : *replacements) {
    const auto region = replacement.find(Key::deleted_region);
    if (region && region->is_object()) {
      check_region(context, *file, *region, Check::fix_beyond_end);
    }
  }
}

void SourceChecks::check_artifact(Context& context, const Value& artifact) {
  const auto location = artifact.find(Key::location);
  const auto hashes = artifact.find(Key::hashes);
  if (!location || !hashes || !hashes->is_object()) return;
  for (const Value hash : *hashes) {
    if (hash.name() != "sha-256" || !hash.is_string()) continue;
    SourceFile* file = files_.find(path_of(*location));
    if (file == nullptr) return;
    const std::string actual = record::sha256(base::as_bytes(file->bytes())).hex();
    const std::string_view said = hash.text();
    const bool is_equal = said.size() == actual.size() &&
                          std::equal(said.begin(), said.end(), actual.begin(), [](char a, char b) {
                            return (a >= 'A' && a <= 'F' ? a - 'A' + 'a' : a) == b;
                          });
    if (is_equal) continue;
    context.reporter.at(Check::hash_differs, hash,
                        [&] { return "The SHA-256 of the file is " + actual + "."; });
  }
}

}  // namespace ethos::sarif::validation
