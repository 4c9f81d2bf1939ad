// SPDX-License-Identifier: Apache-2.0
#include "tests/support/power_vfs.h"

#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace ethos::support {
namespace {

constexpr std::size_t kSector = 512;

// One change that the disk has not promised to keep.
struct Change {
  std::size_t at = 0;  // of a write; the new length of a truncation
  std::string bytes;
  bool is_truncation = false;
};

struct Disk {
  std::string synced;  // content at the last sync
  bool was_there = false;
  std::vector<Change> changes;  // since
};

struct State {
  int calls = 0;
  int cut = 0;
  sqlite3_vfs* real = nullptr;
  std::map<std::string, Disk> disks;  // by path
};
State state;  // SQLite's callbacks carry no better place

bool is_dead() {
  ++state.calls;
  return state.cut != 0 && state.calls >= state.cut;
}

std::string content_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void apply(std::string& to, const Change& change) {
  if (change.is_truncation) {
    to.resize(std::min(to.size(), change.at));
    return;
  }
  if (to.size() < change.at + change.bytes.size()) to.resize(change.at + change.bytes.size(), '\0');
  to.replace(change.at, change.bytes.size(), change.bytes);
}

// The system's file lies right behind ours in memory.
struct PowerFile {
  sqlite3_file base;
  const char* path;  // owned by the map's key
};
PowerFile* own(sqlite3_file* file) { return reinterpret_cast<PowerFile*>(file); }
sqlite3_file* real_file(sqlite3_file* file) {
  return reinterpret_cast<sqlite3_file*>(reinterpret_cast<char*>(file) + sizeof(PowerFile));
}
const sqlite3_io_methods* methods(sqlite3_file* file) { return real_file(file)->pMethods; }
Disk* disk_of(sqlite3_file* file) {
  const char* path = own(file)->path;
  return path == nullptr ? nullptr : &state.disks.at(path);
}

int x_close(sqlite3_file* f) { return methods(f)->xClose(real_file(f)); }
int x_read(sqlite3_file* f, void* p, int n, sqlite3_int64 at) {
  return methods(f)->xRead(real_file(f), p, n, at);
}
int x_write(sqlite3_file* f, const void* p, int n, sqlite3_int64 at) {
  Disk* const disk = disk_of(f);
  // The write in whose middle the power goes may be torn like every other.
  if (disk != nullptr && (state.cut == 0 || state.calls < state.cut)) {
    disk->changes.push_back({static_cast<std::size_t>(at),
                             std::string(static_cast<const char*>(p), static_cast<std::size_t>(n)),
                             false});
  }
  return is_dead() ? SQLITE_IOERR_WRITE : methods(f)->xWrite(real_file(f), p, n, at);
}
int x_truncate(sqlite3_file* f, sqlite3_int64 n) {
  if (is_dead()) return SQLITE_IOERR_TRUNCATE;
  if (Disk* const disk = disk_of(f))
    disk->changes.push_back({static_cast<std::size_t>(n), {}, true});
  return methods(f)->xTruncate(real_file(f), n);
}
int x_sync(sqlite3_file* f, int) {
  if (is_dead()) return SQLITE_IOERR_FSYNC;
  if (Disk* const disk = disk_of(f)) {
    for (const Change& change : disk->changes) apply(disk->synced, change);
    disk->changes.clear();
    disk->was_there = true;
  }
  return SQLITE_OK;  // the machine's own disk need not be asked: nothing is cut there
}
int x_file_size(sqlite3_file* f, sqlite3_int64* n) {
  return methods(f)->xFileSize(real_file(f), n);
}
int x_lock(sqlite3_file* f, int l) { return methods(f)->xLock(real_file(f), l); }
int x_unlock(sqlite3_file* f, int l) { return methods(f)->xUnlock(real_file(f), l); }
int x_check(sqlite3_file* f, int* out) { return methods(f)->xCheckReservedLock(real_file(f), out); }
int x_control(sqlite3_file* f, int op, void* arg) {
  return methods(f)->xFileControl(real_file(f), op, arg);
}
int x_sector(sqlite3_file* f) { return methods(f)->xSectorSize(real_file(f)); }
// No promise of any kind.
int x_device(sqlite3_file*) { return 0; }

const sqlite3_io_methods kMethods = {1,         x_close,     x_read,   x_write,  x_truncate,
                                     x_sync,    x_file_size, x_lock,   x_unlock, x_check,
                                     x_control, x_sector,    x_device, nullptr,  nullptr,
                                     nullptr,   nullptr,     nullptr,  nullptr};

int x_open(sqlite3_vfs*, const char* name, sqlite3_file* f, int flags, int* out_flags) {
  f->pMethods = nullptr;
  own(f)->path = nullptr;
  if (name != nullptr && (flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL)) != 0) {
    const auto [at, is_new] = state.disks.try_emplace(name);
    if (is_new && ::access(name, F_OK) == 0) at->second = {content_of(name), true, {}};
    own(f)->path = at->first.c_str();
  }
  const int rc = state.real->xOpen(state.real, name, real_file(f), flags, out_flags);
  if (real_file(f)->pMethods != nullptr) f->pMethods = &kMethods;
  return rc;
}
int x_delete(sqlite3_vfs*, const char* name, int sync_dir) {
  return is_dead() ? SQLITE_IOERR_DELETE : state.real->xDelete(state.real, name, sync_dir);
}

sqlite3_vfs power_vfs;

}  // namespace

PowerVfs::PowerVfs() {
  state = State{};
  sqlite3_initialize();
  state.real = sqlite3_vfs_find(nullptr);
  power_vfs = *state.real;
  power_vfs.pNext = nullptr;
  power_vfs.zName = "ethos-power";
  power_vfs.szOsFile = static_cast<int>(sizeof(PowerFile)) + state.real->szOsFile;
  power_vfs.xOpen = x_open;
  power_vfs.xDelete = x_delete;
  if (sqlite3_vfs_register(&power_vfs, 1) != SQLITE_OK) throw std::runtime_error("vfs");
}

PowerVfs::~PowerVfs() {
  sqlite3_vfs_unregister(&power_vfs);
  sqlite3_vfs_register(state.real, 1);
}

void PowerVfs::cut_at(int n) {
  state.calls = 0;
  state.cut = n;
}

int PowerVfs::calls() const { return state.calls; }

void PowerVfs::come_back(std::uint32_t seed) {
  std::mt19937 rng(seed);
  for (auto& [path, disk] : state.disks) {
    std::string now = disk.synced;
    // Each sector of each write reached the disk or did not; a truncation too.
    const unsigned keeps = rng() % 4;  // of four: none, some, most, nearly all
    for (const Change& change : disk.changes) {
      if (change.is_truncation) {
        if (rng() % 4 < keeps) apply(now, change);
        continue;
      }
      for (std::size_t at = 0; at < change.bytes.size();) {
        const std::size_t place = change.at + at;
        const std::size_t size = std::min(kSector - place % kSector, change.bytes.size() - at);
        if (rng() % 4 < keeps) apply(now, {place, change.bytes.substr(at, size), false});
        at += size;
      }
    }
    if (!disk.was_there && disk.changes.empty() && now.empty() && ::access(path.c_str(), F_OK) != 0)
      continue;
    std::ofstream(path, std::ios::binary | std::ios::trunc) << now;
    disk = {now, true, {}};
  }
  state.calls = 0;
  state.cut = 0;
}

}  // namespace ethos::support
