// SPDX-License-Identifier: Apache-2.0
#include "reports/output_set.h"

#include <sys/stat.h>

#include <cerrno>

#include "ledger/base/bytes.h"

namespace ethos::reports {

base::Result<std::unique_ptr<OutputFile>> OutputFile::create(const std::string& directory,
                                                             const std::string& name) {
  auto file = base::PendingFile::create(directory + "/" + name, {});
  if (!file) return base::Unexpected(std::move(file).error());
  return std::unique_ptr<OutputFile>(new OutputFile(
      name, std::move(*file)));  // NOLINT(cppcoreguidelines-owning-memory): private constructor
}

void OutputFile::write(std::string_view bytes) {
  hasher_.add(bytes);
  size_ += bytes.size();
  buffer_ += bytes;
  if (buffer_.size() > 262144) flush();
}

void OutputFile::flush() {
  if (!error_) {
    if (auto written = file_.write(base::as_bytes(buffer_)); !written)
      error_ = std::move(written).error();
  }
  buffer_.clear();
}

base::Result<void> OutputFile::finish() {
  flush();
  digest_ = hex(hasher_.finish());
  if (error_) return base::Unexpected(*error_);
  return {};
}

base::Result<OutputSet> OutputSet::open(const std::string& directory) {
  if (::mkdir(directory.c_str(), 0777) != 0 && errno != EEXIST)
    return base::fail_errno(directory, errno);
  return OutputSet(directory);
}

base::Result<void> OutputSet::add(const std::string& name,
                                  const std::function<void(Sink&)>& writer) {
  auto file = OutputFile::create(directory_, name);
  if (!file) return base::Unexpected(std::move(file).error());
  writer(**file);
  if (auto finished = (*file)->finish(); !finished) return finished;
  files_.push_back(std::move(*file));
  return {};
}

base::Result<void> OutputSet::commit() {
  for (const auto& file : files_) {
    if (auto committed = file->commit(); !committed) return committed;
  }
  return {};
}

}  // namespace ethos::reports
