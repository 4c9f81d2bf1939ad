// SPDX-License-Identifier: Apache-2.0
#include "verify/still_file.h"

#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

namespace ethos::verify {
namespace {

constexpr const char* kName = "ethos-still";
constexpr const char* kFd = "fd";
constexpr const char* kWalk = "walk";
constexpr std::int64_t kChunk = 65536;
// On a damaged page SQLite can look a little beyond the end of what it borrowed.
constexpr std::int64_t kSlack = 256;
constexpr std::size_t kSlots = 8;
constexpr std::size_t kRemembered = 8;

// Reads from one file in chunks. Of no chunk is more read than of a page until a second page of it, or
// a neighbour of one that is held, is asked for. (SQLite's integrity check walks backwards.)
//
// Chunks are copied out of the page cache, not mapped: what has been looked at once must not change
// while it is used, and a file that is cut short must not end the program.
class ChunkReader {
 public:
  ChunkReader(int fd, bool walks) : fd_(fd), walks_(walks) { lonely_.fill(-1); }

  // The page where it lies in a chunk, which stays until it is given back; null: read() it instead.
  char* borrow(std::int64_t size, std::int64_t offset) {
    const std::int64_t within = offset % kChunk;
    if (within + size > kChunk) return nullptr;
    Slot* slot = chunk_of(offset / kChunk);
    if (slot == nullptr || slot->size < within + size) return nullptr;
    ++slot->borrowed;
    return slot->bytes.data() + within;
  }
  void give_back(std::int64_t offset) {
    if (Slot* slot = find(offset / kChunk)) --slot->borrowed;
  }

  // Bytes read; less than asked only at the end of the file; -1 with errno.
  std::int64_t read(char* out, std::int64_t size, std::int64_t offset) {
    // borrow() was asked before and has decided what is worth a chunk.
    const std::int64_t within = offset % kChunk;
    const Slot* slot = within + size > kChunk ? nullptr : find(offset / kChunk);
    if (slot == nullptr) return read_directly(out, size, offset);
    const std::int64_t got = std::clamp<std::int64_t>(slot->size - within, 0, size);
    if (got > 0) std::memcpy(out, slot->bytes.data() + within, static_cast<std::size_t>(got));
    return got;
  }

  [[nodiscard]] int fd() const { return fd_; }

 private:
  struct Slot {
    std::int64_t number = -1;
    std::uint64_t used = 0;
    unsigned borrowed = 0;
    std::int64_t size = 0;    // of what was read; less than a chunk at the end of the file
    std::vector<char> bytes;
  };

  // The chunk, read now when it is worth it; null when it is not, or cannot be had.
  Slot* chunk_of(std::int64_t number) {
    if (!walks_) return nullptr;
    Slot* slot = find(number);
    const bool is_next = slot == nullptr && (find(number - 1) != nullptr || find(number + 1) != nullptr);
    if (is_next || (slot == nullptr && was_lonely(number))) slot = load(number);
    if (slot != nullptr) slot->used = ++clock_;
    return slot;
  }

  Slot* find(std::int64_t number) {
    for (Slot& slot : slots_) {
      if (slot.number == number) return &slot;
    }
    return nullptr;
  }

  // Was a single page of this chunk read lately? It is remembered now.
  bool was_lonely(std::int64_t number) {
    if (std::find(lonely_.begin(), lonely_.end(), number) != lonely_.end()) return true;
    lonely_[next_lonely_++ % kRemembered] = number;
    return false;
  }

  Slot* load(std::int64_t number) {
    Slot* oldest = nullptr;
    for (Slot& slot : slots_) {
      if (slot.borrowed == 0 && (oldest == nullptr || slot.used < oldest->used)) oldest = &slot;
    }
    if (oldest == nullptr) return nullptr;
    oldest->number = -1;
    oldest->bytes.resize(static_cast<std::size_t>(kChunk + kSlack));
    const std::int64_t got = read_directly(oldest->bytes.data(), kChunk, number * kChunk);
    if (got < 0) return nullptr;  // the same error shows when the page alone is read
    oldest->size = got;
    oldest->number = number;
    return oldest;
  }

  std::int64_t read_directly(char* out, std::int64_t size, std::int64_t offset) const {
    std::int64_t done = 0;
    while (done < size) {
      const ssize_t got = ::pread(fd_, out + done, static_cast<std::size_t>(size - done), offset + done);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return -1;
      if (got == 0) break;
      done += got;
    }
    return done;
  }

  int fd_;
  bool walks_;
  std::array<Slot, kSlots> slots_;
  std::array<std::int64_t, kRemembered> lonely_{};
  std::size_t next_lonely_ = 0;
  std::uint64_t clock_ = 0;
};

// What SQLite allocates for an open file.
struct StillFile {
  sqlite3_file base;
  ChunkReader* reader;
};

ChunkReader& reader_of(sqlite3_file* file) { return *reinterpret_cast<StillFile*>(file)->reader; }

int close_file(sqlite3_file* file) {
  const std::unique_ptr<ChunkReader> gone(&reader_of(file));
  return SQLITE_OK;
}

int read_file_at(sqlite3_file* file, void* out, int size, sqlite3_int64 offset) {
  try {
    const std::int64_t got = reader_of(file).read(static_cast<char*>(out), size, offset);
    if (got < 0) return SQLITE_IOERR_READ;
    if (got == size) return SQLITE_OK;
    // SQLite wants what lies behind the end to be zero.
    std::memset(static_cast<char*>(out) + got, 0, static_cast<std::size_t>(size - got));
    return SQLITE_IOERR_SHORT_READ;
  } catch (const std::bad_alloc&) {
    return SQLITE_IOERR_NOMEM;
  }
}

// SQLite asks for these when it is told to map the file, which this is to it.
int fetch_page(sqlite3_file* file, sqlite3_int64 offset, int size, void** page) {
  try {
    *page = reader_of(file).borrow(size, offset);
    return SQLITE_OK;
  } catch (const std::bad_alloc&) {
    return SQLITE_IOERR_NOMEM;
  }
}

int unfetch_page(sqlite3_file* file, sqlite3_int64 offset, void* page) {
  if (page != nullptr) reader_of(file).give_back(offset);
  return SQLITE_OK;
}

int file_size(sqlite3_file* file, sqlite3_int64* size) {
  struct stat st {};
  if (::fstat(reader_of(file).fd(), &st) != 0) return SQLITE_IOERR_FSTAT;
  *size = st.st_size;
  return SQLITE_OK;
}

constexpr sqlite3_io_methods kMethods = {
    .iVersion = 3,
    .xClose = close_file,
    .xRead = read_file_at,
    .xWrite = [](sqlite3_file*, const void*, int, sqlite3_int64) { return SQLITE_READONLY; },
    .xTruncate = [](sqlite3_file*, sqlite3_int64) { return SQLITE_READONLY; },
    .xSync = [](sqlite3_file*, int) { return SQLITE_OK; },
    .xFileSize = file_size,
    .xLock = [](sqlite3_file*, int) { return SQLITE_OK; },
    .xUnlock = [](sqlite3_file*, int) { return SQLITE_OK; },
    .xCheckReservedLock = [](sqlite3_file*, int* held) { *held = 0; return SQLITE_OK; },
    .xFileControl = [](sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; },
    .xSectorSize = [](sqlite3_file*) { return 4096; },
    .xDeviceCharacteristics = [](sqlite3_file*) { return SQLITE_IOCAP_IMMUTABLE; },
    .xShmMap = nullptr,
    .xShmLock = nullptr,
    .xShmBarrier = nullptr,
    .xShmUnmap = nullptr,
    .xFetch = fetch_page,
    .xUnfetch = unfetch_page,
};

int open_file(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  auto* still = reinterpret_cast<StillFile*>(file);
  still->base.pMethods = nullptr;
  const auto fd = static_cast<int>((flags & SQLITE_OPEN_MAIN_DB) != 0 ? sqlite3_uri_int64(name, kFd, -1) : -1);
  if (fd < 0) return SQLITE_CANTOPEN;
  try {
    still->reader = std::make_unique<ChunkReader>(fd, sqlite3_uri_boolean(name, kWalk, 0) != 0).release();
  } catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
  }
  still->base.pMethods = &kMethods;
  if (out_flags != nullptr) *out_flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB;
  return SQLITE_OK;
}

int full_name(sqlite3_vfs*, const char* name, int size, char* out) {
  const std::size_t length = std::strlen(name);
  if (length >= static_cast<std::size_t>(size)) return SQLITE_CANTOPEN;
  std::memcpy(out, name, length + 1);
  return SQLITE_OK;
}

// The system's own, for what has nothing to do with files.
sqlite3_vfs* usual(sqlite3_vfs* self) { return static_cast<sqlite3_vfs*>(self->pAppData); }

// Registered once and for the whole life of the program, as SQLite requires.
bool register_once() {
  static sqlite3_vfs vfs = [] {
    sqlite3_vfs out{};
    out.iVersion = 1;
    out.szOsFile = sizeof(StillFile);
    out.mxPathname = 512;
    out.zName = kName;
    out.xOpen = open_file;
    out.xDelete = [](sqlite3_vfs*, const char*, int) { return SQLITE_READONLY; };
    out.xAccess = [](sqlite3_vfs*, const char*, int, int* exists) { *exists = 0; return SQLITE_OK; };
    out.xFullPathname = full_name;
    out.pAppData = sqlite3_vfs_find(nullptr);
    out.xRandomness = [](sqlite3_vfs* self, int size, char* bytes) { return usual(self)->xRandomness(usual(self), size, bytes); };
    out.xSleep = [](sqlite3_vfs* self, int microseconds) { return usual(self)->xSleep(usual(self), microseconds); };
    out.xCurrentTime = [](sqlite3_vfs* self, double* days) { return usual(self)->xCurrentTime(usual(self), days); };
    out.xGetLastError = [](sqlite3_vfs*, int, char*) { return 0; };
    return out;
  }();
  static const bool registered = vfs.pAppData != nullptr && sqlite3_vfs_register(&vfs, 0) == SQLITE_OK;
  return registered;
}

}  // namespace

std::string still_file_uri(int fd, Access access) {
  // Not registered: SQLite will not know the name, and the open fails with its message.
  (void)register_once();
  return std::string("file:ledger?immutable=1&vfs=") + kName + "&" + kFd + "=" + std::to_string(fd) + "&" + kWalk + (access == Access::walk ? "=1" : "=0");
}

}  // namespace ethos::verify
