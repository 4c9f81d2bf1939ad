// SPDX-License-Identifier: Apache-2.0
#include "sandbox/hide_links.h"

#include <dirent.h>
#include <fcntl.h>
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

  FileWalk(const Workspace& workspace, std::size_t& entries, bool are_all_needed, Visit visit,
           Enters enters)
      : workspace_(workspace),
        entries_(entries),
        are_all_needed_(are_all_needed),
        visit_(std::move(visit)),
        enters_(std::move(enters)) {}

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
  // Of what is hidden no name needs to be found but those of files with another one: nobody who may
  // not list a directory can be told them.
  Result<void> closed(int directory, int error) const {
    if (!are_all_needed_ && error == EACCES) return {};
    return check_closed(directory, path_.empty() ? std::string_view(".") : path_, error);
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
  bool are_all_needed_;
  Visit visit_;
  Enters enters_;
  std::string path_;
};

bool is_inside_other(const std::string& tree, const std::vector<std::string>& trees) {
  return std::ranges::any_of(trees, [&](const std::string& other) {
    return other != tree && is_at_or_below(tree, other);
  });
}

}  // namespace

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
                              std::size_t& entries) {
  std::map<FileId, HiddenBy> files;
  for (const auto& [path, fact] : found) {
    const HiddenBy by = fact.by;
    FileWalk hidden(
        workspace, entries, false,
        [&](const std::string&, const struct stat& file) {
          if (file.st_nlink > 1) files.try_emplace({file.st_dev, file.st_ino}, by);
        },
        [](const std::string&) { return true; });
    if (auto done = hidden.run(path); !done) return done;
  }
  if (files.empty()) return {};
  const std::map<std::string, HideFact> known = found;
  const auto is_known = [&](const std::string& path) { return known.contains(path); };
  FileWalk visible(
      workspace, entries, true,
      [&](const std::string& path, const struct stat& file) {
        const auto same = files.find({file.st_dev, file.st_ino});
        if (same == files.end() || is_known(path) || !check_hidden_places(found.size(), path_bytes))
          return;
        path_bytes += written_size(path);
        found.try_emplace(path, HideFact{same->second, path, NodeType::file});
      },
      [&](const std::string& path) { return !is_known(path); });
  for (const std::string& tree : trees) {
    if (is_inside_other(tree, trees) || is_known(tree)) continue;
    if (auto done = visible.run(tree); !done) return done;
  }
  return check_hidden_places(found.size(), path_bytes);
}

}  // namespace ethos::sandbox
