// SPDX-License-Identifier: Apache-2.0
#include "sarif/validate/uri_parts.h"

#include <algorithm>
#include <string>

namespace ethos::sarif::validation {
namespace {

bool is_dot_dot(std::string_view segment) {
  std::string plain;
  for (std::size_t i = 0; i < segment.size(); ++i) {
    if (segment[i] == '%' && i + 2 < segment.size() && segment[i + 1] == '2' &&
        (segment[i + 2] == 'e' || segment[i + 2] == 'E')) {
      plain += '.';
      i += 2;
    } else {
      plain += segment[i];
    }
    if (plain.size() > 2) return false;
  }
  return plain == "..";
}

bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool is_scheme(std::string_view text) {
  return !text.empty() && is_alpha(text[0]) && std::all_of(text.begin(), text.end(), [](char c) {
    return is_alpha(c) || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
  });
}

}  // namespace

bool UriParts::is_file() const {
  constexpr std::string_view kFile = "file";
  if (scheme.size() != kFile.size()) return false;
  for (std::size_t i = 0; i < kFile.size(); ++i) {
    if ((scheme[i] | 0x20) != kFile[i]) return false;
  }
  return true;
}

bool UriParts::has_dots() const {
  if (path.find('.') == std::string_view::npos && path.find('%') == std::string_view::npos) {
    return false;
  }
  std::string_view rest = path;
  while (true) {
    const std::size_t slash = rest.find('/');
    if (is_dot_dot(rest.substr(0, slash))) return true;
    if (slash == std::string_view::npos) return false;
    rest.remove_prefix(slash + 1);
  }
}

UriParts split_uri(std::string_view uri) {
  UriParts parts;
  if (const std::size_t hash = uri.find('#'); hash != std::string_view::npos) {
    parts.has_fragment = true;
    uri = uri.substr(0, hash);
  }
  if (const std::size_t question = uri.find('?'); question != std::string_view::npos) {
    parts.has_query = true;
    uri = uri.substr(0, question);
  }
  const std::size_t end = uri.find_first_of(":/");
  if (end != std::string_view::npos && uri[end] == ':' && is_scheme(uri.substr(0, end))) {
    parts.scheme = uri.substr(0, end);
    uri.remove_prefix(end + 1);
  }
  if (uri.substr(0, 2) == "//") {
    parts.has_authority = true;
    uri.remove_prefix(2);
    const std::size_t slash = uri.find('/');
    parts.authority = uri.substr(0, slash);
    uri = slash == std::string_view::npos ? std::string_view() : uri.substr(slash);
  }
  parts.path = uri;
  return parts;
}

bool has_bare_colon(std::string_view uri) {
  const std::size_t end = uri.find_first_of(":/?#");
  return end != std::string_view::npos && uri[end] == ':' && !is_scheme(uri.substr(0, end));
}

}  // namespace ethos::sarif::validation
