// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdio>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "ledger/base/file_io.h"
#include "ledger/base/result.h"
#include "ledger/base/unique_fd.h"
#include "sarif/commands/run.h"
#include "sarif/json/byte_source.h"
#include "sarif/json/writer.h"

namespace ethos::sarif {

// The file `path`, or standard input for "-".
class InputFile {
 public:
  static base::Result<InputFile> open(const std::string& path);
  // The same, and "fd:N" for a descriptor that the caller left open: works without /proc or /dev.
  static base::Result<InputFile> open_evidence(const std::string& path);
  [[nodiscard]] FdSource source() const { return FdSource(fd_); }
  [[nodiscard]] int fd() const { return fd_; }

 private:
  explicit InputFile(int fd) : fd_(fd) {}
  base::UniqueFd owned_;
  int fd_;
};

// A source that owns its file and is read once.
base::Result<std::unique_ptr<ByteSource>> open_source(const std::string& path);

// An input that is read more than once, from its start each time: the file itself, or for a pipe a
// copy of what came out of it, in an unnamed file.
class SeekableInput {
 public:
  static base::Result<SeekableInput> open(const std::string& path);
  // A source of its own: several may be read at the same time. The input must outlive it.
  [[nodiscard]] base::Result<std::unique_ptr<ByteSource>> open_again() const;
  [[nodiscard]] int fd() const { return copy_ ? ::fileno(copy_.get()) : file_.fd(); }

 private:
  struct FileCloser {
    // NOLINTNEXTLINE(cppcoreguidelines-owning-memory): the owner of a C handle
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  explicit SeekableInput(InputFile file) : file_(std::move(file)) {}
  base::Result<void> copy();

  InputFile file_;
  std::unique_ptr<std::FILE, FileCloser> copy_;
};

// Lets this process have so many files open, as far as the system allows it.
void allow_open_files(std::size_t count);

// Calls `write` with a sink and puts what it wrote at `path`: a file that is replaced at the end or
// not at all, or `out` for "-". When `write` fails, a file stays as it was. `root`, when not empty,
// is a tree that others may have made: an output below it is reached without following a link.
base::Result<void> write_output(const std::string& path, const std::string& root, std::ostream& out,
                                const std::function<base::Result<void>(ByteSink&)>& write);

// "ethos-sarif: what happened", one line.
void complain(std::ostream& err, const std::string& message);

}  // namespace ethos::sarif
