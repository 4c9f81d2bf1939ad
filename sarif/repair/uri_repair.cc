// SPDX-License-Identifier: Apache-2.0
#include "sarif/repair/uri_repair.h"

#include <algorithm>

#include "sarif/uri.h"
#include "sarif/validate/formats.h"
#include "sarif/validate/uri_parts.h"

namespace ethos::sarif {
namespace {

bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_hex(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool is_slash(char c) { return c == '/' || c == '\\'; }

bool has_drive(std::string_view text) {
  return text.size() >= 3 && is_alpha(text[0]) && text[1] == ':' && is_slash(text[2]);
}

std::string with_slashes(std::string_view text) {
  std::string out(text);
  std::replace(out.begin(), out.end(), '\\', '/');
  return out;
}

// A path of Windows, which knows no escapes: every "%" in it is a percent sign, unless the author
// wrote slashes, and so perhaps a URI already.
std::string encoded_windows_path(std::string_view path) {
  const bool is_plain = path.find('\\') != std::string_view::npos;
  if (is_plain || !validation::is_uri_reference(path)) return encode_uri_path(with_slashes(path));
  return std::string(path);
}

// The characters that no URI holds, encoded; escapes that are there stay.
std::string encode_invalid(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  constexpr std::string_view kValid =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+,;=:@/?";
  std::string out;
  bool in_fragment = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool is_escape =
        c == '%' && i + 2 < text.size() && is_hex(text[i + 1]) && is_hex(text[i + 2]);
    const bool starts_fragment = c == '#' && !in_fragment;
    in_fragment = in_fragment || starts_fragment;
    if (is_escape || starts_fragment || kValid.find(c) != std::string_view::npos) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += '%';
      out += kHex[byte >> 4U];
      out += kHex[byte & 0xFU];
    }
  }
  return out;
}

// "C:\a", "file://C:/a", "file:C:\a", "\\server\share\a", "a\b".
std::optional<std::string> mend_windows(std::string_view text) {
  std::string_view path = text;
  const bool is_file = validation::split_uri(text).is_file();
  if (is_file) {
    path.remove_prefix(5);
    while (!path.empty() && is_slash(path[0])) path.remove_prefix(1);
    const std::size_t slashes = text.size() - 5 - path.size();
    if (!has_drive(path)) {
      if (text.find('\\') == std::string_view::npos) return std::nullopt;
      return "file:" + encode_uri_path(with_slashes(text.substr(5)));
    }
    if (slashes == 3 && path.find('\\') == std::string_view::npos) return std::nullopt;
  }
  if (has_drive(path)) {
    std::string mended = "file:///";
    mended += path.substr(0, 2);
    return mended + encoded_windows_path(path.substr(2));
  }
  if (text.substr(0, 2) == "\\\\") return "file:" + encode_uri_path(with_slashes(text));
  const bool is_path = !has_uri_scheme(text) && text.find('\\') != std::string_view::npos;
  if (is_path) return encode_uri_path(with_slashes(text));
  return std::nullopt;
}

bool is_host(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return is_alpha(c) || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_' || c == ':' ||
           c == '[' || c == ']';
  });
}

// A colon in a first segment that is no scheme's end. `text` has one.
std::string encode_bare_colons(std::string_view text) {
  const std::size_t end = std::min(text.find('/'), text.size());
  std::string first;
  for (const char c : text.substr(0, end)) {
    if (c == ':') {
      first += "%3A";
    } else {
      first += c;
    }
  }
  return encode_invalid(first + std::string(text.substr(end)));
}

bool is_file_at(const Sources& sources, const std::string& path) {
  return sources.files != nullptr && !path.empty() && sources.files->has(path);
}

// "a#b.c" and "50%25.c" are references to other names than they look like. The file that is there
// tells which was meant.
std::optional<std::string> mend_by_file(std::string_view text, const Sources& sources) {
  if (sources.paths == nullptr || text.find_first_of("#?%") == std::string_view::npos) {
    return std::nullopt;
  }
  const validation::UriParts parts = validation::split_uri(text);
  if (parts.is_absolute() || parts.has_authority) return std::nullopt;
  const Place literal = sources.paths->map(text);
  if (!is_file_at(sources, literal.relative)) return std::nullopt;
  const auto decoded = decode_uri_path(parts.path);
  if (decoded && is_file_at(sources, sources.paths->map(*decoded).relative)) return std::nullopt;
  return encode_uri_path(text);
}

// The rest of `path` below `directory`; both begin with "/". The letter of a drive may differ in
// case.
std::optional<std::string> rest_below(const std::string& directory, const std::string& path) {
  const auto lower_drive = [](std::string text) {
    if (text.size() > 2 && is_alpha(text[1]) && text[2] == ':') text[1] |= 0x20;
    return text;
  };
  const std::string start = lower_drive(directory) + "/";
  const std::string whole = lower_drive(path);
  if (directory.empty() || whole.size() <= start.size() || !whole.starts_with(start)) {
    return std::nullopt;
  }
  return whole.substr(start.size());
}

// Absolute paths below the root, and "/src/a.c" when that is what the root holds.
std::optional<std::string> make_relative(std::string_view text, const Sources& sources) {
  if (!sources.can_relate()) return std::nullopt;
  const validation::UriParts parts = validation::split_uri(text);
  const bool is_local =
      parts.is_file() && (parts.authority.empty() || parts.authority == "localhost");
  const bool is_rooted = !parts.is_absolute() && !parts.has_authority && parts.is_rooted();
  if (!is_local && !is_rooted) return std::nullopt;
  if (parts.has_query || parts.has_fragment) return std::nullopt;
  const auto path = decode_uri_path(parts.path);
  if (!path || path->empty() || path->front() != '/') return std::nullopt;
  for (const std::string& old : sources.old_roots) {
    const auto plain = normalize_path(*path);
    const auto rest = plain ? rest_below(old, *plain) : std::nullopt;
    if (rest) return encode_uri_path(*rest);
  }
  if (sources.paths == nullptr) return std::nullopt;
  const Place place = sources.paths->map(*path);
  if (!place.relative.empty()) return place.uri;
  const std::string below = path->substr(path->find_first_not_of('/') == std::string::npos
                                             ? path->size()
                                             : path->find_first_not_of('/'));
  if (is_rooted && is_file_at(sources, below)) return encode_uri_path(below);
  return std::nullopt;
}

// "file://src/a.c", "file://my file.c": a relative path behind the two slashes of a file URI, so
// that its first part reads as a host. It is one when it cannot be the name of a host, when there
// is nothing behind it, or when that very file is there.
std::optional<std::string> mend_host(std::string_view text, const Sources& sources) {
  const validation::UriParts parts = validation::split_uri(text);
  if (!parts.is_file() || parts.authority.empty() || parts.authority == "localhost") {
    return std::nullopt;
  }
  const std::string_view rest = text.substr(text.find("//") + 2);
  if (has_drive(rest)) return std::nullopt;
  bool is_path = !is_host(parts.authority) || parts.path.empty();
  if (!is_path && sources.paths != nullptr) {
    const auto decoded = decode_uri_path(rest);
    is_path = decoded && is_file_at(sources, sources.paths->map(*decoded).relative);
  }
  if (!is_path) return std::nullopt;
  return validation::has_bare_colon(rest) ? encode_bare_colons(rest) : encode_invalid(rest);
}

}  // namespace

std::string old_root_of(std::string_view directory) {
  if (validation::split_uri(directory).is_file()) {
    const auto decoded = decode_uri_path(validation::split_uri(directory).path);
    return decoded ? old_root_of(*decoded) : std::string();
  }
  std::string path = has_drive(directory) ? "/" + with_slashes(directory) : std::string(directory);
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

std::optional<MendedUri> mend_reference(std::string_view text, const Sources& sources,
                                        bool may_be_relative, std::string_view base) {
  std::optional<MendedUri> mended;
  if (auto relative = may_be_relative ? mend_host(text, sources) : std::nullopt) {
    mended = {std::move(*relative), RepairKind::uri_made_relative,
              "a path where a file URI has its host"};
  } else if (auto uri = mend_windows(text)) {
    mended = {std::move(*uri), RepairKind::uri_from_windows, "a path of Windows"};
  } else if (auto by_file = mend_by_file(text, sources)) {
    mended = {std::move(*by_file), RepairKind::uri_encoded,
              "a file of that very name is below the root"};
  } else if (validation::has_bare_colon(text)) {
    mended = {encode_bare_colons(text), RepairKind::uri_encoded,
              "a colon in front of which there is no scheme"};
  } else if (!validation::is_uri_reference(text)) {
    mended = {encode_invalid(text), RepairKind::uri_encoded, "characters that no URI holds"};
  }
  const std::string_view now = mended ? std::string_view(mended->uri) : text;
  if (!validation::is_uri_reference(now)) return std::nullopt;
  if (may_be_relative) {
    const validation::UriParts parts = validation::split_uri(now);
    const bool is_plain = !parts.path.empty() && !parts.is_absolute() && !parts.is_rooted();
    auto by_base =
        base.empty() || !is_plain ? std::nullopt : make_relative(std::string(base) += now, sources);
    if (by_base && *by_base != now) {
      return MendedUri{std::move(*by_base), RepairKind::uri_made_relative,
                       "what it is relative to lies below the root"};
    }
    if (auto relative = make_relative(now, sources)) {
      return MendedUri{std::move(*relative), RepairKind::uri_made_relative,
                       "an absolute path below the root"};
    }
  }
  if (mended && mended->uri == text) return std::nullopt;
  return mended;
}

std::optional<MendedUri> mend_absolute(std::string_view text) {
  if (validation::is_absolute_uri(text)) return std::nullopt;
  std::string encoded = encode_invalid(text);
  if (!validation::is_absolute_uri(encoded)) return std::nullopt;
  return MendedUri{std::move(encoded), RepairKind::uri_encoded, "characters that no URI holds"};
}

}  // namespace ethos::sarif
