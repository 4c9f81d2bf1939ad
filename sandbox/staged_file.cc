// SPDX-License-Identifier: Apache-2.0
#include "sandbox/staged_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>

#include "ledger/base/file_io.h"
#include "sandbox/sha256.h"

namespace ethos::sandbox {
namespace {

using base::Result;
using base::UniqueFd;

constexpr std::size_t kChunk = 65536;

base::Unexpected stopped(const std::string& name) {
  return base::fail(base::Errc::refused, name + ": given up");
}

class Reader {
 public:
  Reader(const UniqueFd& from, const UniqueFd* to, const std::string& name,
         Interruption& interruption)
      : from_(from), to_(to), name_(name), interruption_(interruption) {}

  Result<FileContent> run() {
    struct stat found {};
    if (fstat(from_.get(), &found) != 0) return base::fail_errno(name_, errno);
    size_ = found.st_size;
    if (to_ != nullptr && ftruncate(to_->get(), size_) != 0) return base::fail_errno(name_, errno);
    off_t at = 0;
    while (at < size_) {
      off_t data = lseek(from_.get(), at, SEEK_DATA);
      // ENXIO: nothing but a hole up to the end. A file system that knows no holes has only data.
      if (data < 0) data = errno == ENXIO ? size_ : at;
      off_t hole = data < size_ ? lseek(from_.get(), data, SEEK_HOLE) : size_;
      if (hole < 0) hole = size_;
      if (auto r = skip(std::min(data, size_) - at); !r)
        return base::Unexpected(std::move(r).error());
      if (auto r = take(data, std::min(hole, size_)); !r)
        return base::Unexpected(std::move(r).error());
      at = std::min(hole, size_);
    }
    return FileContent{static_cast<std::uint64_t>(size_), digest_.finish()};
  }

 private:
  // A hole: zeros for the digest, nothing for the copy.
  Result<void> skip(off_t length) {
    static constexpr std::array<std::byte, kChunk> kZeros{};
    while (length > 0) {
      if (interruption_.is_over()) return stopped(name_);
      const auto n = std::min<off_t>(length, kChunk);
      digest_.add(std::span(kZeros).first(static_cast<std::size_t>(n)));
      length -= n;
    }
    return {};
  }

  Result<void> take(off_t from, off_t end) {
    while (from < end) {
      if (interruption_.is_over()) return stopped(name_);
      const auto most = static_cast<std::size_t>(std::min<off_t>(end - from, kChunk));
      const ssize_t n = pread(from_.get(), buffer_.data(), most, from);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return base::fail_errno(name_, n < 0 ? errno : EIO);
      const auto bytes = std::span<const std::byte>(buffer_).first(static_cast<std::size_t>(n));
      digest_.add(bytes);
      if (to_ != nullptr) {
        if (lseek(to_->get(), from, SEEK_SET) != from) return base::fail_errno(name_, errno);
        if (auto r = base::write_all(*to_, bytes, name_); !r) return r;
      }
      from += n;
    }
    return {};
  }

  const UniqueFd& from_;
  const UniqueFd* to_;
  const std::string& name_;
  Interruption& interruption_;
  off_t size_ = 0;
  Sha256Stream digest_;
  std::array<std::byte, kChunk> buffer_;
};

}  // namespace

Result<FileContent> digest_file(const UniqueFd& from, const std::string& name,
                                Interruption& interruption) {
  return Reader(from, nullptr, name, interruption).run();
}

Result<FileContent> copy_file(const UniqueFd& from, const UniqueFd& to, const std::string& name,
                              Interruption& interruption) {
  return Reader(from, &to, name, interruption).run();
}

bool has_same_bytes(const UniqueFd& a, const UniqueFd& b, Interruption& interruption) {
  std::array<char, kChunk> ours;
  std::array<char, kChunk> theirs;
  for (;;) {
    if (interruption.is_over()) return false;
    const ssize_t n = read(a.get(), ours.data(), ours.size());
    const ssize_t m = read(b.get(), theirs.data(), theirs.size());
    if (n != m || n < 0) return false;
    if (n == 0) return true;
    if (!std::equal(ours.begin(), ours.begin() + n, theirs.begin())) return false;
  }
}

}  // namespace ethos::sandbox
