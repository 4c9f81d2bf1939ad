// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <tuple>

#include "sarif/validate/checks.h"
#include "sarif/validate/formats.h"
#include "sarif/validate/number.h"
#include "sarif/validate/uri_parts.h"

namespace ethos::sarif::validation {
namespace {

constexpr std::int64_t kFarAway = std::numeric_limits<std::int64_t>::max();

// Lines and columns of a region with the defaults of SARIF 2.1.0 section 3.30 filled in. The end is
// the first character that is no longer inside.
struct TextRegion {
  std::int64_t start_line = 0;
  std::int64_t start_column = 1;
  std::int64_t end_line = 0;
  std::int64_t end_column = kFarAway;

  [[nodiscard]] auto start() const { return std::tie(start_line, start_column); }
  [[nodiscard]] auto end() const { return std::tie(end_line, end_column); }
};

std::optional<TextRegion> text_region(const Value& region) {
  const auto start_line = region.integer_of(Key::start_line);
  if (!start_line || *start_line < 1) return std::nullopt;
  TextRegion text;
  text.start_line = *start_line;
  text.start_column = region.integer_of(Key::start_column).value_or(1);
  text.end_line = region.integer_of(Key::end_line).value_or(*start_line);
  text.end_column = region.integer_of(Key::end_column).value_or(kFarAway);
  return text;
}

// The URI that the location has by its index, when that comes earlier in the file.
void check_index(Context& context, const Value& location, std::string_view uri) {
  const auto index = location.integer_of(Key::index);
  if (!index) return;
  if (*index < 0) {
    context.reporter.at_member(Check::says_nothing, location, Key::index,
                               [] { return "index is -1, which is what an absent one means."; });
    return;
  }
  if (!is_in_run(location)) return;
  RunState& run = context.run;
  const auto known = static_cast<std::int64_t>(run.artifact_uris.size());
  if (*index >= known) {
    context.claim({.kind = ClaimKind::artifact, .number = *index}, location);
    if (!uri.empty()) {
      context.claim({.kind = ClaimKind::artifact_uri, .number = *index, .text = uri}, location);
    }
    return;
  }
  const ItemDigest declared = run.artifact_uris[static_cast<std::size_t>(*index)];
  if (uri.empty() || declared == ItemDigest{} || declared == context.hasher.text(uri)) return;
  context.reporter.at_member(Check::artifact_index_disagrees, location, Key::index, [&] {
    return "index is " + std::to_string(*index) + ", but artifact " + std::to_string(*index) +
           " has another URI than " + quoted(uri) + ".";
  });
}

// What a URI begins with: readers that split it strictly refuse it over these.
void check_start(Context& context, const Value& location, std::string_view uri,
                 const UriParts& parts) {
  if (has_bare_colon(uri)) {
    context.reporter.at_member(Check::colon_in_name, location, Key::uri, [&] {
      return "uri is " + quoted(uri) + ": what is in front of the colon is no scheme.";
    });
  }
  if (parts.is_file() && !parts.authority.empty() && parts.authority != "localhost") {
    context.reporter.at_member(Check::host_in_file_uri, location, Key::uri, [&] {
      return "uri is " + quoted(uri) + ", in which " + quoted(parts.authority) + " is a host.";
    });
  }
}

void check_path(Context& context, const Value& location, std::string_view uri, bool has_base) {
  Reporter& reporter = context.reporter;
  const UriParts parts = split_uri(uri);
  check_start(context, location, uri, parts);
  if (parts.has_dots() && (parts.is_file() || !parts.is_absolute())) {
    const Check check = parts.is_file() ? Check::dots_in_file_uri : Check::climbing_uri;
    reporter.at_member(check, location, Key::uri,
                       [&] { return "uri is " + quoted(uri) + ", which holds \"..\"."; });
  }
  if (has_base && parts.is_absolute()) {
    reporter.at_member(Check::absolute_under_base, location, Key::uri, [&] {
      return "uri is " + quoted(uri) + ", which is absolute, and there is a uriBaseId.";
    });
  }
  if (parts.is_rooted()) {
    reporter.at_member(has_base ? Check::rooted_under_base : Check::rooted_uri, location, Key::uri,
                       [&] { return "uri is " + quoted(uri) + ", which begins with \"/\"."; });
  }
}

// Readers that keep lines and columns in 32 bits refuse the whole file over a larger one.
void check_size(Context& context, const Value& region, Key key) {
  const auto value = region.find(key);
  if (!value || value->kind() != JsonKind::number) return;
  const double number = double_from_token(value->text());
  if (!(number > std::numeric_limits<std::int32_t>::max())) return;
  context.reporter.at_member(Check::place_too_large, region, key, [&] {
    return std::string(key_name(key)) + " is " + std::string(value->text()) + ".";
  });
}

}  // namespace

void check_artifact_location(Context& context, const Value& location) {
  const auto uri = location.text_of(Key::uri);
  const auto base = location.text_of(Key::uri_base_id);
  // A text that is no URI at all was reported as such, and its parts mean nothing.
  if (uri && is_uri_reference(*uri)) check_path(context, location, *uri, base.has_value());
  check_index(context, location, uri.value_or(std::string_view()));
  if (base && is_in_run(location) && context.reporter.is_on(Check::base_undeclared)) {
    context.claim({.kind = ClaimKind::base, .text = *base}, location);
  }
}

void check_region(Context& context, const Value& region) {
  Reporter& reporter = context.reporter;
  const auto misplaced = [&](Key key, Key start) {
    if (!region.has(key) || region.has(start)) return;
    reporter.at_member(Check::region_without_start, region, key, [&] {
      return "The region has " + std::string(key_name(key)) + " without " +
             std::string(key_name(start)) + ".";
    });
  };
  misplaced(Key::start_column, Key::start_line);
  misplaced(Key::end_line, Key::start_line);
  misplaced(Key::end_column, Key::start_line);
  misplaced(Key::char_length, Key::char_offset);
  misplaced(Key::byte_length, Key::byte_offset);
  for (const Key key : {Key::start_line, Key::start_column, Key::end_line, Key::end_column}) {
    check_size(context, region, key);
  }
  if (region.has(Key::start_column)) context.run.has_columns = true;
  const auto text = text_region(region);
  if (!text) return;
  if (text->end_line < text->start_line) {
    reporter.at_member(Check::region_reversed, region, Key::end_line, [&] {
      return "The region starts in line " + std::to_string(text->start_line) +
             " and ends in line " + std::to_string(text->end_line) + ".";
    });
  } else if (text->end_line == text->start_line && text->end_column < text->start_column) {
    reporter.at_member(Check::region_reversed, region, Key::end_column, [&] {
      return "The region starts in column " + std::to_string(text->start_column) +
             " and ends in column " + std::to_string(text->end_column) + " of the same line.";
    });
  }
}

void check_physical_location(Context& context, const Value& location) {
  const auto outer = location.find(Key::context_region);
  if (!outer) return;
  const auto inner = location.find(Key::region);
  if (!inner) {
    context.reporter.at(Check::context_without_region, *outer,
                        [] { return "There is a contextRegion, but no region."; });
    return;
  }
  const auto around = text_region(*outer);
  const auto inside = text_region(*inner);
  if (!around || !inside) return;
  const bool encloses = around->start() <= inside->start() && inside->end() <= around->end();
  const bool is_equal = around->start() == inside->start() && inside->end() == around->end();
  if (encloses && !is_equal) return;
  context.reporter.at(Check::context_not_superset, *outer, [&] {
    return is_equal ? "The contextRegion is equal to the region."
                    : "The contextRegion does not enclose the region.";
  });
}

}  // namespace ethos::sarif::validation
