// SPDX-License-Identifier: Apache-2.0
#include "verify/asserted_path.h"

#include <algorithm>
#include <array>

#include "verify/encoding.h"
#include "verify/policy_path.h"

namespace ethos::verify {
namespace {

struct Base {
  std::string_view shown;
  std::string_view place;  // what it stands for; "" is the workspace
};

constexpr std::array<Base, 4> kBases{
    {{"workspace:", ""}, {"system:", "/"}, {"host:", "/"}, {"scratch:", "/tmp/"}}};

const Base* base_of(std::string_view text) {
  const auto at = std::find_if(kBases.begin(), kBases.end(),
                               [&](const Base& base) { return text.starts_with(base.shown); });
  return at == kBases.end() ? nullptr : &*at;
}

std::string quoted(std::string_view text) { return "`" + printable(text, 100) + "`"; }

bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Why it is no name of a place, as far as its letters tell; "" when they do not.
std::string fault_of(std::string_view text) {
  if (text.front() == ' ' || text.back() == ' ') return "it begins or ends with a blank";
  if (text.front() == '~' || text.front() == '$')
    return "what a shell would put in its place is not known here";
  const bool is_quoted = text.front() == '"' || text.front() == '\'' || text.front() == '`';
  if (is_quoted) return "it begins with a quotation mark; one pair of them is enough";
  if (holds(text, "*")) return "there are no wildcards: a directory holds all that lies below it";
  if (holds(text, ", ")) return "several paths are several values, as in `(build, src)`";
  if (holds(text, "(withheld)")) return "it is shown so where the path is not disclosed";
  if (holds(text, "\\x"))
    return "it is shown so where a name holds bytes that are no text; name a directory above it";
  const std::string_view first = text.substr(0, text.find('/'));
  if (holds(first, ":"))
    return "of what is written before a colon only workspace:, system:, host: and scratch: are "
           "known";
  return "";
}

}  // namespace

bool is_shown_path(std::string_view text) { return base_of(text) != nullptr; }

Result<std::string> asserted_path(std::string_view text) {
  if (text.empty() || text.starts_with("./") || text.starts_with("/./")) return normal_path(text);
  const Base* const base = base_of(text);
  const std::string_view plain = base == nullptr ? text : text.substr(base->shown.size());
  if (plain.empty() || (base != nullptr && plain.front() == '/'))
    return malformed("after " + quoted(base->shown) + " follows a path without `/` before it (`" +
                     std::string(base->shown) + ".` is all of it)");
  if (const std::string fault = fault_of(plain); !fault.empty())
    return malformed(fault + " (a name that is really so is written with `" +
                     (plain.front() == '/' ? "/.`" : "./`") + " before it)");
  auto normal = normal_path(plain);
  if (!normal || base == nullptr || base->place.empty()) return normal;
  return normal_path(std::string(base->place) + *normal);
}

}  // namespace ethos::verify
