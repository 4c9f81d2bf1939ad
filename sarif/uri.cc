// SPDX-License-Identifier: Apache-2.0
#include "sarif/uri.h"

#include <algorithm>
#include <vector>

namespace ethos::sarif {
namespace {

bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_unreserved(char c) {
  return is_alpha(c) || is_digit(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

bool is_sub_delimiter(char c) {
  return std::string_view("!$&'()*+,;=").find(c) != std::string_view::npos;
}

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_escape(std::string_view text, std::size_t at) {
  return at + 2 < text.size() && hex_value(text[at + 1]) >= 0 && hex_value(text[at + 2]) >= 0;
}

void append_percent(std::string& out, char c) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  const auto byte = static_cast<unsigned char>(c);
  out.push_back('%');
  out.push_back(kHex[byte >> 4U]);
  out.push_back(kHex[byte & 0xFU]);
}

}  // namespace

std::string encode_uri_path(std::string_view path) {
  std::string out;
  out.reserve(path.size());
  const std::size_t first_slash = std::min(path.find('/'), path.size());
  for (std::size_t i = 0; i < path.size(); ++i) {
    const char c = path[i];
    const bool is_plain = is_unreserved(c) || is_sub_delimiter(c) || c == '@' || c == '/' ||
                          (c == ':' && i > first_slash);
    if (is_plain) {
      out.push_back(c);
    } else {
      append_percent(out, c);
    }
  }
  return out;
}

std::optional<std::string> decode_uri_path(std::string_view path) {
  std::string out;
  out.reserve(path.size());
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i] != '%') {
      out.push_back(path[i]);
      continue;
    }
    if (!is_escape(path, i)) return std::nullopt;
    const int value = hex_value(path[i + 1]) * 16 + hex_value(path[i + 2]);
    if (value == 0) return std::nullopt;
    out.push_back(static_cast<char>(value));
    i += 2;
  }
  return out;
}

bool has_uri_scheme(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0 || !is_alpha(text[0])) return false;
  return std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(colon), [](char c) {
    return is_alpha(c) || is_digit(c) || c == '+' || c == '-' || c == '.';
  });
}

bool is_uri_reference(std::string_view text) {
  if (!has_uri_scheme(text)) {
    // RFC 3986 section 4.2: the first segment of a relative path holds no colon.
    const std::size_t end = std::min(text.find_first_of("/?#"), text.size());
    if (text.substr(0, end).find(':') != std::string_view::npos) return false;
  }
  bool in_fragment = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '%') {
      if (!is_escape(text, i)) return false;
      i += 2;
    } else if (c == '#') {
      if (in_fragment) return false;
      in_fragment = true;
    } else if (!is_unreserved(c) && !is_sub_delimiter(c) &&
               std::string_view(":/?@[]").find(c) == std::string_view::npos) {
      return false;
    }
  }
  return true;
}

std::optional<std::string> normalize_path(std::string_view path) {
  const bool is_absolute = !path.empty() && path.front() == '/';
  std::vector<std::string_view> parts;
  std::size_t at = 0;
  while (at < path.size()) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string_view part = path.substr(at, end - at);
    at = end + 1;
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      parts.push_back(part);
    } else if (!parts.empty()) {
      parts.pop_back();
    } else if (!is_absolute) {
      return std::nullopt;
    }
  }
  std::string out = is_absolute ? "/" : "";
  for (const std::string_view part : parts) {
    if (!out.empty() && out.back() != '/') out.push_back('/');
    out.append(part);
  }
  if (out.empty()) out = ".";
  return out;
}

}  // namespace ethos::sarif
