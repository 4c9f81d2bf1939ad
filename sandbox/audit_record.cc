// SPDX-License-Identifier: Apache-2.0
#include "sandbox/audit_record.h"

#include <algorithm>
#include <charconv>

namespace ethos::sandbox::audit {
namespace {

constexpr std::size_t kMaxBlockers = 64;

template <class Number>
std::optional<Number> number(std::string_view text, int base = 10) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;  // the kernel writes capitals
}

std::optional<std::string> from_hex(std::string_view text) {
  if (text.size() % 2 != 0 || text.empty()) return std::nullopt;
  std::string out;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = hex_digit(text[i]);
    const int low = hex_digit(text[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    out += static_cast<char>(high * 16 + low);
  }
  return out;
}

struct Field {
  std::string_view name;
  std::string_view value;
  bool is_quoted = false;
};

// Takes the next `name=value` off `text`. Nothing: it ends here, or goes on in another form.
std::optional<Field> next_field(std::string_view& text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  const std::size_t equals = text.find_first_of("= ");
  if (equals == std::string_view::npos || text[equals] != '=' || equals == 0) return std::nullopt;
  Field out{text.substr(0, equals), {}, false};
  text.remove_prefix(equals + 1);
  if (!text.empty() && text.front() == '"') {
    const std::size_t end = text.find('"', 1);
    if (end == std::string_view::npos) return std::nullopt;
    out.value = text.substr(1, end - 1);
    out.is_quoted = true;
    text.remove_prefix(end + 1);
    return out;
  }
  // "enriched" text follows behind this byte where a daemon wrote it.
  const std::size_t end = std::min(text.find_first_of(" \x1d"), text.size());
  out.value = text.substr(0, end);
  text.remove_prefix(end);
  return out;
}

// As many of the rights as have room; nothing for text that is no list of rights.
std::string blocker_text(std::string_view text) {
  const bool is_list = std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == ',';
  });
  if (!is_list) return {};
  if (text.size() <= kMaxBlockers) return std::string(text);
  const std::size_t comma = text.rfind(',', kMaxBlockers);
  return std::string(text.substr(0, comma == std::string_view::npos ? kMaxBlockers : comma));
}

void put_path(const Field& field, Record& out) {
  std::string path;
  if (field.is_quoted) {
    path = field.value;
  } else {
    // An abstract socket's name begins with a zero byte.
    path = from_hex(field.value).value_or("");
  }
  if (path.empty() || path.size() > kMaxObject) return;
  out.object_kind = path.front() == '/' ? "path" : "name";
  out.object = std::move(path);
}

// `saddr=127.0.0.1 src=80` and `daddr=::1 dest=443`: "127.0.0.1:80", "[::1]:443".
void put_address(std::string_view address, std::string_view port, Record& out) {
  const bool is_v6 = address.find(':') != std::string_view::npos;
  if (address.size() > 45 || port.size() > 5) return;
  out.object = std::string(is_v6 ? "[" : "").append(address).append(is_v6 ? "]" : "");
  if (!port.empty()) out.object.append(":").append(port);
  out.object_kind = "address";
}

bool read_access(std::string_view text, Record& out) {
  std::string_view address;
  std::string_view port;
  for (std::size_t i = 0; i < kMaxFields; ++i) {
    const auto field = next_field(text);
    if (!field) break;
    if (field->name == "domain") out.domain = number<std::uint64_t>(field->value, 16).value_or(0);
    if (field->name == "blockers") out.blockers = blocker_text(field->value);
    if (field->name == "path" && out.object.empty()) put_path(*field, out);
    if (field->name == "ocomm" && out.object.empty()) {
      out.object =
          field->is_quoted ? std::string(field->value) : from_hex(field->value).value_or("");
      out.object_kind = "name";
    }
    if (field->name == "saddr" || field->name == "daddr") address = field->value;
    if (field->name == "src" || field->name == "dest") port = field->value;
  }
  if (!address.empty() || !port.empty()) put_address(address, port, out);
  return out.domain != 0 && !out.blockers.empty();
}

bool read_domain(std::string_view text, Record& out) {
  bool is_counted = false;
  for (std::size_t i = 0; i < kMaxFields; ++i) {
    const auto field = next_field(text);
    if (!field) break;
    // Behind these come names that the process chose.
    if (field->name == "domain") out.domain = number<std::uint64_t>(field->value, 16).value_or(0);
    if (field->name == "status") out.status = field->value;
    if (field->name == "pid" && out.pid == 0)
      out.pid = number<std::int64_t>(field->value).value_or(0);
    if (field->name == "denials") {
      const auto count = number<std::uint64_t>(field->value);
      is_counted = count.has_value();
      out.denials = count.value_or(0);
    }
  }
  if (out.domain == 0) return false;
  return (out.status == "allocated" && out.pid > 0) || (out.status == "deallocated" && is_counted);
}

bool read_call(std::string_view text, Record& out) {
  bool has_result = false;
  for (std::size_t i = 0; i < kMaxFields; ++i) {
    const auto field = next_field(text);
    if (!field) break;
    if (field->name == "exit" && !has_result) {
      const auto result = number<std::int64_t>(field->value);
      has_result = result.has_value();
      out.result = result.value_or(0);
    }
    if (field->name == "pid" && out.pid == 0)
      out.pid = number<std::int64_t>(field->value).value_or(0);
    if (field->name == "comm" || field->name == "exe") break;
  }
  return has_result && out.pid > 0;
}

}  // namespace

std::optional<Record> parse_record(std::uint16_t type, std::string_view text) {
  if (text.size() > kMaxText) return std::nullopt;
  Record out;
  out.type = type;
  // audit(SECONDS.MILLISECONDS:NUMBER):
  if (!text.starts_with("audit(")) return std::nullopt;
  const std::size_t colon = text.find(':');
  const std::size_t close = text.find(')');
  if (colon == std::string_view::npos || close == std::string_view::npos || close < colon)
    return std::nullopt;
  const auto event = number<std::uint64_t>(text.substr(colon + 1, close - colon - 1));
  if (!event || !text.substr(close + 1).starts_with(":")) return std::nullopt;
  out.event = *event;
  text.remove_prefix(close + 2);
  switch (type) {
    case kLandlockAccess:
      return read_access(text, out) ? std::optional(std::move(out)) : std::nullopt;
    case kLandlockDomain:
      return read_domain(text, out) ? std::optional(std::move(out)) : std::nullopt;
    case kSyscall:
      return read_call(text, out) ? std::optional(std::move(out)) : std::nullopt;
    case kEndOfEvent:
      return out;
    default:
      return std::nullopt;
  }
}

}  // namespace ethos::sandbox::audit
