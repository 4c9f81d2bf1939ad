// SPDX-License-Identifier: Apache-2.0
#include "verify/bundle_names.h"

#include <algorithm>
#include <array>

#include "verify/checkpoint.h"
#include "verify/encoding.h"
#include "verify/forms.h"

namespace ethos::verify {
namespace {

constexpr std::uint64_t kTileWidth = 256;

std::optional<std::uint64_t> twenty_digits(std::string_view text) {
  if (text.size() != 20) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (value > (UINT64_MAX - digit) / 10) return std::nullopt;
    value = value * 10 + digit;
  }
  return value;
}

std::string padded(std::uint64_t number, std::size_t digits) {
  std::string text = std::to_string(number);
  if (text.size() < digits) text.insert(0, digits - text.size(), '0');
  return text;
}

using Kind = BundleName::Kind;

// The whole name again must be the one that the number has: so there is one name for each tile.
std::optional<BundleName> parse_tile(std::string_view name) {
  std::string_view rest = name.substr(std::string_view("tile/").size());
  const auto slash = rest.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  BundleName out;
  const std::string_view level = rest.substr(0, slash);
  out.kind = level == "entries" ? Kind::entries : Kind::tile;
  if (out.kind == Kind::tile) {
    const auto number = parse_decimal(level, 63);
    if (!number) return std::nullopt;
    out.level = *number;
  }
  rest.remove_prefix(slash + 1);
  const auto partial = rest.find(".p/");
  if (partial != std::string_view::npos) {
    const auto width = parse_decimal(rest.substr(partial + 3), kTileWidth - 1);
    if (!width || *width == 0) return std::nullopt;
    out.width = *width;
    rest = rest.substr(0, partial);
  }
  for (const char c : rest) {
    if (c == 'x' || c == '/') continue;
    if (c < '0' || c > '9' || out.a > UINT64_MAX / 10 - 1) return std::nullopt;
    out.a = out.a * 10 + static_cast<std::uint64_t>(c - '0');
  }
  if (tile_name(level, out.a, out.width) != name) return std::nullopt;
  return out;
}

std::optional<BundleName> parse_pair(Kind kind, std::string_view rest) {
  const auto dash = rest.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto a = twenty_digits(rest.substr(0, dash));
  const auto b = twenty_digits(rest.substr(dash + 1));
  if (!a || !b) return std::nullopt;
  BundleName out;
  out.kind = kind;
  out.a = *a;
  out.b = *b;
  return out;
}

bool kinds(const View& v) {
  std::string last;
  return v.each_element([&](const View& item) {
    const std::string own = item.text();
    const bool good = item.is_string() && is_kind(own) && (last.empty() || last < own);
    last = own;
    return good;
  });
}
bool one(const View& v) { return v.is_integer() && v.number() == 1; }
bool origin_form(const View& v) { return v.is_string() && is_origin(v.raw()); }
bool run_form(const View& v) { return v.is_string() && is_id128(v.raw()); }
bool whole_bundles(const View& v) { return v.is_integer() && v.number() >= 0 && v.number() % 256 == 0; }

constexpr std::array kRunManifest{Field{"disclosed", kinds}, Field{"format", one}, Field{"kind", one_of<"run">},
                                  Field{"origin", origin_form}, Field{"run", run_form}, Field{"size", integer_from<1>}};
constexpr std::array kLedgerManifest{Field{"disclosed", kinds}, Field{"format", one}, Field{"from", whole_bundles},
                                     Field{"kind", one_of<"ledger">}, Field{"origin", origin_form}, Field{"size", integer_from<1>}};

}  // namespace

std::string numbered(std::string_view folder, std::uint64_t number) { return std::string(folder) + "/" + padded(number, 20); }

std::string numbered(std::string_view folder, std::uint64_t a, std::uint64_t b) {
  return numbered(folder, a) + "-" + padded(b, 20);
}

std::string tile_name(std::string_view level, std::uint64_t number, std::uint64_t width) {
  std::string path = padded(number % 1000, 3);
  for (number /= 1000; number > 0; number /= 1000) path.insert(0, "x" + padded(number % 1000, 3) + "/");
  std::string out = "tile/" + std::string(level) + "/" + path;
  if (width < kTileWidth) out += ".p/" + std::to_string(width);
  return out;
}

std::uint64_t hashes_at_level(std::uint64_t size, std::uint64_t level) {
  return level >= 8 ? 0 : size >> (8 * level);
}

std::optional<BundleName> parse_bundle_name(std::string_view name) {
  BundleName out;
  if (name == "manifest.json") return out;
  if (name == "checkpoint") {
    out.kind = Kind::checkpoint;
    return out;
  }
  if (name.starts_with("tile/")) return parse_tile(name);
  const auto slash = name.rfind('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const std::string_view folder = name.substr(0, slash);
  const std::string_view rest = name.substr(slash + 1);
  if (folder == "proof") return parse_pair(Kind::proof, rest);
  if (folder == "consistency") return parse_pair(Kind::consistency, rest);
  if (folder == "blob/sha256" || folder == "disclosure") {
    const auto digest = decode_hex(rest);
    if (!digest || digest->size() != 32) return std::nullopt;
    out.kind = folder == "disclosure" ? Kind::disclosure : Kind::blob;
    out.digest = *digest;
    return out;
  }
  const auto number = twenty_digits(rest);
  if (!number) return std::nullopt;
  out.a = *number;
  if (folder == "record") {
    out.kind = Kind::record;
    return out;
  }
  if (folder != "checkpoint.d") return std::nullopt;
  out.kind = Kind::key_checkpoint;
  return out;
}

std::uint64_t bundle_member_limit(Kind kind) {
  switch (kind) {
    case Kind::manifest: case Kind::record: return 16384;
    case Kind::checkpoint: case Kind::key_checkpoint: return 1'000'000;
    case Kind::blob: return std::uint64_t{16} << 20U;
    case Kind::disclosure: return (std::uint64_t{64} << 20U) + 32 + 1 + 32;
    case Kind::proof: case Kind::consistency: case Kind::tile: return 8192;
    case Kind::entries: return (std::uint64_t{4} << 20U) + 512;
  }
  return 0;
}

Result<BundleManifest> parse_manifest(std::string_view bytes) {
  if (!bytes.ends_with('\n')) return malformed("manifest.json does not end with a line feed");
  bytes.remove_suffix(1);
  Scanner scan(bytes, kRecordLimits);
  if (!scan.whole_value()) return malformed(std::string("manifest.json: ") + scan.fault(), static_cast<std::ptrdiff_t>(scan.offset()));
  const View v(bytes);
  if (v.at("format").is_integer() && v.at("format").number() != 1) return Error{Errc::unsupported, "the bundle has another format than 1"};
  BundleManifest out;
  out.is_run = v.at("kind").raw() == "run";
  const FieldFault fault = out.is_run ? check_table<kRunManifest>(v) : check_table<kLedgerManifest>(v);
  if (fault.bad_key || fault.bad_value) return malformed("manifest.json: `" + fault.key + "` is missing, unknown or wrong");
  out.origin = v.at("origin").text();
  out.run = v.at("run").text();
  out.size = static_cast<std::uint64_t>(v.at("size").number());
  out.from = static_cast<std::uint64_t>(v.at("from").number());
  if (out.from >= out.size) return malformed("manifest.json: `from` is not below `size`");
  v.at("disclosed").each_element([&](const View& item) {
    out.disclosed.push_back(item.text());
    return true;
  });
  return out;
}

}  // namespace ethos::verify
