// SPDX-License-Identifier: Apache-2.0
#include "sandbox/learn_propose.h"

#include <algorithm>
#include <array>
#include <bit>

#include "ledger/base/paths.h"
#include "sandbox/limits.h"
#include "sandbox/normal.h"
#include "sandbox/path_text.h"

namespace ethos::sandbox {
namespace {

constexpr std::uint64_t kMi = std::uint64_t{1} << 20U;
constexpr std::uint64_t kGi = std::uint64_t{1} << 30U;

// How a limit follows from what was measured: so many times as much, at least so much.
struct HeadRoom {
  const char* name;
  std::uint64_t factor;
  std::uint64_t least;
};
constexpr auto kHeadRoom = std::to_array<HeadRoom>({{"memory_bytes", 4, 256 * kMi},
                                                    {"pids", 4, 64},
                                                    {"output_bytes", 8, 4 * kMi},
                                                    {"scratch_bytes", 4, 64 * kMi},
                                                    {"staged_bytes", 4, 64 * kMi}});
// Without a memory cgroup the limit bounds address space, which nothing measures.
constexpr std::uint64_t kLeastUncounted = 2 * kGi;

bool covers(const std::vector<PathEntry>& entries, std::string_view path) {
  return std::ranges::any_of(entries,
                             [&](const PathEntry& e) { return is_at_or_below(path, e.path); });
}

std::uint64_t wall_step(std::uint64_t ms) {
  constexpr std::uint64_t kMinute = 60'000;
  for (const std::uint64_t minutes : {1U, 2U, 5U, 10U, 15U, 30U, 60U, 120U, 240U, 480U})
    if (ms <= minutes * kMinute) return minutes * kMinute;
  return (ms / (60 * kMinute) + 1) * 60 * kMinute;
}

std::uint64_t most_of(const char* name) {
  const LimitSpec* spec = find_limit_by_normal_name(name);
  return spec == nullptr ? UINT64_MAX : spec->most;
}

// A limit may only be enforced when it has a value (N-13).
void drop_idle_enforcers(ToolDeclaration& tool) {
  std::erase_if(tool.enforce, [&](const auto& e) { return !tool.limits.contains(e.first); });
}

std::vector<PathEntry> entries_of(const PathNeeds& needs, const char* key,
                                  const LearnFrame& frame) {
  std::vector<PathEntry> out;
  for (const std::string& path : generalise(needs))
    if (!frame.withheld.contains(std::string(key) + ":" + path)) out.push_back({.path = path});
  return out;
}

}  // namespace

ToolDeclaration widest(const LearnFrame& frame) {
  ToolDeclaration out = frame.base;
  if (out.profile != "no-proc") out.profile = "build-offline";
  out.read = std::vector<PathEntry>{{.path = "."}};
  out.write = std::vector<PathEntry>{{.path = ".", .may_delete = true}};
  out.exec = std::vector<PathEntry>{{.path = "."}, {.path = std::string(kExecScratch)}};
  out.network = Network::none;
  out.git = Git::none;
  out.observe = Observe::all;
  out.limits.clear();
  for (const LimitSpec& spec : limit_specs())
    if (spec.build_default != 0) out.limits[std::string(spec.normal_name)] = spec.build_default;
  for (const auto& [name, value] : frame.fixed) out.limits[name] = value;
  drop_idle_enforcers(out);
  return out;
}

void widen(ToolDeclaration& tool, const Needs& needs, const LearnFrame& frame) {
  if (needs.git) tool.git = Git::read;
  if (needs.loopback) tool.network = Network::loopback;
  const auto add = [&](std::vector<PathEntry>& entries, const PathNeeds& from, const char* key) {
    for (const PathEntry& e : entries_of(from, key, frame))
      if (!covers(entries, e.path)) entries.push_back(e);
  };
  add(*tool.read, needs.read, "read");
  if (tool.write) add(*tool.write, needs.write, "write");
  add(*tool.exec, needs.exec, "exec");
  const auto is_memory = [](const PathEntry& e) { return e.path == kExecMemory; };
  if (needs.code_in_memory && std::ranges::none_of(*tool.exec, is_memory))
    tool.exec->push_back({.path = std::string(kExecMemory)});
}

std::map<std::string, std::uint64_t> propose_limits(const Needs& needs, const LearnFrame& frame,
                                                    bool has_staged) {
  std::map<std::string, std::uint64_t> out;
  const auto measured = [&](const char* name) {
    const auto at = needs.most.find(name);
    return at == needs.most.end() ? std::uint64_t{0} : at->second;
  };
  constexpr std::uint64_t kTimes = 10;
  out["wall_ms"] = wall_step(measured("wall_ms") * kTimes);
  for (const auto& [name, factor, least] : kHeadRoom) {
    if (name == std::string_view("staged_bytes") && !has_staged) continue;
    std::uint64_t from = least;
    if (name == std::string_view("memory_bytes") && !frame.is_memory_counted)
      from = kLeastUncounted;
    out[name] = std::min(std::bit_ceil(std::max(from, measured(name) * factor)), most_of(name));
  }
  for (const auto& [name, value] : frame.least) {
    const auto at = out.find(name);
    out[name] = at == out.end() ? value : std::max(at->second, value);
  }
  for (const auto& [name, value] : frame.fixed) out[name] = value;
  // What lies in memory counts against it (G-10 of docs/formats/plan.md).
  const std::uint64_t layers = out["scratch_bytes"] + (has_staged ? out["staged_bytes"] : 0);
  if (!frame.fixed.contains("memory_bytes"))
    out["memory_bytes"] = std::max(out["memory_bytes"], std::bit_ceil(layers * 2));
  return out;
}

ToolDeclaration propose(const Needs& needs, const LearnFrame& frame) {
  ToolDeclaration out = frame.base;
  if (out.profile != "no-proc") out.profile = "lint-offline";
  PathNeeds write = needs.write;
  if (!frame.keeps_new_trees)
    for (const std::string& tree : needs.new_trees) {
      write.whole.erase(tree);
      write.whole.insert(base::split_path(tree).parent);
    }
  out.write = entries_of(write, "write", frame);
  for (PathEntry& entry : *out.write)
    entry.may_delete = std::ranges::any_of(
        needs.removes, [&](const std::string& gone) { return is_at_or_below(gone, entry.path); });
  PathNeeds exec = needs.exec;
  if (frame.executes_all) exec.whole.insert(".");
  out.exec = entries_of(exec, "exec", frame);
  PathNeeds read = needs.read;
  if (frame.cwd != ".") read.whole.insert(frame.cwd);
  if (frame.reads_all) read.whole.insert(".");
  out.read.emplace();
  for (const PathEntry& e : entries_of(read, "read", frame))
    if (!covers(*out.write, e.path) && !covers(*out.exec, e.path)) out.read->push_back(e);
  if (needs.code_in_memory) out.exec->push_back({.path = std::string(kExecMemory)});
  if (needs.code_in_scratch) out.exec->push_back({.path = std::string(kExecScratch)});
  out.network = needs.loopback ? Network::loopback : Network::none;
  out.git = needs.git ? Git::read : Git::none;
  out.limits = propose_limits(needs, frame, !out.write->empty());
  drop_idle_enforcers(out);
  if (out.write->empty()) out.write.reset();
  if (out.exec->empty()) out.exec.reset();
  return out;
}

ToolDeclaration for_trial(ToolDeclaration tool, const HostLook& look,
                          const std::string& workspace) {
  tool.observe = Observe::all;
  if (!tool.write) return tool;
  PathNeeds directories;
  std::set<std::string> deletes;
  for (const PathEntry& e : *tool.write) {
    const HostNode node = look(absolute_path_of(e.path, workspace));
    const bool is_tree = node == HostNode::directory || node == HostNode::absent;
    const std::string at = is_tree ? e.path : base::split_path(e.path).parent;
    directories.places.insert(at);
    if (e.may_delete) deletes.insert(at);
  }
  tool.write->clear();
  for (const std::string& at : generalise(directories))
    tool.write->push_back({.path = at,
                           .may_delete = std::ranges::any_of(
                               deletes, [&](const auto& d) { return is_at_or_below(d, at); })});
  return tool;
}

}  // namespace ethos::sandbox
