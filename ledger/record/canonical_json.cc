// SPDX-License-Identifier: Apache-2.0
#include "ledger/record/canonical_json.h"

#include <algorithm>
#include <cassert>
#include <vector>

#include "ledger/record/canonical_scan.h"
#include "ledger/record/utf8.h"

namespace ethos::record {
namespace {

using base::Errc;
using base::fail;
using base::Result;

struct NullSink {
  void begin_object() {}
  void key(std::string_view) {}
  void end_object() {}
  void begin_array() {}
  void end_array() {}
  void boolean(bool) {}
  void integer(std::int64_t) {}
  void string(std::string_view, bool) {}
};

constexpr std::string_view kShortNames = "btnfr";
constexpr std::string_view kShortMeanings = "\b\t\n\f\r";

// Undoes the escapes that the scan has already found to be of the allowed forms.
std::string unescape(std::string_view raw) {
  std::string out;
  out.reserve(raw.size());
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '\\') {
      out += raw[i];
      continue;
    }
    ++i;
    if (raw[i] == 'u') {
      const char low = raw[i + 4];
      const int low_value = low <= '9' ? low - '0' : low - 'a' + 10;
      out += static_cast<char>((raw[i + 3] - '0') * 16 + low_value);
      i += 4;
      continue;
    }
    const std::size_t which = kShortNames.find(raw[i]);
    out += which == std::string_view::npos ? raw[i] : kShortMeanings[which];
  }
  return out;
}

// Builds the value; the scan guarantees that the calls nest.
class TreeSink {
 public:
  void begin_object() { open(Json::object()); }
  void key(std::string_view name) { keys_.back() = name; }
  void end_object() { close(); }
  void begin_array() { open(Json::array()); }
  void end_array() { close(); }
  void boolean(bool value) { add(Json(value)); }
  void integer(std::int64_t value) { add(Json(value)); }
  void string(std::string_view raw, bool has_escapes) {
    add(has_escapes ? Json(unescape(raw)) : Json(raw));
  }
  Json take() { return std::move(root_); }

 private:
  void open(Json container) {
    open_.push_back(std::move(container));
    keys_.emplace_back();
  }
  void close() {
    Json done = std::move(open_.back());
    open_.pop_back();
    keys_.pop_back();
    if (open_.empty()) {
      root_ = std::move(done);
    } else {
      add(std::move(done));
    }
  }
  void add(Json value) {
    Json& parent = open_.back();
    if (parent.is(Json::Kind::object)) {
      // Not set(): the scan has proved the key new, and set() would search for it.
      parent.members().push_back({std::string(keys_.back()), std::move(value)});
    } else {
      parent.items().push_back(std::move(value));
    }
  }
  std::vector<Json> open_;
  std::vector<std::string_view> keys_;
  Json root_;
};

class Encoder {
 public:
  explicit Encoder(const CanonicalLimits& limits) : limits_(limits) {}

  Result<void> value(const Json& json, const std::string& path, std::size_t depth) {
    switch (json.kind()) {
      case Json::Kind::boolean:
        out_ += json.as_bool() ? "true" : "false";
        return {};
      case Json::Kind::integer:
        return integer(json.as_integer(), path);
      case Json::Kind::string:
        if (!is_record_text(json.as_string())) {
          return fail(Errc::malformed, path + ": not UTF-8, or with U+0000");
        }
        append_json_string(out_, json.as_string());
        return {};
      case Json::Kind::array:
        return array(json, path, depth);
      case Json::Kind::object:
        return object(json, path, depth);
      default:
        return fail(Errc::malformed, path + ": null and fractions have no canonical form");
    }
  }

  std::string take() { return std::move(out_); }
  [[nodiscard]] std::size_t size() const { return out_.size(); }

 private:
  Result<void> integer(std::int64_t number, const std::string& path) {
    if (number > kMaxInteger || number < -kMaxInteger) {
      return fail(Errc::malformed, path + ": integer beyond 2^53-1");
    }
    out_ += std::to_string(number);
    return {};
  }

  [[nodiscard]] Result<void> check_size(std::size_t count, std::size_t depth,
                                        const std::string& path) const {
    if (depth > limits_.depth) return fail(Errc::too_large, path + ": too deep");
    if (count > limits_.members) return fail(Errc::too_large, path + ": too many members");
    if (out_.size() > limits_.bytes) return fail(Errc::too_large, path + ": too many bytes");
    return {};
  }

  Result<void> array(const Json& json, const std::string& path, std::size_t depth) {
    if (auto ok = check_size(json.items().size(), depth, path); !ok) return ok;
    out_ += '[';
    for (std::size_t i = 0; i < json.items().size(); ++i) {
      if (i > 0) out_ += ',';
      auto ok = value(json.items()[i], path + "[" + std::to_string(i) + "]", depth + 1);
      if (!ok) return ok;
    }
    out_ += ']';
    return {};
  }

  Result<void> object(const Json& json, const std::string& path, std::size_t depth) {
    if (auto ok = check_size(json.members().size(), depth, path); !ok) return ok;
    std::vector<const JsonMember*> sorted;
    for (const JsonMember& member : json.members()) sorted.push_back(&member);
    std::sort(sorted.begin(), sorted.end(),
              [](const JsonMember* a, const JsonMember* b) { return a->key < b->key; });
    out_ += '{';
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      const std::string& key = sorted[i]->key;
      const std::string member_path = std::string(path).append(".").append(key);
      if (!is_canonical_key(key)) return fail(Errc::malformed, path + ": key outside the profile");
      if (i > 0 && sorted[i - 1]->key == key) {
        return fail(Errc::malformed, member_path + ": key twice");
      }
      if (i > 0) out_ += ',';
      out_.append("\"").append(key).append("\":");
      if (auto ok = value(sorted[i]->value, member_path, depth + 1); !ok) return ok;
    }
    out_ += '}';
    return {};
  }

  const CanonicalLimits& limits_;
  std::string out_;
};

}  // namespace

bool is_canonical_key(std::string_view key) {
  if (key.empty() || key.size() > 32 || key[0] < 'a' || key[0] > 'z') return false;
  return std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

void append_json_string(std::string& out, std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  out += '"';
  for (const char c : text) {
    const auto v = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (v >= 0x20) {
      out += c;
    } else if (const auto which = kShortMeanings.find(c); which != std::string_view::npos) {
      out += '\\';
      out += kShortNames[which];
    } else {
      out += "\\u00";
      out += kDigits[v >> 4U];
      out += kDigits[v & 15U];
    }
  }
  out += '"';
}

Result<void> check_canonical(std::string_view bytes, const CanonicalLimits& limits) {
  NullSink sink;
  return detail::CanonicalScan<NullSink>(bytes, limits, sink).run();
}

Result<Json> parse_canonical(std::string_view bytes, const CanonicalLimits& limits) {
  TreeSink sink;
  auto scanned = detail::CanonicalScan<TreeSink>(bytes, limits, sink).run();
  if (!scanned) return base::Unexpected(std::move(scanned).error());
  return sink.take();
}

Result<std::string> encode_canonical(const Json& value, const CanonicalLimits& limits) {
  Encoder encoder(limits);
  if (auto ok = encoder.value(value, "value", 1); !ok) {
    return base::Unexpected(std::move(ok).error());
  }
  if (encoder.size() > limits.bytes) {
    return fail(Errc::too_large, "more than " + std::to_string(limits.bytes) + " bytes");
  }
  return encoder.take();
}

}  // namespace ethos::record
