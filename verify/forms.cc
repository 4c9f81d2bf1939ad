// SPDX-License-Identifier: Apache-2.0
#include "verify/forms.h"

#include <optional>

#include "verify/digest.h"
#include "verify/encoding.h"

namespace ethos::verify {
namespace {

constexpr std::int64_t kMaxCommitted = 67108864;  // C-3

// Components joined by one `/`, none empty, `.` or `..`, no NUL; the base itself is `.`.
bool is_plain(std::string_view path) {
  if (path == ".") return true;
  std::size_t size = 0;  // of the component so far
  bool dots = true;      // it holds nothing else
  for (const char c : path) {
    if (c == '\0') return false;
    if (c != '/') {
      dots = dots && c == '.';
      ++size;
      continue;
    }
    if (dots && size <= 2) return false;  // an empty one is all dots too
    size = 0;
    dots = true;
  }
  return !dots || size > 2;
}

bool needs_base64(std::string_view path) {
  // Nearly every path is printable ASCII, and says so in one look.
  const char* const end = path.data() + path.size();
  const char* const stop = skip_plain(path.data(), end);
  if (stop == end) return path.find('\x7f') != std::string_view::npos;
  return !is_utf8(path) || std::any_of(path.begin(), path.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  });
}

// The first component says whether an absolute path is `system`.
bool is_system(std::string_view path) {
  if (path == ".") return true;
  const std::string_view first = path.substr(0, path.find('/'));
  if (first.starts_with("lib")) return true;
  for (const std::string_view name : {"usr", "bin", "sbin", "etc", "opt", "dev", "proc", "sys", "run"}) {
    if (first == name) return true;
  }
  return false;
}

// Is the plain path `bytes` one that may stand under this key and base?
bool path_bytes(std::string_view bytes, std::string_view base, bool as_base64) {
  if (needs_base64(bytes) != as_base64 || !is_plain(bytes)) return false;
  if (base == "system") return is_system(bytes);
  return base == "workspace" || base == "scratch" || (base == "host" && !is_system(bytes));
}

// The three members a path can have.
struct PathParts {
  View base;
  View path;
  View path_b64;
  View commit;
  std::size_t members = 0;
};

PathParts parts_of(const View& v) {
  PathParts out;
  v.each_member([&](std::string_view key, const View& value) {
    ++out.members;
    if (key == "base") out.base = value;
    if (key == "path") out.path = value;
    if (key == "path_b64") out.path_b64 = value;
    if (key == "commit") out.commit = value;
    return true;
  });
  return out;
}

bool is_plain_path(const PathParts& parts) {
  if (parts.members != 2 || !parts.base.is_string()) return false;
  if (parts.path.is_string()) {
    return parts.path.with_text([&](std::string_view text) { return path_bytes(text, parts.base.raw(), false); });
  }
  const auto bytes = decode_base64(parts.path_b64.raw());
  return parts.path_b64.is_string() && bytes && path_bytes(*bytes, parts.base.raw(), true);
}

}  // namespace

bool is_kind(std::string_view kind) {
  if (kind.empty() || kind.size() > 32 || kind[0] < 'a' || kind[0] > 'z') return false;
  return std::all_of(kind.begin(), kind.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
  });
}

bool boolean(const View& v) { return v.is_boolean(); }
bool integer(const View& v) { return v.is_integer(); }
bool count(const View& v) { return v.is_integer() && v.number() >= 0; }
// Decimals and hashes hold nothing that is escaped, so the raw text is the text.
bool big(const View& v) { return v.is_string() && parse_decimal(v.raw()).has_value(); }
bool digest(const View& v) { return v.is_string() && Digest::from_text(v.raw()).has_value(); }
bool hash(const View& v) { return v.is_string() && Digest::from_base64(v.raw()).has_value(); }

bool any_commitment(const View& v) {
  // Exactly c, kind, n; most objects differ in the first key already.
  if (!v.is_object() || !v.source().starts_with("{\"c\":\"")) return false;
  View parts[3];
  constexpr std::string_view keys[] = {"c", "kind", "n"};
  std::size_t at = 0;
  const bool shaped = v.each_member([&](std::string_view key, const View& value) {
    if (at == 3 || key != keys[at]) return false;
    parts[at++] = value;
    return true;
  });
  return shaped && at == 3 && hash(parts[0]) && parts[1].is_string() && is_kind(parts[1].raw()) &&
         parts[2].is_integer() && parts[2].number() >= 0 && parts[2].number() <= kMaxCommitted;
}

bool plain_path(const View& v) { return v.is_object() && is_plain_path(parts_of(v)); }

bool path_bytes(std::string_view bytes, std::string_view base) {
  return path_bytes(bytes, base, false);
}

bool path(const View& v) {
  if (!v.is_object()) return false;
  const PathParts parts = parts_of(v);
  if (!parts.commit.exists()) return is_plain_path(parts);
  return parts.members == 2 && parts.base.raw() == "host" && commitment<"path">(parts.commit) &&
         parts.commit.at("n").number() <= kMaxCommittedPath;
}

bool mark(const View& v) { return one_of<"K", "S", "A", "P">(v); }

FieldFault check_fields(const View& v, std::span<const Field> fields) {
  FieldFault fault;
  std::size_t next = 0;
  // Moves past fields before `key`; a required one among them is missing.
  const auto pass = [&](std::string_view key, bool to_end) {
    for (; next < fields.size() && (to_end || fields[next].key < key); ++next) {
      if (fields[next].required) {
        fault = {true, false, std::string(fields[next].key)};
        return false;
      }
    }
    return true;
  };
  const bool walked = v.each_member([&](std::string_view key, const View& value) {
    if (!pass(key, false)) return false;
    if (next == fields.size() || fields[next].key != key) {
      fault = {true, false, std::string(key)};
      return false;
    }
    if (!fields[next].form(value)) {
      fault = {false, true, std::string(key)};
      return false;
    }
    ++next;
    return true;
  });
  if (walked) pass({}, true);
  if (!v.is_object()) fault = {false, true, ""};
  return fault;
}

}  // namespace ethos::verify
