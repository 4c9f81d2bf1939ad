// SPDX-License-Identifier: Apache-2.0
#include "ledger/run_lock.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <ctime>
#include <memory>

#include "ledger/base/file_io.h"
#include "ledger/base/paths.h"
#include "ledger/dead_cgroup.h"
#include "ledger/high_water.h"
#include "ledger/record/checkpoint.h"

namespace ethos::ledger {

using base::Errc;
using base::Result;
using base::Unexpected;

namespace {

struct DirCloser {
  void operator()(DIR* dir) const { ::closedir(dir); }
};

constexpr std::string_view kService = "service ";
constexpr std::string_view kCgroup = "cgroup ";

// Takes a decimal number and the space behind it off the front.
template <typename T>
bool take_number(std::string_view& text, T& out) {
  const auto [stopped, ec] = std::from_chars(text.data(), text.data() + text.size(), out);
  const auto at = static_cast<std::size_t>(stopped - text.data());
  if (ec != std::errc{} || at >= text.size() || text[at] != ' ') return false;
  text.remove_prefix(at + 1);
  return true;
}

// "1000 4242 123456 sha256:..."
std::optional<RunFile::Service> parse_service(std::string_view text) {
  RunFile::Service out;
  if (!take_number(text, out.uid) || !take_number(text, out.pid) ||
      !take_number(text, out.started)) {
    return std::nullopt;
  }
  auto hash = record::Digest::from_text(text);
  if (!hash) return std::nullopt;
  out.token_hash = *hash;
  return out;
}

}  // namespace

std::string cgroup_line(const std::string& path) { return std::string(kCgroup) + path + "\n"; }

RunFile parse_run_file(std::string_view text) {
  RunFile out;
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return out;
  auto size = record::parse_size(text.substr(0, end));
  if (size) out.first_size = *size;
  for (;;) {
    text.remove_prefix(text.find('\n') + 1);
    const std::size_t length = text.find('\n');
    if (length == std::string_view::npos) return out;  // nothing, or half a line
    const std::string_view line = text.substr(0, length);
    if (line.starts_with(kService))
      out.service = parse_service(line.substr(kService.size()));
    else if (line.starts_with(kCgroup) && is_run_cgroup(line.substr(kCgroup.size())))
      out.cgroups.emplace_back(line.substr(kCgroup.size()));
  }
}

bool has_run_files(const LedgerFiles& files) {
  const std::unique_ptr<DIR, DirCloser> dir(::opendir(files.runs().c_str()));
  if (!dir) return errno != ENOENT;  // whoever reads it says what is wrong
  while (const dirent* entry = ::readdir(dir.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") return true;
  }
  return false;
}

Result<std::vector<record::RunId>> list_run_files(const LedgerFiles& files) {
  std::vector<record::RunId> out;
  const std::unique_ptr<DIR, DirCloser> dir(::opendir(files.runs().c_str()));
  if (!dir) {
    if (errno == ENOENT) return out;
    return base::fail_errno(files.runs(), errno);
  }
  // Its end and an error look alike: a run that was not seen would never be ended.
  for (errno = 0; const dirent* entry = ::readdir(dir.get()); errno = 0) {
    // Anything else is a file still being made (".new"), or not ours.
    auto run = record::RunId::from_text(entry->d_name);
    if (run) out.push_back(*run);
  }
  if (errno != 0) return base::fail_errno(files.runs(), errno);
  return out;
}

void remove_unfinished_run_files(const LedgerFiles& files) {
  constexpr std::string_view kNew = ".new";
  constexpr std::time_t kOldSeconds = 60;  // making one takes less than a millisecond
  const std::unique_ptr<DIR, DirCloser> dir(::opendir(files.runs().c_str()));
  if (!dir) return;
  while (const dirent* entry = ::readdir(dir.get())) {
    const std::string_view name = entry->d_name;
    if (!name.ends_with(kNew) ||
        !record::RunId::from_text(name.substr(0, name.size() - kNew.size())))
      continue;
    struct stat st {};
    if (::fstatat(::dirfd(dir.get()), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISREG(st.st_mode) && ::time(nullptr) - st.st_mtime > kOldSeconds)
      ::unlinkat(::dirfd(dir.get()), entry->d_name, 0);
  }
}

Result<base::FileLock> create_run_file(const LedgerFiles& files, const record::RunId& run,
                                       const RunFile& content) {
  if (::mkdir(files.runs().c_str(), 0700) != 0 && errno != EEXIST) {
    return base::fail_errno(files.runs(), errno);
  }
  const std::string path = files.runs() + "/" + run.text();
  // Locked before it gets its name: recovery must never find an unlocked file of a live run.
  const std::string temp = path + ".new";
  auto fd = base::open_path(temp, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
  if (!fd) return Unexpected(std::move(fd).error());
  auto lock =
      base::FileLock::take(std::move(*fd), base::LockKind::exclusive, base::IfBusy::give_up, temp);
  if (!lock) return Unexpected(std::move(lock).error());
  std::string text = std::to_string(content.first_size) + "\n";
  if (content.service) {
    const RunFile::Service& who = *content.service;
    text += std::string(kService) + std::to_string(who.uid) + " " + std::to_string(who.pid) + " " +
            std::to_string(who.started) + " " + who.token_hash.text() + "\n";
  }
  auto ok = base::write_all(lock->fd(), base::as_bytes(text), temp);
  if (ok && ::rename(temp.c_str(), path.c_str()) != 0) ok = base::fail_errno(path, errno);
  if (!ok) {
    ::unlink(temp.c_str());
    return Unexpected(std::move(ok).error());
  }
  return std::move(*lock);
}

Result<RunLock> RunLock::create(const LedgerFiles& files, const record::RunId& run) {
  auto lock = create_run_file(files, run, {high_water_size(files)});
  if (!lock) return Unexpected(std::move(lock).error());
  return RunLock(std::move(*lock), files.runs() + "/" + run.text());
}

Result<void> RunLock::note_cgroup(const std::string& path) {
  if (!is_run_cgroup(path)) return base::fail(Errc::malformed, "control group " + path);
  // Not synced: what a power cut takes from the file it takes from the kernel, too.
  return base::write_all(lock_.fd(), base::as_bytes(cgroup_line(path)), path_);
}

Result<void> RunLock::finish() {
  if (::unlink(path_.c_str()) != 0 && errno != ENOENT) return base::fail_errno(path_, errno);
  return {};
}

}  // namespace ethos::ledger
