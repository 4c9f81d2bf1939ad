// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fault_vfs.h"

#include <sqlite3.h>

#include <cstring>
#include <stdexcept>

namespace ethos::support {
namespace {

struct State {
  int calls = 0;
  int fail_at = 0;
  FaultVfs::Kind kind = FaultVfs::Kind::io_error;
  sqlite3_vfs* real = nullptr;
};
State state;  // SQLite's callbacks carry no better place

// True when this call has to fail.
bool is_due() {
  ++state.calls;
  return state.fail_at != 0 && state.calls >= state.fail_at;
}

int code(int io_code) { return state.kind == FaultVfs::Kind::no_space ? SQLITE_FULL : io_code; }

// The system's file lies right behind ours in memory.
struct FaultFile {
  sqlite3_file base;
};
sqlite3_file* real_file(sqlite3_file* file) {
  return reinterpret_cast<sqlite3_file*>(reinterpret_cast<char*>(file) + sizeof(FaultFile));
}
const sqlite3_io_methods* methods(sqlite3_file* file) { return real_file(file)->pMethods; }

int x_close(sqlite3_file* f) { return methods(f)->xClose(real_file(f)); }
int x_read(sqlite3_file* f, void* p, int n, sqlite3_int64 at) {
  return methods(f)->xRead(real_file(f), p, n, at);
}
int x_write(sqlite3_file* f, const void* p, int n, sqlite3_int64 at) {
  if (!is_due()) return methods(f)->xWrite(real_file(f), p, n, at);
  // A torn write: half of it reaches the disk.
  if (n > 1) methods(f)->xWrite(real_file(f), p, n / 2, at);
  return code(SQLITE_IOERR_WRITE);
}
int x_truncate(sqlite3_file* f, sqlite3_int64 n) {
  return is_due() ? code(SQLITE_IOERR_TRUNCATE) : methods(f)->xTruncate(real_file(f), n);
}
int x_sync(sqlite3_file* f, int flags) {
  return is_due() ? code(SQLITE_IOERR_FSYNC) : methods(f)->xSync(real_file(f), flags);
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
int x_device(sqlite3_file* f) { return methods(f)->xDeviceCharacteristics(real_file(f)); }

// Version 1: no shared memory and no mapping, which the exclusive mode does not need.
const sqlite3_io_methods kMethods = {1,         x_close,     x_read,   x_write,  x_truncate,
                                     x_sync,    x_file_size, x_lock,   x_unlock, x_check,
                                     x_control, x_sector,    x_device, nullptr,  nullptr,
                                     nullptr,   nullptr,     nullptr,  nullptr};

int x_open(sqlite3_vfs*, const char* name, sqlite3_file* f, int flags, int* out_flags) {
  f->pMethods = nullptr;
  const int rc = state.real->xOpen(state.real, name, real_file(f), flags, out_flags);
  if (real_file(f)->pMethods != nullptr) f->pMethods = &kMethods;
  return rc;
}
int x_delete(sqlite3_vfs*, const char* name, int sync_dir) {
  return is_due() ? code(SQLITE_IOERR_DELETE) : state.real->xDelete(state.real, name, sync_dir);
}

sqlite3_vfs fault_vfs;

}  // namespace

FaultVfs::FaultVfs() {
  state = State{};
  sqlite3_initialize();
  state.real = sqlite3_vfs_find(nullptr);
  fault_vfs = *state.real;
  fault_vfs.pNext = nullptr;
  fault_vfs.zName = "ethos-fault";
  fault_vfs.szOsFile = static_cast<int>(sizeof(FaultFile)) + state.real->szOsFile;
  fault_vfs.xOpen = x_open;
  fault_vfs.xDelete = x_delete;
  if (sqlite3_vfs_register(&fault_vfs, 1) != SQLITE_OK) throw std::runtime_error("vfs");
}

FaultVfs::~FaultVfs() {
  sqlite3_vfs_unregister(&fault_vfs);
  sqlite3_vfs_register(state.real, 1);
}

void FaultVfs::fail_from(int n, Kind kind) {
  state.calls = 0;
  state.fail_at = n;
  state.kind = kind;
}

int FaultVfs::calls() const { return state.calls; }

}  // namespace ethos::support
