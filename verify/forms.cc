// SPDX-License-Identifier: Apache-2.0
#include "verify/forms.h"

#include "verify/digest.h"
#include "verify/encoding.h"

namespace ethos::verify {
namespace {

constexpr std::int64_t kMaxCommitted = 67108864;  // C-3

bool is_kind(std::string_view kind) {
  if (kind.empty() || kind.size() > 32 || kind[0] < 'a' || kind[0] > 'z') return false;
  return std::all_of(kind.begin(), kind.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
  });
}

// Components joined by one `/`, none empty, `.` or `..`; the base itself is `.`.
bool is_plain(std::string_view path) {
  if (path == ".") return true;
  if (path.empty()) return false;
  while (true) {
    const auto slash = path.find('/');
    const std::string_view component = path.substr(0, slash);
    if (component.empty() || component == "." || component == "..") return false;
    if (slash == std::string_view::npos) return true;
    path.remove_prefix(slash + 1);
  }
}

bool needs_base64(std::string_view path) {
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

bool path_text(const Value& v, std::string& out) {
  if (const Value* plain = v.find("path")) {
    out = plain->text();
    return plain->is_string() && !needs_base64(out);
  }
  const auto bytes = decode_base64(v.text_at("path_b64"));
  if (!bytes || bytes->find('\0') != std::string::npos) return false;
  out = *bytes;
  return needs_base64(out);
}

}  // namespace

bool boolean(const Value& v) { return v.is_boolean(); }
bool integer(const Value& v) { return v.is_integer(); }
bool count(const Value& v) { return v.is_integer() && v.number() >= 0; }
bool big(const Value& v) { return v.is_string() && parse_decimal(v.text()).has_value(); }
bool digest(const Value& v) { return v.is_string() && Digest::from_text(v.text()).has_value(); }
bool hash(const Value& v) { return v.is_string() && Digest::from_base64(v.text()).has_value(); }

bool any_commitment(const Value& v) {
  if (!v.is_object() || v.size() != 3) return false;
  const Value& n = v.at("n");
  return hash(v.at("c")) && v.at("kind").is_string() && is_kind(v.text_at("kind")) &&
         n.is_integer() && n.number() >= 0 && n.number() <= kMaxCommitted;
}

bool plain_path(const Value& v) {
  if (!v.is_object() || v.size() != 2 || v.has("commit")) return false;
  std::string text;
  if (!path_text(v, text) || !is_plain(text)) return false;
  const std::string& base = v.text_at("base");
  if (base == "system") return is_system(text);
  return base == "workspace" || base == "scratch" || (base == "host" && !is_system(text));
}

bool path(const Value& v) {
  if (v.is_object() && v.size() == 2 && v.has("commit")) {
    return v.text_at("base") == "host" && commitment<"path">(v.at("commit"));
  }
  return plain_path(v);
}

bool mark(const Value& v) { return one_of<"K", "S", "A", "P">(v); }

FieldFault check_fields(const Value& v, std::span<const Field> fields) {
  std::size_t known = 0;
  for (const Field& field : fields) {
    const Value* value = v.find(field.key);
    if (value == nullptr) {
      if (field.required) return {true, false, std::string(field.key)};
      continue;
    }
    ++known;
    if (!field.form(*value)) return {false, true, std::string(field.key)};
  }
  if (known == v.size()) return {};
  for (const std::string& key : v.keys()) {
    const bool listed = std::any_of(fields.begin(), fields.end(),
                                    [&](const Field& f) { return f.key == key; });
    if (!listed) return {true, false, key};
  }
  return {};
}

}  // namespace ethos::verify
