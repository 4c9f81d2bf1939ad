// SPDX-License-Identifier: Apache-2.0
#include "verify/scratch_dir.h"

#include <dirent.h>
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>

namespace ethos::verify {
namespace {

// What a signal's handler may look at: no allocation, no list of a directory. The names are those
// that the program (and SQLite beside them) gives its copies.
struct Slot {
  std::atomic<bool> is_used{false};
  std::array<char, 4096> path{};
};
std::array<Slot, 4> slots;
constexpr std::array kNames = {"/input", "/ledger.db", "/ledger.db-wal", "/ledger.db-shm", "/ledger.db-journal"};
constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};

extern "C" void clear_and_end(int signal) {
  for (Slot& slot : slots) {
    if (!slot.is_used.load()) continue;
    const std::size_t length = std::strlen(slot.path.data());
    for (const char* name : kNames) {
      if (length + std::strlen(name) >= slot.path.size()) continue;
      std::strcpy(slot.path.data() + length, name);
      ::unlink(slot.path.data());
    }
    slot.path[length] = '\0';
    ::rmdir(slot.path.data());
  }
  // The handler is gone by SA_RESETHAND: this is the end that the signal would have been.
  ::raise(signal);
}

void watch_signals() {
  struct sigaction act {};
  act.sa_handler = clear_and_end;
  act.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int signal : kSignals) sigaddset(&act.sa_mask, signal);
  for (const int signal : kSignals) {
    struct sigaction before {};
    // What the caller ignores (nohup) stays ignored.
    if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_DFL) ::sigaction(signal, &act, nullptr);
  }
}

// No signal between the making of a directory and its being written down.
class Blocked {
 public:
  Blocked() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : kSignals) sigaddset(&set, signal);
    pthread_sigmask(SIG_BLOCK, &set, &before_);
  }
  ~Blocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  Blocked(const Blocked&) = delete;
  Blocked& operator=(const Blocked&) = delete;

 private:
  sigset_t before_{};
};

void remember(const std::string& path) {
  static std::once_flag once;
  std::call_once(once, watch_signals);
  for (Slot& slot : slots) {
    if (slot.is_used.load() || path.size() >= slot.path.size()) continue;
    std::memcpy(slot.path.data(), path.c_str(), path.size() + 1);
    slot.is_used.store(true);
    return;
  }
}

void forget(const std::string& path) {
  for (Slot& slot : slots) {
    if (slot.is_used.load() && path == slot.path.data()) slot.is_used.store(false);
  }
}

}  // namespace

Result<ScratchDir> ScratchDir::make(std::uint64_t bytes_needed) {
  const char* wanted = std::getenv("TMPDIR");
  std::string base = wanted != nullptr && *wanted != '\0' ? wanted : "/tmp";
  if (wanted == nullptr && bytes_needed > (std::uint64_t{64} << 20U)) base = "/var/tmp";
  std::string name = base + "/ethos-verify.XXXXXX";
  const Blocked blocked;
  if (::mkdtemp(name.data()) == nullptr) {
    const int error = errno;
    return Error{error == ENOENT ? Errc::not_found : Errc::io, "make a directory in " + base + ": " + std::strerror(error)};
  }
  remember(name);
  ScratchDir dir;
  dir.path_ = name;
  return dir;
}

ScratchDir::ScratchDir(ScratchDir&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }

ScratchDir& ScratchDir::operator=(ScratchDir&& other) noexcept {
  if (this != &other) {
    remove();
    path_ = std::move(other.path_);
    other.path_.clear();
  }
  return *this;
}

ScratchDir::~ScratchDir() { remove(); }

void ScratchDir::remove() {
  if (path_.empty()) return;
  struct Close {
    void operator()(DIR* dir) const { ::closedir(dir); }
  };
  const Blocked blocked;
  if (const std::unique_ptr<DIR, Close> dir{::opendir(path_.c_str())}) {
    while (const dirent* entry = ::readdir(dir.get())) {
      ::unlinkat(::dirfd(dir.get()), static_cast<const char*>(entry->d_name), 0);
    }
  }
  ::rmdir(path_.c_str());
  forget(path_);
  path_.clear();
}

}  // namespace ethos::verify
