// SPDX-License-Identifier: Apache-2.0
#include "verify/json.h"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "verify/encoding.h"

namespace ethos::verify {

Value Value::of(bool flag) {
  Value v;
  v.kind_ = Kind::boolean;
  v.number_ = flag ? 1 : 0;
  return v;
}

Value Value::of(std::int64_t number) {
  Value v;
  v.kind_ = Kind::integer;
  v.number_ = number;
  return v;
}

Value Value::of(std::string text) {
  Value v;
  v.kind_ = Kind::string;
  v.text_ = std::move(text);
  return v;
}

Value Value::array(std::vector<Value> items) {
  Value v;
  v.kind_ = Kind::array;
  v.items_ = std::move(items);
  return v;
}

const Value* Value::find(std::string_view key) const {
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    if (keys_[i] == key) return &items_[i];
  }
  return nullptr;
}

const Value& Value::at(std::string_view key) const {
  static const Value nothing;
  const Value* found = find(key);
  return found == nullptr ? nothing : *found;
}

Value& Value::set(std::string_view key, Value value) {
  assert(kind_ == Kind::object);
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    if (keys_[i] == key) {
      items_[i] = std::move(value);
      return *this;
    }
  }
  keys_.emplace_back(key);
  items_.push_back(std::move(value));
  return *this;
}

void Value::append(std::string key, Value value) {
  keys_.push_back(std::move(key));
  items_.push_back(std::move(value));
}

void Value::erase(std::string_view key) {
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    if (keys_[i] != key) continue;
    keys_.erase(keys_.begin() + static_cast<std::ptrdiff_t>(i));
    items_.erase(items_.begin() + static_cast<std::ptrdiff_t>(i));
    return;
  }
}

bool operator==(const Value& a, const Value& b) {
  if (a.kind_ != b.kind_ || a.items_.size() != b.items_.size()) return false;
  if (a.kind_ != Value::Kind::object) {
    return a.number_ == b.number_ && a.text_ == b.text_ && a.items_ == b.items_;
  }
  for (std::size_t i = 0; i < a.keys_.size(); ++i) {
    const Value* other = b.find(a.keys_[i]);
    if (other == nullptr || !(*other == a.items_[i])) return false;
  }
  return true;
}

// Builds while scanning. Depth is capped by the limits, so recursion is too.
class TreeBuilder {
 public:
  TreeBuilder(std::string_view text, const JsonLimits& limits)
      : text_size_(text.size()), scan_(text, limits) {}

  Result<Value> build() {
    if (text_size_ > scan_.limits().bytes) {
      return Error{Errc::too_long, "longer than allowed", 0};
    }
    Value value;
    if (!any(value, 0) || !scan_.at_end()) {
      return malformed(scan_.fault(), static_cast<std::ptrdiff_t>(scan_.offset()));
    }
    return value;
  }

 private:
  bool any(Value& out, std::size_t depth) {
    switch (scan_.peek()) {
      case '{': return object(out, depth + 1);
      case '[': return array(out, depth + 1);
      case '"': {
        std::string_view raw;
        bool escaped = false;
        if (!scan_.string(raw, escaped)) return false;
        out = Value::of(escaped ? unescape(raw) : std::string(raw));
        return true;
      }
      case 't': case 'f': {
        out = Value::of(scan_.peek() == 't');
        return scan_.value(depth);
      }
      case 'n': return scan_.value(depth);  // refuses null
      default: {
        std::int64_t number = 0;
        if (!scan_.integer(number)) return false;
        out = Value::of(number);
        return true;
      }
    }
  }

  bool object(Value& out, std::size_t depth) {
    if (depth > scan_.limits().depth) return scan_.fail("nested too deeply");
    out = Value::object();
    if (!scan_.literal('{')) return false;
    if (scan_.peek() == '}') return scan_.literal('}');
    // One allocation each instead of four: bodies are parsed for every record.
    out.keys_.reserve(depth == 1 ? 12 : 4);
    out.items_.reserve(depth == 1 ? 12 : 4);
    while (true) {
      if (out.size() == scan_.limits().members) return scan_.fail("too many members");
      std::string_view name;
      if (!scan_.key(name)) return false;
      if (out.size() > 0 && !(std::string_view(out.keys_.back()) < name)) {
        return scan_.fail("keys are not strictly ascending");
      }
      out.keys_.emplace_back(name);
      out.items_.emplace_back();
      if (!scan_.literal(':') || !any(out.items_.back(), depth)) return false;
      if (scan_.peek() != ',') return scan_.literal('}');
      if (!scan_.literal(',')) return false;
    }
  }

  bool array(Value& out, std::size_t depth) {
    if (depth > scan_.limits().depth) return scan_.fail("nested too deeply");
    out = Value::array();
    if (!scan_.literal('[')) return false;
    if (scan_.peek() == ']') return scan_.literal(']');
    while (true) {
      if (out.size() == scan_.limits().members) return scan_.fail("too many elements");
      out.items_.emplace_back();
      if (!any(out.items_.back(), depth)) return false;
      if (scan_.peek() != ',') return scan_.literal(']');
      if (!scan_.literal(',')) return false;
    }
  }

  std::size_t text_size_;
  Scanner scan_;
};

Result<Value> parse_canonical(std::string_view text, const JsonLimits& limits) {
  return TreeBuilder(text, limits).build();
}

namespace {

void append_escaped(std::string& out, unsigned char c) {
  constexpr std::string_view hex = "0123456789abcdef";
  switch (c) {
    case '"': out += "\\\""; break;
    case '\\': out += "\\\\"; break;
    case '\b': out += "\\b"; break;
    case '\t': out += "\\t"; break;
    case '\n': out += "\\n"; break;
    case '\f': out += "\\f"; break;
    case '\r': out += "\\r"; break;
    default:
      out += "\\u00";
      out.push_back(hex[c >> 4U]);
      out.push_back(hex[c & 15U]);
  }
}

void encode(const Value& value, std::string& out) {
  switch (value.kind()) {
    case Value::Kind::none: out += "null"; return;  // no canonical text equals it
    case Value::Kind::boolean: out += value.flag() ? "true" : "false"; return;
    case Value::Kind::integer: out += std::to_string(value.number()); return;
    case Value::Kind::string: out += quote_json(value.text()); return;
    case Value::Kind::decimal: out += value.text(); return;
    case Value::Kind::array: {
      out.push_back('[');
      for (std::size_t i = 0; i < value.size(); ++i) {
        if (i > 0) out.push_back(',');
        encode(value.items()[i], out);
      }
      out.push_back(']');
      return;
    }
    case Value::Kind::object: break;
  }
  std::vector<std::size_t> order(value.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return value.keys()[a] < value.keys()[b];
  });
  out.push_back('{');
  bool first = true;
  for (const std::size_t i : order) {
    if (!first) out.push_back(',');
    first = false;
    out += quote_json(value.keys()[i]);
    out.push_back(':');
    encode(value.items()[i], out);
  }
  out.push_back('}');
}

}  // namespace

std::string encode_canonical(const Value& value) {
  std::string out;
  encode(value, out);
  return out;
}

std::string quote_json(std::string_view text) {
  std::string out = "\"";
  const char* p = text.data();
  const char* const end = p + text.size();
  while (p < end) {
    const auto c = static_cast<unsigned char>(*p);
    if (c < 0x20 || c == '"' || c == '\\') {
      append_escaped(out, c);
      ++p;
      continue;
    }
    const unsigned n = utf8_sequence(p, end);
    if (n == 0) {
      out += "\xef\xbf\xbd";
      ++p;
    } else {
      out.append(p, n);
      p += n;
    }
  }
  out.push_back('"');
  return out;
}

}  // namespace ethos::verify
