// SPDX-License-Identifier: Apache-2.0
#include "sandbox/facts_collect.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <set>

#include "sandbox/file_rights.h"
#include "sandbox/hide_walk.h"
#include "sandbox/path_text.h"

namespace ethos::sandbox {
namespace {

using base::Errc;
using base::Result;
using base::UniqueFd;

std::optional<std::string> read_link(const std::string& path) {
  std::array<char, 4096> text{};
  const ssize_t n = ::readlink(path.c_str(), text.data(), text.size());
  if (n <= 0 || static_cast<std::size_t>(n) == text.size()) return std::nullopt;
  return std::string(text.data(), static_cast<std::size_t>(n));
}

class Collector {
 public:
  Collector(const Workspace& workspace, const Normal& normal, const FactsRequest& request)
      : workspace_(workspace), normal_(normal), request_(request) {}

  Result<Facts> run() {
    facts_.host = request_.host;
    facts_.workspace_device = workspace_.device;
    facts_.workspace_inode = workspace_.inode;
    facts_.workspace_uid = workspace_.uid;
    facts_.workspace_gid = workspace_.gid;
    facts_.cwd = relative_to(workspace_, request_.cwd).value_or(".");
    environment();
    system();
    paths(Capability::read, normal_.read);
    paths(Capability::write, normal_.write);
    paths(Capability::exec, normal_.exec);
    git();
    policy();
    auto hidden = find_hidden(workspace_, normal_, granted_trees(false), granted_trees(true));
    if (!hidden) return base::Unexpected(std::move(hidden).error());
    facts_.hides = std::move(*hidden);
    return std::move(facts_);
  }

 private:
  void environment() {
    for (const EnvEntry& entry : normal_.env) {
      const bool is_set =
          std::ranges::find(request_.environment, entry.name) != request_.environment.end();
      if (!entry.value && is_set) facts_.env.push_back(entry.name);
    }
    std::ranges::sort(facts_.env);
  }

  void system_entry(const std::string& at, bool may_be_file, std::vector<SystemEntry>& into) {
    struct stat st {};
    if (::lstat(at.c_str(), &st) != 0) return;
    if (S_ISLNK(st.st_mode)) {
      const auto target = read_link(at);
      const bool leads_to_usr =
          target && (target->starts_with("/usr/") || target->starts_with("../usr/"));
      if (target && (at != "/etc/localtime" || leads_to_usr))
        facts_.system_links.push_back({at, *target});
    } else if (S_ISDIR(st.st_mode) || (may_be_file && S_ISREG(st.st_mode))) {
      into.push_back(
          {at, st.st_dev, st.st_ino, S_ISDIR(st.st_mode) ? NodeType::directory : NodeType::file});
    }
  }

  void system() {
    for (const char* at : {"/bin", "/lib", "/lib32", "/lib64", "/libx32", "/sbin", "/usr"})
      system_entry(at, false, facts_.system_dirs);
    for (const char* at : {"/etc/alternatives", "/etc/ld.so.cache", "/etc/localtime"})
      system_entry(at, true, facts_.system_etc);
    std::ranges::sort(facts_.system_links, {}, &Link::at);
  }

  void paths(Capability capability, const std::vector<PathEntry>& entries) {
    for (const PathEntry& entry : entries) {
      const bool is_special = capability == Capability::exec &&
                              (entry.path == kExecMemory || entry.path == kExecScratch);
      if (!is_special) facts_.paths.push_back(path(capability, entry.path));
    }
  }

  PathFact path(Capability capability, const std::string& asked) {
    PathFact fact;
    fact.capability = capability;
    fact.asked = asked;
    const UniqueFd fd(open_granted(workspace_, asked, O_PATH));
    struct stat st {};
    if (!fd.is_open()) return unopened(std::move(fact));
    if (::fstat(fd.get(), &st) != 0) return refused(std::move(fact), errno);
    if (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode)) return refused(std::move(fact), EINVAL);
    fact.state = PathState::present;
    fact.device = st.st_dev;
    fact.inode = st.st_ino;
    fact.links = st.st_nlink;
    fact.owner = st.st_uid;
    fact.type = S_ISDIR(st.st_mode) ? NodeType::directory : NodeType::file;
    fact.holds = what_it_holds(asked);
    return fact;
  }

  static PathFact refused(PathFact fact, int error) {
    fact.state = PathState::refused;
    fact.error = error;
    return fact;
  }

  PathFact unopened(PathFact fact) {
    const int error = -open_granted(workspace_, fact.asked, O_PATH);
    if (error != ENOENT) return refused(std::move(fact), error > 0 ? error : EAGAIN);
    fact.state = PathState::absent;
    if (fact.capability == Capability::write && !fact.asked.starts_with('/')) {
      fact.state = PathState::created;  // to be made: create_write_directories
      fact.links = 2;
      fact.owner = workspace_.uid;
      fact.holds = what_it_holds(fact.asked);
    }
    return fact;
  }

  std::vector<std::string> what_it_holds(const std::string& asked) const {
    const std::string at = absolute_path_of(asked, workspace_.path);
    std::vector<std::string> out;
    if (!request_.home.empty() && is_at_or_below(request_.home, at)) out.emplace_back("home");
    const bool has_ledger = std::ranges::any_of(request_.ledger_paths, [&](const std::string& l) {
      return is_at_or_below(l, at) || is_at_or_below(at, l);
    });
    if (has_ledger) out.emplace_back("ledger");
    if (asked.starts_with('/') && is_at_or_below(workspace_.path, at))
      out.emplace_back("workspace");
    return out;
  }

  void git() {
    struct stat st {};
    if (::fstatat(workspace_.fd.get(), ".git", &st, AT_SYMLINK_NOFOLLOW) != 0) return;
    if (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode)) return;
    facts_.git = S_ISDIR(st.st_mode) ? GitLayout::directory : GitLayout::file;
    facts_.git_device = st.st_dev;
    facts_.git_inode = st.st_ino;
  }

  void policy() {
    std::set<std::string> inside = {"ethos.json"};
    for (const std::string& file : request_.policy_files)
      if (const auto relative = relative_to(workspace_, file)) inside.insert(*relative);
    facts_.policy_files.assign(inside.begin(), inside.end());
  }

  std::vector<std::string> granted_trees(bool is_absolute) const {
    std::set<std::string> trees;
    for (const PathFact& fact : facts_.paths)
      if (fact.state == PathState::present && fact.asked.starts_with('/') == is_absolute)
        trees.insert(fact.asked);
    return {trees.begin(), trees.end()};
  }

  const Workspace& workspace_;
  const Normal& normal_;
  const FactsRequest& request_;
  Facts facts_;
};

// One component at a time, so that a link planted meanwhile is met and refused.
Result<void> make_beneath(const Workspace& workspace, const std::string& path) {
  for (std::size_t end = path.find('/');; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    const std::size_t slash = part.rfind('/');
    const std::string parent = slash == std::string::npos ? "." : part.substr(0, slash);
    const std::string name = slash == std::string::npos ? part : part.substr(slash + 1);
    const UniqueFd directory(open_granted(workspace, parent, O_PATH | O_DIRECTORY));
    if (!directory.is_open())
      return base::fail(Errc::io, "make " + part + ": its parent cannot be opened");
    constexpr mode_t kMode = 0755;
    if (::mkdirat(directory.get(), name.c_str(), kMode) == 0) {
      const UniqueFd made(open_granted(workspace, part, O_RDONLY | O_DIRECTORY));
      if (!made.is_open()) return base::fail(Errc::io, "make " + part);
      if (is_roots_runner() && ::fchown(made.get(), workspace.uid, workspace.gid) != 0)
        return base::fail_errno("make " + part, errno);
    } else if (errno != EEXIST) {
      return base::fail_errno("make " + part, errno);
    }
    if (end == std::string::npos) return {};
  }
}

}  // namespace

Result<Facts> collect_facts(const Workspace& workspace, const Normal& normal,
                            const FactsRequest& request) {
  return Collector(workspace, normal, request).run();
}

Result<void> create_write_directories(const Workspace& workspace, Facts& facts) {
  for (PathFact& fact : facts.paths) {
    if (fact.state != PathState::created) continue;
    if (auto made = make_beneath(workspace, fact.asked); !made) return made;
    const UniqueFd fd(open_granted(workspace, fact.asked, O_PATH | O_DIRECTORY));
    struct stat st {};
    if (!fd.is_open() || ::fstat(fd.get(), &st) != 0)
      return base::fail(Errc::io, "make " + fact.asked);
    fact.device = st.st_dev;
    fact.inode = st.st_ino;
    fact.links = st.st_nlink;
    fact.owner = st.st_uid;
  }
  return {};
}

}  // namespace ethos::sandbox
