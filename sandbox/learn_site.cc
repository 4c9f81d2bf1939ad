// SPDX-License-Identifier: Apache-2.0
#include "sandbox/learn_site.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "ledger/base/clock.h"
#include "ledger/base/file_io.h"
#include "ledger/base/paths.h"
#include "ledger/create.h"
#include "sandbox/declaration_text.h"
#include "sandbox/learn_needs.h"
#include "sandbox/path_text.h"
#include "sandbox/read_host.h"
#include "sandbox/run_command.h"
#include "sandbox/shown_text.h"
#include "sandbox/workspace.h"

namespace ethos::sandbox {
namespace {

using base::Errc;
using base::Result;

// Outside the workspace and everything that a cage shows.
Result<std::string> make_private_directory(const std::string& workspace) {
  std::vector<std::string> places;
  for (const char* name : {"TMPDIR", "XDG_RUNTIME_DIR"})
    if (const char* value = std::getenv(name); value != nullptr && *value == '/')
      places.emplace_back(value);
  places.insert(places.end(), {"/tmp", "/var/tmp", "/dev/shm"});
  for (const std::string& place : places) {
    const auto real = real_path(place);
    if (!real || is_at_or_below(*real, workspace) || is_base_runtime(*real)) continue;
    std::string name = *real + "/ethos-learn.XXXXXX";
    if (::mkdtemp(name.data()) != nullptr) return name;
  }
  return base::fail(Errc::io, "no place for temporary files outside the workspace (set TMPDIR)");
}

// Write directories of the workspace that are not there yet, with their missing parents, the
// deepest first.
std::vector<std::string> missing_directories(const ToolDeclaration& tool,
                                             const std::string& workspace) {
  std::vector<std::string> out;
  for (const PathEntry& e : tool.write.value_or(std::vector<PathEntry>())) {
    if (e.path.starts_with('/')) continue;
    for (std::string at = e.path; at != "."; at = base::split_path(at).parent) {
      if (look_at_host(absolute_path_of(at, workspace)) != HostNode::absent) break;
      out.push_back(at);
    }
  }
  std::ranges::sort(out, std::greater<>());
  return out;
}

// Only empty ones go, and no link is followed on the way to them.
void remove_directories(const std::vector<std::string>& names, const std::string& workspace) {
  const auto opened = open_workspace(workspace, workspace);
  if (!opened) return;
  for (const std::string& name : names) {
    const auto [parent, last] = base::split_path(name);
    const base::UniqueFd fd(open_granted(*opened, parent, O_PATH | O_DIRECTORY));
    if (fd.is_open()) ::unlinkat(fd.get(), last.c_str(), AT_REMOVEDIR);
  }
}

// Takes what `refusal` is about out of `tool`. False when that cannot be done.
bool give_in(const Refusal& refusal, const std::vector<Ceiling>& ceilings, ToolDeclaration& tool) {
  const std::string value = refusal.on.substr(refusal.on.find(':') + 1);
  const auto drop = [&](std::optional<std::vector<PathEntry>>& entries) {
    return entries &&
           std::erase_if(*entries, [&](const PathEntry& e) { return e.path == value; }) > 0;
  };
  if (refusal.key == "read") return drop(tool.read);
  if (refusal.key == "write") return drop(tool.write);
  if (refusal.key == "exec") return drop(tool.exec);
  if (refusal.key == "network") {
    return std::exchange(tool.network, Network::none) != Network::none;
  }
  if (refusal.key == "git") return std::exchange(tool.git, Git::none) != Git::none;
  if (refusal.key == "profile")
    return std::exchange(tool.profile, "lint-offline") != "lint-offline";
  if (refusal.key == "env")
    return std::erase_if(tool.env, [&](const EnvEntry& e) { return e.name == value; }) > 0;
  if (refusal.key != "limits") return false;
  if (refusal.rule == "limit") return tool.limits.erase(value) > 0;
  if (refusal.rule != "ceiling") return false;
  std::uint64_t most = UINT64_MAX;
  for (const Ceiling& c : ceilings)
    if (c.limits)
      if (const auto at = c.limits->find(value); at != c.limits->end())
        most = std::min(most, at->second);
  const auto at = tool.limits.find(value);
  if (most == UINT64_MAX || (at != tool.limits.end() && at->second <= most)) return false;
  tool.limits[value] = most;
  return true;
}

}  // namespace

Result<LearnSite> LearnSite::make(const RunOptions& options, std::vector<std::string> words) {
  LearnSite out;
  auto cwd = current_directory();
  if (!cwd) return base::Unexpected(std::move(cwd).error());
  auto workspace = open_workspace(options.workspace, *cwd);
  if (!workspace) return base::Unexpected(std::move(workspace).error());
  out.workspace_ = workspace->path;
  out.cwd_ = relative_to(*workspace, *cwd).value_or(".");
  auto directory = make_private_directory(out.workspace_);
  if (!directory) return base::Unexpected(std::move(directory).error());
  out.directory_ = std::move(*directory);
  RunOptions& o = out.options_;
  o.workspace = out.workspace_;
  o.ceiling = options.ceiling;
  o.words = std::move(words);
  o.config = out.directory_ + "/ethos.json";
  o.ledger = options.ledger;
  o.keys = options.keys;
  o.service = options.service;
  o.cgroup_parent = options.cgroup_parent;
  o.standard_input = options.standard_input.value_or("none");
  o.task = options.task;
  o.actor = options.actor;
  o.is_quiet = true;
  o.has_no_init = true;
  o.is_learning = true;
  if (auto made = out.make_ledger(); !made) return base::Unexpected(std::move(made).error());
  return out;
}

// Evidence is kept where the caller says so; else the runs have a ledger that goes with them, so
// that they are runs like any other.
Result<void> LearnSite::make_ledger() {
  const auto environment = ledger::process_environment();
  if (options_.ledger || options_.service || environment("ETHOS_LEDGER") ||
      environment("ETHOS_SERVICE"))
    return {};
  auto clock = base::SystemClock::open();
  if (!clock) return base::Unexpected(std::move(clock).error());
  options_.ledger = directory_ + "/ledger.db";
  options_.keys.reset();
  has_own_ledger_ = true;
  ledger::CreateOptions create;
  create.origin_name = "learn";
  auto made = ledger::create_ledger(ledger::LedgerFiles::at(*options_.ledger), create, *clock);
  if (!made) return base::Unexpected(std::move(made).error());
  return {};
}

LearnSite::LearnSite(LearnSite&& other) noexcept
    : options_(std::move(other.options_)),
      workspace_(std::move(other.workspace_)),
      cwd_(std::move(other.cwd_)),
      directory_(std::exchange(other.directory_, {})),
      has_own_ledger_(other.has_own_ledger_) {}

LearnSite::~LearnSite() {
  std::error_code ignored;
  if (!directory_.empty()) std::filesystem::remove_all(directory_, ignored);
}

Result<void> LearnSite::write_declaration(const ToolDeclaration& tool) const {
  base::ReplaceOptions how;
  how.mode = 0600;
  how.sync = base::Sync::none;
  return base::replace_file(*options_.config, base::as_bytes(declaration_text(tool, {})), how);
}

Result<Prepared> LearnSite::prepare_for(const ToolDeclaration& tool) {
  if (auto written = write_declaration(tool); !written)
    return base::Unexpected(std::move(written).error());
  auto caller = read_caller();
  if (!caller) return base::Unexpected(std::move(caller).error());
  auto host = read_host(options_.cgroup_parent.value_or(""));
  if (!host) return base::Unexpected(std::move(host).error());
  auto choice =
      ledger::choose_ledger(options_.ledger, options_.keys, ledger::process_environment());
  if (!choice) return base::Unexpected(std::move(choice).error());
  RunOptions options = options_;
  options.tool = tool.name;
  return prepare(options, *caller, choice->files, host->facts, Purpose::show);
}

Result<LearnSite::Settled> LearnSite::settle(ToolDeclaration tool) {
  Settled out{std::move(tool), {}};
  constexpr int kMostRounds = 64;
  for (int round = 0; round < kMostRounds; ++round) {
    auto prepared = prepare_for(out.tool);
    if (!prepared) return base::Unexpected(std::move(prepared).error());
    if (prepared->refusals.empty()) return out;
    std::size_t helped = 0;
    for (const Refusal& r : prepared->refusals) {
      if (!give_in(r, prepared->policy.ceilings, out.tool)) continue;
      ++helped;
      out.dropped.emplace_back(r.on, r.cause);
    }
    if (helped > 0) continue;
    const Refusal& r = prepared->refusals.front();
    return base::fail(Errc::refused, refusal_line(r.cause, r.rule, r.on, r.fix));
  }
  return base::fail(Errc::refused, "too much of the declaration is refused");
}

int LearnSite::run(const ToolDeclaration& tool, Observation& seen, std::ostream& err) {
  if (auto written = write_declaration(tool); !written) {
    seen.refusals.push_back(written.error().message());
    constexpr int kRunnerFailed = 125;
    return kRunnerFailed;
  }
  RunOptions options = options_;
  options.tool = tool.name;
  const auto made = missing_directories(tool, workspace_);
  const int status = run_tool(options, err, std::nullopt, &seen);
  remove_directories(made, workspace_);
  return status;
}

}  // namespace ethos::sandbox
