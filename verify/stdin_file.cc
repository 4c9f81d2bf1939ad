// SPDX-License-Identifier: Apache-2.0
#include "verify/stdin_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "verify/input.h"
#include "verify/tlog_proof.h"

namespace ethos::verify {
namespace {

constexpr std::size_t kFirst = std::size_t{1} << 20U;

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

Result<SpooledInput> spool_stdin(std::uint64_t most) {
  // As much as a large ledger: not into memory.
  auto scratch = ScratchDir::make(std::uint64_t{1} << 30U);
  if (!scratch) return std::move(scratch).error();
  const std::string path = scratch->path() + "/input";
  const UniqueFd out(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!out.valid()) return failed("make a copy of standard input");
  std::vector<char> buffer(kFirst);
  std::uint64_t total = 0;
  bool is_known = false;
  while (true) {
    // What it is stands in the first block, which a pipe may bring in pieces: nothing else is taken.
    std::size_t filled = 0;
    std::size_t got_last = 1;
    while (got_last > 0 && filled < (is_known ? 1 : kBlockOfKind)) {
      const auto got = read_some(buffer.data() + filled, buffer.size() - filled);
      if (!got) return got.error();
      got_last = *got;
      filled += got_last;
    }
    if (filled == 0) break;
    if (!is_known) {
      const auto kind = kind_of({buffer.data(), filled});
      if (!kind) return Error{Errc::malformed, std::string("standard input: ") + kNoEvidence};
      is_known = true;
      if (*kind == InputKind::proof) most = std::min<std::uint64_t>(most, kMaxProof);
    }
    total += filled;
    if (total > most) return Error{Errc::too_long, "standard input: longer than " + std::to_string(most) + " bytes, the most that is taken from a pipe"};
    const auto written = write_all(out.get(), buffer.data(), filled);
    if (!written) return written.error();
  }
  return SpooledInput{*std::move(scratch), path};
}

}  // namespace ethos::verify
