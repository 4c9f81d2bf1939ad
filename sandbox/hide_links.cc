// SPDX-License-Identifier: Apache-2.0
#include "sandbox/hide_links.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <memory>
#include <utility>

#include "ledger/base/unique_fd.h"
#include "sandbox/closed_directory.h"
#include "sandbox/path_text.h"

namespace ethos::sandbox {
namespace {

using base::Errc;
using base::Result;
using base::UniqueFd;

constexpr std::size_t kMaxLevels = 500;

struct DirCloser {
  void operator()(DIR* dir) const { closedir(dir); }
};

using FileId = std::pair<dev_t, ino_t>;

// Visits the regular files below a place; of directories for which `enters` says no, nothing.
class FileWalk {
 public:
  using Visit = std::function<void(const std::string& path, const struct stat& file)>;
  using Enters = std::function<bool(const std::string& path)>;
  // Of a directory that cannot be listed, for the reason `error`.
  using Closed = std::function<Result<void>(int directory, const std::string& path, int error)>;

  FileWalk(const Workspace& workspace, std::size_t& entries, Interruption* interruption,
           Visit visit, Enters enters, Closed closed)
      : workspace_(workspace),
        entries_(entries),
        interruption_(interruption),
        visit_(std::move(visit)),
        enters_(std::move(enters)),
        closed_(std::move(closed)) {}

  Result<void> run(const std::string& top) {
    const UniqueFd at(open_granted(workspace_, top, O_PATH | O_NOFOLLOW));
    struct stat st {};
    if (!at.is_open() || ::fstat(at.get(), &st) != 0)
      return is_out_of_reach(errno) ? Result<void>() : base::fail_errno("look at " + top, errno);
    path_ = top == "." ? "" : top;
    if (S_ISREG(st.st_mode)) visit_(path_, st);
    if (!S_ISDIR(st.st_mode)) return {};
    UniqueFd directory(open_granted(workspace_, top, O_RDONLY | O_DIRECTORY));
    if (!directory.is_open()) return closed(at.get(), errno);
    return walk(std::move(directory), 1);
  }

 private:
  [[nodiscard]] Result<void> closed(int directory, int error) const {
    return closed_(directory, path_.empty() ? "." : path_, error);
  }

  Result<void> walk(UniqueFd directory, std::size_t level) {
    if (level > kMaxLevels)
      return base::fail(Errc::too_large, "more than 500 levels of directories");
    const std::unique_ptr<DIR, DirCloser> dir(::fdopendir(directory.release()));
    if (!dir) return base::fail_errno("read directory " + path_, errno);
    const std::size_t length = path_.size();
    while (const dirent* entry = ::readdir(dir.get())) {
      if (std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0) continue;
      if (++entries_ > kMaxHideEntries)
        return base::fail(Errc::too_large, "more than 20 million entries to look at");
      if (auto done = check_time(interruption_, entries_); !done) return done;
      if (entry->d_type != DT_REG && entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN)
        continue;
      if (!path_.empty()) path_ += '/';
      path_ += entry->d_name;
      auto done = look_at(::dirfd(dir.get()), entry->d_name, level);
      path_.resize(length);
      if (!done) return done;
    }
    return {};
  }

  Result<void> look_at(int directory, const char* name, std::size_t level) {
    struct stat st {};
    if (::fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
      return is_out_of_reach(errno) ? Result<void>() : base::fail_errno("look at " + path_, errno);
    if (S_ISREG(st.st_mode)) visit_(path_, st);
    if (!S_ISDIR(st.st_mode) || !enters_(path_)) return {};
    UniqueFd next(::openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (next.is_open()) return walk(std::move(next), level + 1);
    const int error = errno;
    const UniqueFd at(::openat(directory, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    return closed(at.get(), error);
  }

  const Workspace& workspace_;
  std::size_t& entries_;
  Interruption* interruption_;
  Visit visit_;
  Enters enters_;
  Closed closed_;
  std::string path_;
};

bool is_inside_other(const std::string& tree, const std::vector<std::string>& trees) {
  return std::ranges::any_of(trees, [&](const std::string& other) {
    return other != tree && is_at_or_below(tree, other);
  });
}

// Of a directory that cannot be listed: the caller may search it, or could give himself that right.
bool is_open_to_caller(int directory) {
  struct stat st {};
  if (directory < 0 || ::fstat(directory, &st) != 0) return false;
  // For whomever this thread opens files; no user has the number -1.
  const auto caller = static_cast<uid_t>(::setfsuid(static_cast<uid_t>(-1)));
  return st.st_uid == caller || ::fstatat(directory, "./.", &st, 0) == 0;
}

Result<void> other_name(const std::string& directory, const std::string& file) {
  constexpr std::size_t kShown = 300;
  return base::fail(Errc::refused, "the hidden directory " + directory.substr(0, kShown) +
                                       " cannot be listed, so nobody can tell whether " +
                                       file.substr(0, kShown) +
                                       ", which has more than one name, is a file of it; give the "
                                       "directory read permission, or hide that file too");
}

}  // namespace

Result<void> check_time(Interruption* interruption, std::size_t entries) {
  constexpr std::size_t kBetween = 64;
  if (interruption == nullptr || entries % kBetween != 0 || !interruption->is_over()) return {};
  return base::fail(Errc::refused, interruption->reason() == Interruption::Reason::signal
                                       ? "the look was ended by a signal"
                                       : "the look took too long");
}

std::uint64_t written_size(std::string_view path) {
  std::uint64_t out = path.size();
  for (const char c : path)
    if (static_cast<unsigned char>(c) < 0x20) out += 5;
  return out;
}

Result<void> check_hidden_places(std::size_t count, std::uint64_t path_bytes) {
  if (count > kMaxHiddenPlaces) return base::fail(Errc::too_large, "more than 10000 hidden places");
  if (path_bytes > kMaxHiddenPathBytes)
    return base::fail(Errc::too_large, "hidden places with paths of more than 3 MiB together");
  return {};
}

Result<void> hide_other_names(const Workspace& workspace, const std::vector<std::string>& trees,
                              std::map<std::string, HideFact>& found, std::uint64_t& path_bytes,
                              std::size_t& entries, Interruption* interruption) {
  std::map<FileId, HiddenBy> files;
  // Hidden directories with names that nobody can tell, by device: a file has all its names on one.
  std::map<dev_t, std::string> untold;
  const auto note_closed = [&](int directory, const std::string& path, int error) -> Result<void> {
    if (error != EACCES) return check_closed(directory, path, error);
    struct stat st {};
    if (is_open_to_caller(directory) && ::fstat(directory, &st) == 0)
      untold.try_emplace(st.st_dev, path);
    return {};
  };
  for (const auto& [path, fact] : found) {
    const HiddenBy by = fact.by;
    FileWalk hidden(
        workspace, entries, interruption,
        [&](const std::string&, const struct stat& file) {
          if (file.st_nlink > 1) files.try_emplace({file.st_dev, file.st_ino}, by);
        },
        [](const std::string&) { return true; }, note_closed);
    if (auto done = hidden.run(path); !done) return done;
  }
  if (files.empty() && untold.empty()) return {};
  const std::map<std::string, HideFact> known = found;
  const auto is_known = [&](const std::string& path) { return known.contains(path); };
  Result<void> doubt;
  FileWalk visible(
      workspace, entries, interruption,
      [&](const std::string& path, const struct stat& file) {
        if (is_known(path) || !check_hidden_places(found.size(), path_bytes)) return;
        const auto same = files.find({file.st_dev, file.st_ino});
        if (same != files.end()) {
          path_bytes += written_size(path);
          found.try_emplace(path, HideFact{same->second, path, NodeType::file});
        } else if (const auto at = untold.find(file.st_dev);
                   at != untold.end() && file.st_nlink > 1 && doubt) {
          doubt = other_name(at->second, path);
        }
      },
      [&](const std::string& path) { return !is_known(path); }, check_closed);
  for (const std::string& tree : trees) {
    if (is_inside_other(tree, trees) || is_known(tree)) continue;
    if (auto done = visible.run(tree); !done) return done;
  }
  if (!doubt) return doubt;
  return check_hidden_places(found.size(), path_bytes);
}

}  // namespace ethos::sandbox
