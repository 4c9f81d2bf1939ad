// SPDX-License-Identifier: Apache-2.0
#include "verify/stdin_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

namespace ethos::verify {
namespace {

constexpr std::uint64_t kMaxSpooled = std::uint64_t{1} << 38U;  // beyond any bundle of ten million records

Error failed(const char* what) { return Error{Errc::io, std::string(what) + ": " + std::strerror(errno)}; }

// At most `size` bytes of standard input; 0 at its end.
Result<std::size_t> read_some(char* out, std::size_t size) {
  while (true) {
    const ssize_t got = ::read(STDIN_FILENO, out, size);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) return failed("standard input");
  }
}

Result<Done> write_all(int fd, const char* bytes, std::size_t size) {
  for (std::size_t done = 0; done < size;) {
    const ssize_t put = ::write(fd, bytes + done, size - done);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return failed("write a copy of standard input");
    done += static_cast<std::size_t>(put);
  }
  return Done{};
}

}  // namespace

Result<std::string> read_argument(const std::string& path, std::uint64_t max_bytes) {
  if (path != "-") return read_file(path, max_bytes);
  std::string out;
  std::vector<char> buffer(65536);
  while (true) {
    const auto got = read_some(buffer.data(), buffer.size());
    if (!got) return got.error();
    if (*got == 0) return out;
    out.append(buffer.data(), *got);
    if (out.size() > max_bytes) return Error{Errc::too_long, "standard input: longer than " + std::to_string(max_bytes) + " bytes"};
  }
}

Result<SpooledInput> spool_stdin() {
  // As much as a large ledger: not into memory.
  auto scratch = ScratchDir::make(std::uint64_t{1} << 30U);
  if (!scratch) return std::move(scratch).error();
  const std::string path = scratch->path() + "/input";
  const UniqueFd out(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!out.valid()) return failed("make a copy of standard input");
  std::vector<char> buffer(std::size_t{1} << 20U);
  std::uint64_t total = 0;
  while (true) {
    const auto got = read_some(buffer.data(), buffer.size());
    if (!got) return got.error();
    if (*got == 0) break;
    total += *got;
    if (total > kMaxSpooled) return Error{Errc::too_long, "standard input: too long"};
    const auto written = write_all(out.get(), buffer.data(), *got);
    if (!written) return written.error();
  }
  return SpooledInput{*std::move(scratch), path};
}

}  // namespace ethos::verify
