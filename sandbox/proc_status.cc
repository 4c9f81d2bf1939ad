// SPDX-License-Identifier: Apache-2.0
#include "sandbox/proc_status.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace ethos::sandbox {
namespace {

using base::Errc;

std::string_view next_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

std::string_view next_word(std::string_view& text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  text.remove_prefix(begin);
  const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

template <typename T>
std::optional<T> number(std::string_view word, int base = 10) {
  T value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, base);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

std::optional<std::string_view> field(std::string_view text, std::string_view name) {
  while (!text.empty()) {
    std::string_view line = next_line(text);
    if (line.size() > name.size() && line.starts_with(name) && line[name.size()] == ':') {
      line.remove_prefix(name.size() + 1);
      return line;
    }
  }
  return std::nullopt;
}

// Reads `name` into `out`; remembers a failure in `missing`.
template <typename T>
void take(std::string_view text, std::string_view name, int base, T& out,
          std::string_view& missing) {
  auto value = field(text, name);
  if (value) {
    if (const auto parsed = number<T>(next_word(*value), base)) {
      out = *parsed;
      return;
    }
  }
  missing = name;
}

void take_four(std::string_view text, std::string_view name, std::array<std::uint32_t, 4>& out,
               std::string_view& missing) {
  auto value = field(text, name);
  for (auto& id : out) {
    const auto parsed = value ? number<std::uint32_t>(next_word(*value)) : std::nullopt;
    if (!parsed) {
      missing = name;
      return;
    }
    id = *parsed;
  }
}

}  // namespace

base::Result<TaskStatus> parse_status(std::string_view text) {
  TaskStatus out;
  std::string_view missing;
  std::uint32_t no_new_privs = 0;
  take(text, "NoNewPrivs", 10, no_new_privs, missing);
  out.no_new_privs = no_new_privs == 1;
  take(text, "Seccomp", 10, out.seccomp_mode, missing);
  take(text, "Seccomp_filters", 10, out.seccomp_filters, missing);
  take(text, "CapInh", 16, out.cap_inheritable, missing);
  take(text, "CapPrm", 16, out.cap_permitted, missing);
  take(text, "CapEff", 16, out.cap_effective, missing);
  take(text, "CapBnd", 16, out.cap_bounding, missing);
  take(text, "CapAmb", 16, out.cap_ambient, missing);
  take(text, "SigIgn", 16, out.signals_ignored, missing);
  take_four(text, "Uid", out.uid, missing);
  take_four(text, "Gid", out.gid, missing);
  auto groups = field(text, "Groups");
  if (!groups) missing = "Groups";
  while (groups) {
    const std::string_view word = next_word(*groups);
    if (word.empty()) break;
    const auto group = number<std::uint32_t>(word);
    if (!group) return base::fail(Errc::malformed, "status: Groups");
    out.groups.push_back(*group);
  }
  if (!missing.empty()) return base::fail(Errc::malformed, "status: " + std::string(missing));
  return out;
}

base::Result<std::vector<IdMapLine>> parse_id_map(std::string_view text) {
  std::vector<IdMapLine> out;
  while (!text.empty()) {
    std::string_view line = next_line(text);
    const auto inside = number<std::uint32_t>(next_word(line));
    const auto outside = number<std::uint32_t>(next_word(line));
    const auto count = number<std::uint32_t>(next_word(line));
    if (!inside || !outside || !count) return base::fail(Errc::malformed, "id map");
    out.push_back({*inside, *outside, *count});
  }
  return out;
}

base::Result<std::vector<RlimitEntry>> parse_limits(std::string_view text) {
  struct Name {
    std::string_view kernel;
    std::string_view ours;
  };
  constexpr auto kNames = std::to_array<Name>({{"Max address space", "as"},
                                               {"Max core file size", "core"},
                                               {"Max data size", "data"},
                                               {"Max file size", "fsize"},
                                               {"Max locked memory", "memlock"},
                                               {"Max msgqueue size", "msgqueue"},
                                               {"Max open files", "nofile"},
                                               {"Max processes", "nproc"},
                                               {"Max pending signals", "sigpending"},
                                               {"Max stack size", "stack"}});
  std::vector<RlimitEntry> out;
  for (const auto& name : kNames) {
    std::string_view rest = text;
    std::string_view line;
    do {
      line = next_line(rest);
    } while (!line.starts_with(name.kernel) && !rest.empty());
    if (!line.starts_with(name.kernel))
      return base::fail(Errc::malformed, "limits: " + std::string(name.kernel));
    line.remove_prefix(name.kernel.size());
    RlimitEntry entry;
    entry.name = std::string(name.ours);
    const std::string_view soft = next_word(line);
    entry.is_unlimited = soft == "unlimited";
    const auto value = number<std::uint64_t>(soft);
    if (!entry.is_unlimited && !value)
      return base::fail(Errc::malformed, "limits: " + std::string(name.kernel));
    entry.value = value.value_or(0);
    out.push_back(std::move(entry));
  }
  return out;
}

std::string parse_cgroup_v2(std::string_view text) {
  while (!text.empty()) {
    std::string_view line = next_line(text);
    if (line.starts_with("0::")) return std::string(line.substr(3));
  }
  return {};
}

std::uint64_t status_kib(std::string_view text, std::string_view name) {
  auto value = field(text, name);
  if (!value) return 0;
  return number<std::uint64_t>(next_word(*value)).value_or(0);
}

}  // namespace ethos::sandbox
