// SPDX-License-Identifier: Apache-2.0
#include "sarif/validate/checks.h"
#include "sarif/validate/formats.h"
#include "sarif/validate/uri_parts.h"

namespace ethos::sarif::validation {

// One entry of originalUriBaseIds: section 3.14.14.
void check_base(Context& context, const Value& location) {
  Reporter& reporter = context.reporter;
  const auto uri = location.text_of(Key::uri);
  if (!uri || !is_uri_reference(*uri)) return;
  const UriParts parts = split_uri(*uri);
  if (has_bare_colon(*uri)) {
    reporter.at_member(Check::colon_in_name, location, Key::uri, [&] {
      return "The base " + quoted(location.name()) + " is " + quoted(*uri) +
             ": what is in front of the colon is no scheme.";
    });
  }
  if (!parts.is_absolute() && !location.has(Key::uri_base_id)) {
    reporter.at_member(Check::base_not_absolute, location, Key::uri, [&] {
      return "The base " + quoted(location.name()) + " is " + quoted(*uri) +
             ", which is relative to nothing.";
    });
  }
  if (parts.is_absolute() && location.has(Key::uri_base_id)) {
    reporter.at_member(Check::absolute_under_base, location, Key::uri, [&] {
      return "The base " + quoted(location.name()) + " is absolute and has a uriBaseId.";
    });
  }
  const bool ends_in_slash = !parts.path.empty() && parts.path.back() == '/';
  if (ends_in_slash && !parts.has_dots() && !parts.has_query && !parts.has_fragment) return;
  reporter.at_member(Check::base_malformed, location, Key::uri, [&] {
    std::string what = ", which does not end in \"/\".";
    if (parts.has_dots()) what = ", which holds \"..\".";
    if (parts.has_query || parts.has_fragment) what = ", which has a query or a fragment.";
    return "The base " + quoted(location.name()) + " is " + quoted(*uri) + what;
  });
}

// Also notes the names for the claims that locations make, so it comes before those are looked at.
void check_bases(Context& context, const Value& run) {
  const auto bases = run.find(Key::original_uri_base_ids);
  if (!bases || !bases->is_object()) return;
  auto& names = context.run.bases;
  std::int32_t count = 0;
  for (const Value base : *bases) names[context.hasher.text(base.name())] = count++;
  std::vector<std::int32_t> parents;
  for (const Value base : *bases) {
    const auto parent = base.text_of(Key::uri_base_id);
    const auto found = parent ? names.find(context.hasher.text(*parent)) : names.end();
    parents.push_back(found == names.end() ? -1 : found->second);
  }
  std::vector<std::int32_t> mark(parents.size());
  std::int32_t index = 0;
  for (const Value base : *bases) {
    if (!leads_in_circle(parents, mark, index++)) continue;
    context.reporter.at(Check::base_cycle, base, [&] {
      return "The base " + quoted(base.name()) + " is relative to itself.";
    });
  }
}

}  // namespace ethos::sarif::validation
