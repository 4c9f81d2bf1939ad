// SPDX-License-Identifier: Apache-2.0
#include "sarif/commands/common.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <limits>
#include <ostream>
#include <sstream>
#include <vector>

#include "ledger/base/paths.h"
#include "sarif/commands/commands.h"

namespace ethos::sarif {
namespace {

class StreamSink final : public ByteSink {
 public:
  explicit StreamSink(std::ostream& out) : out_(out) {}
  void append(std::string_view bytes) override {
    out_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }

 private:
  std::ostream& out_;
};

// A descriptor of its own.
class OwnedFdSource final : public ByteSource {
 public:
  explicit OwnedFdSource(base::UniqueFd fd) : fd_(std::move(fd)), source_(fd_.get()) {}
  std::ptrdiff_t read(std::span<char> into) override { return source_.read(into); }

 private:
  base::UniqueFd fd_;
  FdSource source_;
};

base::Result<bool> is_below(const std::string& root, const std::string& path) {
  if (root.empty()) return false;
  const auto whole = base::absolute_path(path);
  if (!whole) return base::Unexpected(base::Error(whole.error()));
  return root == "/" || whole->starts_with(root + "/");
}

}  // namespace

base::Result<InputFile> InputFile::open(const std::string& path) {
  if (path == "-") return InputFile(STDIN_FILENO);
  auto fd = base::open_path(path, O_RDONLY | O_NOCTTY);
  if (!fd) return base::Unexpected(std::move(fd).error());
  InputFile file(fd->get());
  file.owned_ = std::move(*fd);
  return file;
}

base::Result<InputFile> InputFile::open_evidence(const std::string& path) {
  constexpr std::string_view kPrefix = "fd:";
  if (!path.starts_with(kPrefix)) return open(path);
  int fd = -1;
  const char* const end = path.data() + path.size();
  const auto done = std::from_chars(path.data() + kPrefix.size(), end, fd);
  if (done.ec != std::errc{} || done.ptr != end || fd < 0) {
    return base::fail(base::Errc::malformed, path + ": not fd: and a number");
  }
  return InputFile(fd);
}

base::Result<std::unique_ptr<ByteSource>> open_source(const std::string& path) {
  auto fd = path == "-" ? base::open_path("/dev/stdin", O_RDONLY | O_NOCTTY)
                        : base::open_path(path, O_RDONLY | O_NOCTTY);
  if (!fd) return base::Unexpected(std::move(fd).error());
  return std::unique_ptr<ByteSource>(std::make_unique<OwnedFdSource>(std::move(*fd)));
}

base::Result<SeekableInput> SeekableInput::open(const std::string& path) {
  auto file = InputFile::open(path);
  if (!file) return base::Unexpected(std::move(file).error());
  SeekableInput input(std::move(*file));
  struct stat st {};
  if (::fstat(input.file_.fd(), &st) != 0) return base::fail_errno(path, errno);
  if (S_ISDIR(st.st_mode)) return base::fail_errno(path, EISDIR);
  // Only a regular file can be read again, and only one that stands at its start is whole.
  if (!S_ISREG(st.st_mode) || ::lseek(input.file_.fd(), 0, SEEK_CUR) != 0) {
    auto copied = input.copy();
    if (!copied) return base::Unexpected(std::move(copied).error());
  }
  return input;
}

base::Result<std::unique_ptr<ByteSource>> SeekableInput::open_again() const {
  return std::unique_ptr<ByteSource>(
      std::make_unique<RangeSource>(fd(), 0, std::numeric_limits<std::int64_t>::max()));
}

base::Result<void> SeekableInput::copy() {
  copy_.reset(std::tmpfile());  // NOLINT(cppcoreguidelines-owning-memory): owned from here on
  if (!copy_) return base::fail_errno("temporary file", errno);
  FdSource source = file_.source();
  FdSink sink(::fileno(copy_.get()));
  std::vector<char> buffer(std::size_t{64} << 10U);
  while (true) {
    const std::ptrdiff_t got = source.read(buffer);
    if (got < 0) return base::fail_errno("input", static_cast<int>(-got));
    if (got == 0) break;
    sink.append(std::string_view(buffer.data(), static_cast<std::size_t>(got)));
  }
  if (const int error = sink.flush(); error != 0) {
    return base::fail_errno("temporary file", error);
  }
  return {};
}

void allow_open_files(std::size_t count) {
  constexpr rlim_t kOthers = 64;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= count + kOthers) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, count + kOthers);
  // When it cannot be, opening says so, and which file.
  static_cast<void>(::setrlimit(RLIMIT_NOFILE, &limit));
}

base::Result<void> write_output(const std::string& path, const std::string& root, std::ostream& out,
                                const std::function<base::Result<void>(ByteSink&)>& write) {
  if (path == "-") {
    StreamSink sink(out);
    auto done = write(sink);
    if (!done) return done;
    out.flush();
    return out.good() ? base::Result<void>() : base::fail(base::Errc::io, "standard output");
  }
  const auto below = is_below(root, path);
  if (!below) return base::Unexpected(base::Error(below.error()));
  base::ReplaceOptions options;
  options.parents = *below ? base::Parents::no_symlinks : base::Parents::follow;
  auto pending = base::PendingFile::create(path, options);
  if (!pending) return base::Unexpected(std::move(pending).error());
  FdSink sink(pending->fd().get());
  auto done = write(sink);
  if (!done) return done;
  if (const int error = sink.flush(); error != 0) return base::fail_errno(path, error);
  return pending->commit();
}

Exit write_printed(const std::string& path, const Streams& streams,
                   const std::function<void(std::ostream&)>& print) {
  if (path == "-") {
    print(streams.out);
    streams.out.flush();
    return streams.out.good() ? Exit::done : Exit::unreadable;
  }
  std::ostringstream text;
  print(text);
  const auto done = write_output(path, "", streams.out, [&](ByteSink& sink) {
    sink.append(text.view());
    return base::Result<void>();
  });
  if (done) return Exit::done;
  complain(streams.err, done.error().message());
  return Exit::unreadable;
}

void complain(std::ostream& err, const std::string& message) {
  err << "ethos-sarif: ";
  // One line, whatever a file name or a message of the input holds.
  for (const char c : message) err << (static_cast<unsigned char>(c) < 0x20 ? ' ' : c);
  err << '\n';
}

}  // namespace ethos::sarif
