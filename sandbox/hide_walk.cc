// SPDX-License-Identifier: Apache-2.0
#include "sandbox/hide_walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <optional>

#include "ledger/base/unique_fd.h"
#include "sandbox/closed_directory.h"
#include "sandbox/git_rules.h"
#include "sandbox/hide_links.h"
#include "sandbox/hide_pattern.h"
#include "sandbox/path_text.h"

namespace ethos::sandbox {
namespace {

using base::Errc;
using base::Result;
using base::UniqueFd;

constexpr std::size_t kMaxLevels = 500;

// Processor time of this thread.
std::uint64_t cpu_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(now.tv_nsec);
}

class Walk {
 public:
  Walk(const Workspace& workspace, const Normal& normal, const std::vector<std::string>& trees,
       const std::vector<std::string>& outside, std::uint64_t max_steps, Interruption* interruption)
      : workspace_(workspace),
        normal_(normal),
        trees_(trees),
        outside_(outside),
        max_steps_(max_steps),
        interruption_(interruption) {
    for (const std::string& pattern : normal.hide) patterns_.emplace_back(pattern);
    costs_.resize(patterns_.size());
  }

  Result<std::vector<HideFact>> run() {
    for (const std::string& tree : trees_) {
      const bool is_inside_other = std::ranges::any_of(trees_, [&](const std::string& other) {
        return other != tree && is_at_or_below(tree, other);
      });
      if (is_inside_other) continue;
      if (auto done = start(tree); !done) return base::Unexpected(std::move(done).error());
    }
    if (auto done =
            hide_other_names(workspace_, all_trees(), found_, path_bytes_, entries_, interruption_);
        !done)
      return base::Unexpected(std::move(done).error());
    std::vector<HideFact> out;
    for (auto& [path, fact] : found_)
      if (!is_in_hidden(path)) out.push_back(std::move(fact));
    return out;
  }

 private:
  // Of each pattern, for one directory.
  using States = std::vector<HidePattern::State>;

  // Where a link or another name led into a hidden directory: hidden with it, and nothing could be
  // mounted there.
  [[nodiscard]] bool is_in_hidden(const std::string& path) const {
    if (path != "." && found_.contains(".")) return true;
    for (auto slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1))
      if (found_.contains(path.substr(0, slash))) return true;
    return false;
  }

  // Other names of a file are no less readable outside the workspace.
  [[nodiscard]] std::vector<std::string> all_trees() const {
    std::vector<std::string> out = trees_;
    out.insert(out.end(), outside_.begin(), outside_.end());
    return out;
  }

  Result<void> start(const std::string& tree) {
    UniqueFd fd(open_granted(workspace_, tree, O_PATH));
    struct stat st {};
    if (!fd.is_open() || ::fstat(fd.get(), &st) != 0) return base::fail(Errc::io, "walk " + tree);
    const bool is_directory = S_ISDIR(st.st_mode);
    path_ = tree == "." ? "" : tree;
    States states;
    for (const HidePattern& pattern : patterns_) states.push_back(pattern.root());
    if (!path_.empty()) {
      const std::size_t last = tree.rfind('/') + 1;  // 0 without a '/'
      for (std::size_t at = 0; at < last;) {
        const std::size_t end = tree.find('/', at);
        states = below(states, std::string_view(tree).substr(at, end - at));
        at = end + 1;
      }
      const std::string_view name = std::string_view(tree).substr(last);
      if (const auto by = hidden_by(states, name, is_directory))
        return add(path_, *by, is_directory);
      states = below(states, name);
    }
    if (!is_directory) return {};
    UniqueFd directory(open_granted(workspace_, tree, O_RDONLY | O_DIRECTORY));
    if (!directory.is_open())
      return check_closed(fd.get(), path_.empty() ? std::string_view(".") : path_, errno);
    return walk(std::move(directory), states, 1);
  }

  States below(const States& above, std::string_view name) {
    States out(above.size());
    for (std::size_t i = 0; i < above.size(); ++i)
      if (above[i] != 0) out[i] = enter_pattern(i, above[i], name);
    return out;
  }

  HidePattern::State enter_pattern(std::size_t i, HidePattern::State above, std::string_view name) {
    const std::uint64_t before = costs_[i];
    const HidePattern::State out = patterns_[i].enter(above, name, costs_[i]);
    steps_ += costs_[i] - before;
    return out;
  }

  // `path_`, whose last name this is, against the patterns first: what both match counts as hidden
  // by the declaration.
  std::optional<HiddenBy> hidden_by(const States& above, std::string_view name, bool is_directory) {
    for (std::size_t i = 0; i < above.size(); ++i) {
      if (above[i] == 0) continue;
      const HidePattern::State state = enter_pattern(i, above[i], name);
      if (patterns_[i].accepts(state, is_directory)) return HiddenBy::hide;
    }
    constexpr std::size_t kAtOnce = 16;  // bytes of a path in a step
    steps_ += path_.size() / kAtOnce;
    if (is_hidden_by_git(path_, normal_.git)) return HiddenBy::git;
    return std::nullopt;
  }

  // Neither a declaration nor a tree may make the start slow: no clock runs yet.
  Result<void> check_work() const {
    if (steps_ <= max_steps_) return check_time(interruption_, entries_);
    const auto most = std::ranges::max_element(costs_);
    const bool is_pattern = most != costs_.end() && *most >= link_steps_;
    const std::string what =
        is_pattern ? normal_.hide[static_cast<std::size_t>(most - costs_.begin())].substr(0, 200)
                   : "links that match";
    return base::fail(Errc::too_large,
                      "hide patterns take more than " + std::to_string(max_steps_) +
                          " steps to compare with " + std::to_string(entries_) +
                          " entries, most of them for " + what +
                          "; use fewer patterns with fewer * and **, or grant less");
  }

  Result<void> add(const std::string& path, HiddenBy by, bool is_directory) {
    const NodeType type = is_directory ? NodeType::directory : NodeType::file;
    const auto [at, is_new] = found_.try_emplace(path, HideFact{by, path, type});
    if (!is_new && by == HiddenBy::hide) at->second.by = by;
    if (is_new) path_bytes_ += written_size(path);
    return check_hidden_places(found_.size(), path_bytes_);
  }

  // A link that matches stands for what it points to: its own text is no secret, and it cannot be
  // covered by a mount.
  Result<void> add_target(const UniqueFd& directory, const char* name, HiddenBy by) {
    // A path of links, as long as a tree likes to make it.
    const std::uint64_t before = cpu_ns();
    UniqueFd target(::openat(directory.get(), name, O_PATH | O_CLOEXEC));
    const int error = errno;
    const std::uint64_t steps = trees_.size() + cpu_ns() - before;
    steps_ += steps;
    link_steps_ += steps;
    if (!target.is_open()) {
      // Leads nowhere, or where nobody may go: shows nothing.
      return is_out_of_reach(error)
                 ? Result<void>()
                 : base::fail_errno("see where the link " + shown_path() + " leads", error);
    }
    struct stat st {};
    if (::fstat(target.get(), &st) != 0) return base::fail_errno("look at " + shown_path(), errno);
    std::array<char, 4097> text{};
    const std::string link = "/proc/self/fd/" + std::to_string(target.get());
    const ssize_t n = ::readlink(link.c_str(), text.data(), text.size());
    if (n <= 0 || static_cast<std::size_t>(n) == text.size())
      return base::fail(Errc::io, "cannot tell where the link " + path_ + " leads");
    const auto inside =
        relative_to(workspace_, std::string(text.data(), static_cast<std::size_t>(n)));
    const bool is_shown = inside && std::ranges::any_of(trees_, [&](const std::string& tree) {
                            return *inside != tree && is_at_or_below(*inside, tree);
                          });
    return is_shown ? add(*inside, by, S_ISDIR(st.st_mode)) : Result<void>();
  }

  Result<void> walk(UniqueFd directory, const States& states, std::size_t level) {
    if (level > kMaxLevels)
      return base::fail(Errc::too_large,
                        "more than 500 levels of directories below " + path_.substr(0, 60));
    std::vector<std::string> inner;
    if (auto read = read_entries(directory, states, inner); !read) return read;
    const std::size_t length = path_.size();
    for (const std::string& name : inner) {
      UniqueFd next(
          ::openat(directory.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
      const int error = next.is_open() ? 0 : errno;
      enter(name);
      Result<void> done;
      if (next.is_open()) {
        done = walk(std::move(next), below(states, name), level + 1);
      } else {
        const UniqueFd closed(
            ::openat(directory.get(), name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        done = check_closed(closed.get(), path_, error);
      }
      path_.resize(length);
      if (!done) return done;
    }
    return {};
  }

  [[nodiscard]] std::string shown_path() const { return path_.substr(0, 300); }

  void enter(const std::string& name) {
    if (!path_.empty()) path_ += '/';
    path_ += name;
  }

  // Matches each entry; leaves the names of the directories to enter in `inner`.
  Result<void> read_entries(const UniqueFd& directory, const States& states,
                            std::vector<std::string>& inner) {
    while (true) {
      const ssize_t n = ::getdents64(directory.get(), buffer_.data(), buffer_.size());
      if (n == 0) return {};
      if (n < 0)
        return errno == EACCES || errno == ENOENT
                   ? Result<void>()
                   : base::fail_errno("read directory " + path_, errno);
      for (ssize_t at = 0; at < n;) {
        const auto* entry = reinterpret_cast<const dirent64*>(buffer_.data() + at);
        at += entry->d_reclen;
        if (std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0) continue;
        if (++entries_ > kMaxHideEntries)
          return base::fail(Errc::too_large, "more than 20 million entries to look at");
        if (auto done = look_at(directory, *entry, states, inner); !done) return done;
        if (auto done = check_work(); !done) return done;
      }
    }
  }

  Result<void> look_at(const UniqueFd& directory, const dirent64& entry, const States& states,
                       std::vector<std::string>& inner) {
    unsigned char type = entry.d_type;
    if (type == DT_UNKNOWN) {
      struct stat st {};
      if (::fstatat(directory.get(), entry.d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return is_out_of_reach(errno) ? Result<void>()
                                      : base::fail_errno("look at " + shown_path(), errno);
      type = S_ISDIR(st.st_mode) ? DT_DIR : S_ISLNK(st.st_mode) ? DT_LNK : DT_REG;
    }
    const std::size_t length = path_.size();
    enter(entry.d_name);
    // A link may stand for a directory, so a pattern for directories is tried on it too.
    const auto by = hidden_by(states, entry.d_name, type == DT_DIR || type == DT_LNK);
    Result<void> done;
    if (by && type == DT_LNK)
      done = add_target(directory, entry.d_name, *by);
    else if (by)
      done = add(path_, *by, type == DT_DIR);
    else if (type == DT_DIR)
      inner.emplace_back(entry.d_name);
    path_.resize(length);
    return done;
  }

  const Workspace& workspace_;
  const Normal& normal_;
  const std::vector<std::string>& trees_;
  const std::vector<std::string>& outside_;
  std::uint64_t max_steps_;
  Interruption* interruption_;
  std::vector<HidePattern> patterns_;
  std::vector<std::uint64_t> costs_;  // steps of each pattern so far
  std::uint64_t steps_ = 0;
  std::uint64_t link_steps_ = 0;  // of them, to follow links
  std::string path_;              // of the entry at hand, relative to the workspace
  std::map<std::string, HideFact> found_;
  std::uint64_t path_bytes_ = 0;
  std::size_t entries_ = 0;
  // Not cleared: sixteen pages that a small workspace never needs.
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): filled by getdents64
  alignas(dirent64) std::array<char, 65536> buffer_;
};

// The same product that a verifier refuses (docs/formats/plan.md N-15).
Result<void> check_sizes(const Normal& normal) {
  constexpr std::uint64_t kMaxProduct = 16'777'216;
  const auto count = [](std::string_view text) {
    return 1 + static_cast<std::uint64_t>(std::ranges::count(text, '/'));
  };
  std::uint64_t patterns = 0;
  std::uint64_t paths = 0;
  const std::string* longest = nullptr;
  for (const std::string& pattern : normal.hide) {
    patterns += count(pattern);
    if (longest == nullptr || count(*longest) < count(pattern)) longest = &pattern;
  }
  for (const auto* list : {&normal.read, &normal.write, &normal.exec})
    for (const PathEntry& entry : *list) paths += count(entry.path);
  if (patterns * paths <= kMaxProduct) return {};
  return base::fail(Errc::too_large, "hide patterns of " + std::to_string(patterns) +
                                         " components and granted paths of " +
                                         std::to_string(paths) +
                                         " are too much to compare; the longest pattern is " +
                                         longest->substr(0, 200));
}

}  // namespace

Result<std::vector<HideFact>> find_hidden(const Workspace& workspace, const Normal& normal,
                                          const std::vector<std::string>& trees,
                                          const std::vector<std::string>& outside,
                                          std::uint64_t max_steps, Interruption* interruption) {
  if (auto done = check_sizes(normal); !done) return base::Unexpected(std::move(done).error());
  return Walk(workspace, normal, trees, outside, max_steps, interruption).run();
}

}  // namespace ethos::sandbox
