// SPDX-License-Identifier: Apache-2.0
#include "sandbox/mountinfo.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <tuple>

#include "sandbox/based_path.h"

namespace ethos::sandbox {
namespace {

using base::Errc;

constexpr std::size_t kMaxLines = 100'000;

// Splits off the text up to the next space.
std::string_view next_field(std::string_view& line) {
  const std::size_t end = std::min(line.find(' '), line.size());
  const std::string_view field = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return field;
}

bool has_option(std::string_view options, std::string_view wanted) {
  while (!options.empty()) {
    const std::size_t end = std::min(options.find(','), options.size());
    if (options.substr(0, end) == wanted) return true;
    options.remove_prefix(std::min(end + 1, options.size()));
  }
  return false;
}

// By type and source, both given by whoever made the mount: nothing a tool could do changes them.
MountKind kind_of(std::string_view type, std::string_view source, std::string_view root) {
  if (type == "tmpfs") {
    if (source == "ethos-root") return MountKind::root;
    if (source == "ethos-scratch") return MountKind::scratch;
    if (source == "ethos-dev") return MountKind::dev;
    if (source == "ethos-mask") return MountKind::mask;
    if (source == "ethos-staged") return MountKind::staged;  // a copy, where overlayfs is no use
  }
  if (type == "overlay" && source == "ethos-staged") return MountKind::staged;
  if (type == "proc" && root == "/") return MountKind::proc;
  return MountKind::bind;
}

bool is_octal(char c) { return c >= '0' && c <= '7'; }

base::Result<MountEntry> parse_line(std::string_view line, std::string_view workspace) {
  next_field(line);  // mount id
  next_field(line);  // parent id
  MountEntry entry;
  entry.device = std::string(next_field(line));
  const std::string_view root = next_field(line);
  const std::string at = unescape_mount_path(next_field(line));
  const std::string_view options = next_field(line);
  bool is_separated = false;
  while (!line.empty()) {
    const std::string_view field = next_field(line);
    is_separated = field == "-";
    if (is_separated) break;
    if (field.starts_with("shared:") || field.starts_with("master:")) entry.is_shared = true;
  }
  const std::string_view type = next_field(line);
  const std::string_view source = next_field(line);
  if (!is_separated || type.empty() || !at.starts_with('/') ||
      entry.device.find(':') == std::string::npos)
    return base::fail(Errc::malformed, "mountinfo line");
  entry.where = based_path(plain_path(at), workspace);
  entry.kind = kind_of(type, source, root);
  entry.read_only = has_option(options, "ro");
  entry.no_exec = has_option(options, "noexec");
  entry.no_dev = has_option(options, "nodev");
  entry.no_suid = has_option(options, "nosuid");
  entry.is_id_mapped = has_option(options, "idmapped");
  return entry;
}

}  // namespace

bool may_have_mount_below(std::string_view mountstats, std::string_view path) {
  constexpr std::string_view kOn = " mounted on ";
  while (!mountstats.empty()) {
    const std::size_t end = std::min(mountstats.find('\n'), mountstats.size());
    std::string_view line = mountstats.substr(0, end);
    mountstats.remove_prefix(std::min(end + 1, mountstats.size()));
    if (line.empty() || line.front() == '\t') continue;  // figures of a network file system
    const std::size_t on = line.find(kOn);
    if (on == std::string_view::npos) return true;
    line.remove_prefix(on + kOn.size());
    const std::string_view field = next_field(line);
    if (field.size() <= path.size()) continue;  // escaped it is no shorter
    const std::string at = unescape_mount_path(field);
    if (at != path && is_within(at, path)) return true;
  }
  return false;
}

bool has_mount_below(std::string_view text, std::uint64_t parent, std::string_view path) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    next_field(line);  // mount id
    const std::string_view number = next_field(line);
    std::uint64_t on = 0;
    const char* const last = number.data() + number.size();
    if (std::from_chars(number.data(), last, on).ptr != last || on != parent) continue;
    next_field(line);  // device
    next_field(line);  // root
    const std::string at = unescape_mount_path(next_field(line));
    if (at != path && is_within(at, path)) return true;
  }
  return false;
}

std::string unescape_mount_path(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && is_octal(text[i + 1]) && is_octal(text[i + 2]) &&
        is_octal(text[i + 3])) {
      const int value = (text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0');
      out += static_cast<char>(value);
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

base::Result<std::vector<MountEntry>> parse_mountinfo(std::string_view text,
                                                      std::string_view workspace) {
  std::vector<MountEntry> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (out.size() >= kMaxLines) return base::fail(Errc::too_large, "mountinfo");
    auto entry = parse_line(text.substr(0, end), workspace);
    if (!entry) return base::Unexpected(std::move(entry).error());
    out.push_back(std::move(entry).value());
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  // Mounts stacked on one point keep their order: the last one is the visible one.
  std::stable_sort(out.begin(), out.end(),
                   [](const MountEntry& a, const MountEntry& b) { return a.where < b.where; });
  return out;
}

}  // namespace ethos::sandbox
