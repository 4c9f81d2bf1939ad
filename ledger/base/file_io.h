// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "ledger/base/bytes.h"
#include "ledger/base/result.h"
#include "ledger/base/unique_fd.h"

struct stat;

namespace ethos::base {

// The whole content, at most `max_bytes`; Errc::too_large beyond. Works for pipes and /proc too.
Result<std::string> read_fd(const UniqueFd& fd, std::size_t max_bytes, const std::string& name);
Result<std::string> read_file(const std::string& path, std::size_t max_bytes);

// All of `bytes`, however many calls it takes.
Result<void> write_all(const UniqueFd& fd, ByteSpan bytes, const std::string& name);

Result<void> sync_fd(const UniqueFd& fd, const std::string& name);

enum class Sync { none, file_and_directory };
enum class Parents {
  follow,       // parents are ours or the system's
  no_symlinks,  // refuse a symbolic link in any parent: the directory may be hostile
};

struct ReplaceOptions {
  mode_t mode = 0644;  // narrowed by the umask
  Sync sync = Sync::file_and_directory;
  Parents parents = Parents::follow;
};

// Writes `bytes` to a new file beside `path` and renames it into place: a reader sees the old
// content or the new one, never a part. A symbolic link at `path` itself is replaced, not followed.
Result<void> replace_file(const std::string& path, ByteSpan bytes, const ReplaceOptions& options);

// A character device or pipe of that name (/dev/null, /dev/stdout) is written to and stays.
// The same for content that is made piece by piece: write to fd(), then commit(). Without commit()
// the destructor removes the temporary file and `path` is untouched.
class PendingFile {
 public:
  static Result<PendingFile> create(const std::string& path, const ReplaceOptions& options);
  PendingFile(PendingFile&& other) noexcept;
  PendingFile& operator=(PendingFile&&) = delete;
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;
  ~PendingFile();

  [[nodiscard]] const UniqueFd& fd() const { return file_; }
  Result<void> write(ByteSpan bytes) { return write_all(file_, bytes, path_); }
  Result<void> commit();

 private:
  static bool is_stream(const struct ::stat& st);
  static Result<PendingFile> open_stream(UniqueFd directory, const std::string& name,
                                         const std::string& path, bool follows);
  PendingFile(UniqueFd directory, UniqueFd file, std::string temp, std::string name,
              std::string path, Sync sync);
  UniqueFd directory_;
  UniqueFd file_;
  std::string temp_;  // empty once committed or moved from, and for a device or pipe
  std::string name_;
  std::string path_;
  Sync sync_;
};

// Creates `path`, which must not exist (a symbolic link counts as existing), with exactly `mode`;
// content and directory entry are synced. Errc::exists otherwise. A failure leaves no file.
Result<void> create_file(const std::string& path, ByteSpan bytes, mode_t mode);

}  // namespace ethos::base
