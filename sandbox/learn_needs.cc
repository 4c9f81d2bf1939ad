// SPDX-License-Identifier: Apache-2.0
#include "sandbox/learn_needs.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "ledger/base/paths.h"
#include "sandbox/jsonc.h"
#include "sandbox/normal.h"
#include "sandbox/path_text.h"

namespace ethos::sandbox {
namespace {

constexpr std::uint32_t bit(Use use) { return static_cast<std::uint32_t>(use); }
constexpr std::uint32_t kWriting =
    bit(Use::change) | bit(Use::make) | bit(Use::make_directory) | bit(Use::remove);

std::string parent_of(const std::string& at) { return base::split_path(at).parent; }

bool covers(const std::vector<PathEntry>& entries, std::string_view path) {
  return std::ranges::any_of(entries,
                             [&](const PathEntry& e) { return is_at_or_below(path, e.path); });
}

bool covers(const std::optional<std::vector<PathEntry>>& entries, std::string_view path) {
  return entries && covers(*entries, path);
}

}  // namespace

HostNode look_at_host(const std::string& path) {
  struct stat st {};
  if (::lstat(path.c_str(), &st) != 0) return HostNode::absent;
  if (S_ISDIR(st.st_mode)) return HostNode::directory;
  if (S_ISLNK(st.st_mode)) return HostNode::link;
  if (!S_ISREG(st.st_mode)) return HostNode::other;
  return st.st_nlink > 1 ? HostNode::linked_file : HostNode::file;
}

bool looks_like_library(const std::string& path) {
  const std::string name = base::split_path(path).name;
  if (name.ends_with(".so") || name.ends_with(".node") || name.find(".so.") != std::string::npos)
    return true;
  const base::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  std::array<unsigned char, 18> head{};
  if (!fd.is_open() || ::read(fd.get(), head.data(), head.size()) != ssize_t{18}) return false;
  constexpr unsigned char kShared = 3;  // ET_DYN
  return head[0] == 0x7f && head[1] == 'E' && head[2] == 'L' && head[3] == 'F' &&
         head[16] == kShared;
}

std::string NeedsReader::absolute(const std::string& at) const {
  return absolute_path_of(at, workspace_);
}

// What a declaration can name: no symbolic link stands on the way to it, and it is UTF-8. Else the
// directory above the first component that is not.
std::string NeedsReader::nameable(std::string at, bool& is_shortened) const {
  is_shortened = false;
  while (!is_utf8(at)) {
    at = parent_of(at);
    is_shortened = true;
  }
  if (at == ".") return at;
  for (std::size_t end = at.find('/', 1);; end = at.find('/', end + 1)) {
    const std::string part = at.substr(0, end);
    if (look_(absolute(part)) == HostNode::link) {
      is_shortened = true;
      return parent_of(part);
    }
    if (end == std::string::npos) return at;
  }
}

void NeedsReader::take_uses(const Observation& seen, const ToolDeclaration& granted,
                            Needs& needs) const {
  for (const auto& [path, place] : seen.places()) take_place(path, place, granted, needs);
  if (seen.uses_loopback()) needs.loopback = true;
}

void NeedsReader::take_place(const std::string& path, const Observation::Place& place,
                             const ToolDeclaration& granted, Needs& needs) const {
  const auto normal = normalise_path(path, workspace_);
  if (!normal) return;
  const std::string& at = *normal;
  if (at.starts_with('/') && !covers(granted.read, at) && !covers(granted.exec, at)) {
    const bool is_code = (place.uses & bit(Use::execute)) != 0 ||
                         ((place.uses & bit(Use::read)) != 0 && is_library_(at));
    if (is_at_or_below(at, "/tmp") && is_code) needs.code_in_scratch = true;
    return;
  }
  if (has_git_component(at)) {
    if (granted.git == Git::read && (place.uses & ~kWriting) != 0) take_repository(at, needs);
    return;
  }
  if ((place.uses & (bit(Use::read) | bit(Use::list))) != 0) take_read(at, place.uses, needs);
  if ((place.uses & kWriting) != 0 && !at.starts_with('/')) take_write(at, place, needs);
  if ((place.uses & bit(Use::execute)) != 0) take_exec(at, needs);
}

// `git: read` opens what the read grants show of a repository: they must show it.
void NeedsReader::take_repository(const std::string& at, Needs& needs) {
  for (std::size_t end = at.find('/', 1);; end = at.find('/', end + 1)) {
    const std::string part = at.substr(0, end);
    if (has_git_component(part)) {
      needs.read.whole.insert(part);
      return;
    }
    if (end == std::string::npos) return;
  }
}

void NeedsReader::take_read(const std::string& at, std::uint32_t uses, Needs& needs) const {
  if (look_(absolute(at)) == HostNode::absent) return;  // the run made it
  bool is_shortened = false;
  const std::string name = nameable(at, is_shortened);
  const bool is_whole = is_shortened || (uses & bit(Use::list)) != 0;
  (is_whole ? needs.read.whole : needs.read.places).insert(name);
  // Mapping it as code asks for more than reading, and is seen as no call of its own.
  if (!is_whole && (uses & bit(Use::read)) != 0 && is_library_(absolute(at)))
    needs.exec.places.insert(name);
}

void NeedsReader::take_exec(const std::string& at, Needs& needs) const {
  std::string place = at;
  while (place != "." && place != "/" && look_(absolute(place)) == HostNode::absent)
    place = parent_of(place);
  bool is_shortened = false;
  needs.exec.places.insert(nameable(place, is_shortened));
}

void NeedsReader::take_write(const std::string& at, const Observation::Place& place,
                             Needs& needs) const {
  const HostNode node = look_(absolute(at));
  const bool is_new_name = (place.uses & (bit(Use::make) | bit(Use::make_directory))) != 0;
  const bool is_removed = (place.uses & bit(Use::remove)) != 0;
  if (node == HostNode::absent) {
    if (is_new_name) take_new(at, (place.uses & bit(Use::make_directory)) != 0, needs);
    return;
  }
  bool is_shortened = false;
  if (is_removed && place.is_gone) needs.removes.insert(at);
  // A name that goes or is replaced is a matter of its directory; so is a file that cannot be
  // granted alone.
  const bool is_alone = node == HostNode::file || node == HostNode::directory;
  const std::string name = nameable(at, is_shortened);
  if (is_new_name || is_removed || !is_alone || is_shortened)
    needs.write.whole.insert(is_shortened ? name : parent_of(at));
  else
    (node == HostNode::directory ? needs.write.whole : needs.write.places).insert(name);
}

// Something that is not there yet, in a directory that is, or in one that the run made too.
void NeedsReader::take_new(const std::string& at, bool is_directory, Needs& needs) const {
  std::string above = parent_of(at);
  std::string first = at;
  while (above != "." && look_(absolute(above)) == HostNode::absent) {
    first = above;
    above = parent_of(above);
  }
  bool is_shortened = false;
  if ((first != at || is_directory) && is_utf8(first)) {
    needs.write.whole.insert(first);
    needs.new_trees.insert(first);
  } else {
    needs.write.whole.insert(nameable(above, is_shortened));
  }
}

void NeedsReader::take_denied_read(const std::string& at, Needs& needs) const {
  bool is_shortened = false;
  const std::string name = nameable(at, is_shortened);
  const bool is_whole = is_shortened || look_(absolute(name)) == HostNode::directory;
  (is_whole ? needs.read.whole : needs.read.places).insert(name);
}

bool NeedsReader::take_denial(const Denial& denial, Needs& needs) const {
  if (denial.rule == "git" && denial.reason == "not granted by git") {
    if (const auto at = normalise_path(denial.object, workspace_)) take_repository(*at, needs);
    return needs.git = true;
  }
  if (denial.rule == "no-network") {
    const bool is_inet = denial.object_kind == "family" && (denial.object.starts_with("AF_INET ") ||
                                                            denial.object.starts_with("AF_INET6 "));
    return is_inet && (needs.loopback = true);
  }
  if (denial.object_kind != "path") return false;
  if (denial.rule == "no-exec" && denial.reason == "code in memory is not granted")
    return needs.code_in_memory = true;
  const auto at = normalise_path(denial.object, workspace_);
  if (!at) return false;
  if (denial.rule == "no-exec") {
    if (is_at_or_below(*at, "/tmp")) return needs.code_in_scratch = true;
    // A link that is not shown is looked up in vain, whatever it leads to.
    if (look_(absolute(*at)) == HostNode::link) take_denied_read(*at, needs);
    take_exec(*at, needs);
    return true;
  }
  if (denial.rule != "outside-grants") return false;
  if (denial.reason != kOutsideWriteGrants) {
    take_denied_read(*at, needs);
    return true;
  }
  if (at->starts_with('/') || has_git_component(*at)) return false;
  Observation::Place place;
  const bool is_change =
      look_(absolute(*at)) == HostNode::file && denial.operation.starts_with("open");
  place.uses = bit(is_change                               ? Use::change
                   : denial.operation.starts_with("mkdir") ? Use::make_directory
                                                           : Use::make);
  if (denial.operation.starts_with("unlink") || denial.operation == "rmdir")
    place = {bit(Use::remove), true};
  take_write(*at, place, needs);
  return true;
}

std::set<std::string> NeedsReader::absent_names(const Observation& seen) const {
  std::set<std::string> out;
  for (const auto& [path, place] : seen.places()) {
    if (place.uses != bit(Use::absent)) continue;
    const auto at = normalise_path(path, workspace_);
    if (at && !at->starts_with('/') && !has_git_component(*at) && look_(path) == HostNode::absent)
      out.insert(*at);
  }
  return out;
}

void take_figures(const RunResult& result, Needs& needs) {
  const auto most = [&](const char* name, std::uint64_t value) {
    auto& at = needs.most[name];
    at = std::max(at, value);
  };
  constexpr std::uint64_t kNsPerMs = 1'000'000;
  if (result.ended_ns > result.started_ns)
    most("wall_ms", (result.ended_ns - result.started_ns) / kNsPerMs);
  most("output_bytes", result.out.bytes + result.err.bytes);
  most("memory_bytes", static_cast<std::uint64_t>(std::max(0L, result.usage.ru_maxrss)) * 1024);
  for (const RunResult::Figure& figure : result.figures) {
    if (figure.name == "memory_peak_bytes") most("memory_bytes", figure.value);
    if (figure.name == "pids_peak") most("pids", figure.value);
    if (figure.name == "scratch_bytes" || figure.name == "staged_bytes")
      most(figure.name.c_str(), figure.value);
  }
}

void take_declaration(const ToolDeclaration& tool, const std::string& workspace, Needs& needs,
                      std::map<std::string, std::uint64_t>& limits) {
  const auto normal = [&](const PathEntry& e) {
    return normalise_path(e.path, workspace).value_or(e.path);
  };
  const bool is_build = tool.profile == "build-offline";
  const std::vector<PathEntry> all = {PathEntry{.path = "."}};
  for (const PathEntry& e : tool.read.value_or(all)) needs.read.whole.insert(normal(e));
  for (const PathEntry& e : tool.write.value_or(std::vector<PathEntry>())) {
    const std::string at = normal(e);
    needs.write.whole.insert(at);
    if (e.may_delete) needs.removes.insert(at + "/*");
  }
  std::vector<PathEntry> exec = tool.exec.value_or(std::vector<PathEntry>());
  if (!tool.exec && is_build)
    exec = {PathEntry{.path = "."}, PathEntry{.path = std::string(kExecScratch)}};
  for (const PathEntry& e : exec) {
    if (e.path == kExecMemory)
      needs.code_in_memory = true;
    else if (e.path == kExecScratch)
      needs.code_in_scratch = true;
    else
      needs.exec.places.insert(normal(e));
  }
  needs.git = needs.git || tool.git == Git::read;
  needs.loopback = needs.loopback || tool.network == Network::loopback;
  for (const auto& [name, value] : tool.limits) limits[name] = std::max(limits[name], value);
}

}  // namespace ethos::sandbox
