// SPDX-License-Identifier: Apache-2.0
#include "ledger/log_mark.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ledger/base/paths.h"

namespace ethos::ledger {

std::optional<LogMark> LogMark::take(const LedgerFiles& files, std::int64_t frames) {
  constexpr std::int64_t kFrameBytes = 24 + 4096;
  const auto file = [](const struct stat& st) {
    return File{st.st_dev,
                st.st_ino,
                st.st_size,
                {st.st_mtim.tv_sec, st.st_mtim.tv_nsec, st.st_ctim.tv_sec, st.st_ctim.tv_nsec}};
  };
  struct stat database {};
  struct stat log {};
  if (frames <= 0 || ::stat(files.database.c_str(), &database) != 0) return std::nullopt;
  auto fd = base::open_path(files.wal(), O_RDONLY | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK);
  if (!fd || ::fstat(fd->get(), &log) != 0 || !S_ISREG(log.st_mode)) return std::nullopt;
  if (log.st_size != static_cast<std::int64_t>(kHeaderBytes) + frames * kFrameBytes)
    return std::nullopt;
  LogMark out;
  out.database_ = file(database);
  out.log_ = file(log);
  if (::pread(fd->get(), out.header_.data(), kHeaderBytes, 0) !=
      static_cast<ssize_t>(kHeaderBytes)) {
    return std::nullopt;
  }
  return out;
}

}  // namespace ethos::ledger
