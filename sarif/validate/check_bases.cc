// SPDX-License-Identifier: Apache-2.0
#include "sarif/validate/checks.h"
#include "sarif/validate/formats.h"
#include "sarif/validate/uri_parts.h"

namespace ethos::sarif::validation {
namespace {

std::optional<Value> base_named(const Value& bases, std::string_view name) {
  std::optional<Value> found;
  for (const Value base : bases) {
    if (base.name() == name) found = base;
  }
  return found;
}

}  // namespace

// One entry of originalUriBaseIds: section 3.14.14.
void check_base(Context& context, const Value& location) {
  Reporter& reporter = context.reporter;
  const auto uri = location.text_of(Key::uri);
  if (!uri || !is_uri_reference(*uri)) return;
  const UriParts parts = split_uri(*uri);
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

void check_bases(Context& context, const Value& run) {
  const auto bases = run.find(Key::original_uri_base_ids);
  if (!bases || !bases->is_object()) return;
  // Real files have a handful; a longer list is followed no further than that.
  constexpr int kMostSteps = 64;
  int looked_at = 0;
  for (const Value base : *bases) {
    if (++looked_at > kMostSteps) return;
    std::string_view name = base.name();
    for (int steps = 0;; ++steps) {
      const auto next = base_named(*bases, name);
      const auto parent = next ? next->text_of(Key::uri_base_id) : std::nullopt;
      if (!parent) break;
      name = *parent;
      if (name != base.name() && steps < kMostSteps) continue;
      if (name == base.name()) {
        context.reporter.at(Check::base_cycle, base, [&] {
          return "The base " + quoted(base.name()) + " is relative to itself.";
        });
      }
      break;
    }
  }
}

}  // namespace ethos::sarif::validation
