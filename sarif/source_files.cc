// SPDX-License-Identifier: Apache-2.0
#include "sarif/source_files.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>

#include "ledger/base/file_io.h"
#include "ledger/base/paths.h"

namespace ethos::sarif {

SourceFile::SourceFile(std::string bytes) : bytes_(std::move(bytes)) {
  starts_.push_back(0);
  for (std::size_t at = bytes_.find('\n'); at != std::string::npos;
       at = bytes_.find('\n', at + 1)) {
    starts_.push_back(at + 1);
  }
}

std::optional<std::string_view> SourceFile::line(std::size_t number) const {
  if (number == 0 || number > starts_.size()) return std::nullopt;
  const std::size_t begin = starts_[number - 1];
  std::size_t end = number < starts_.size() ? starts_[number] - 1 : bytes_.size();
  if (end > begin && bytes_[end - 1] == '\r') --end;
  return std::string_view(bytes_).substr(begin, end - begin);
}

std::size_t SourceFile::line_at(std::size_t offset) const {
  const auto behind = std::upper_bound(starts_.begin(), starts_.end(), offset);
  return static_cast<std::size_t>(behind - starts_.begin());
}

std::optional<std::string> SourceFile::hash(std::size_t number) {
  if (!hashes_) hashes_ = line_hashes(bytes_);
  if (number == 0 || number > hashes_->size()) return std::nullopt;
  return (*hashes_)[number - 1].text();
}

std::optional<std::string> SourceFile::key(std::size_t number) {
  if (!keys_) keys_ = line_keys(bytes_);
  if (number == 0 || number > keys_->size()) return std::nullopt;
  return (*keys_)[number - 1].text();
}

base::Result<SourceFiles> SourceFiles::open(const std::string& root) {
  auto fd = base::open_path(root, O_PATH | O_DIRECTORY);
  if (!fd) return base::Unexpected(std::move(fd).error());
  SourceFiles files;
  files.root_ = std::move(*fd);
  return files;
}

std::optional<SourceFile> SourceFiles::load(const std::string& relative) const {
  if (!root_.is_open() || relative.empty()) return std::nullopt;
  // O_NONBLOCK: a fifo put where a source file should be must not stop us.
  const auto fd = base::open_beneath(root_, relative, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!fd) return std::nullopt;
  struct stat st {};
  if (::fstat(fd->get(), &st) != 0 || !S_ISREG(st.st_mode)) return std::nullopt;
  auto bytes = base::read_fd(*fd, kMaxBytes, relative);
  if (!bytes) return std::nullopt;
  return SourceFile(std::move(*bytes));
}

SourceFile* SourceFiles::find(const std::string& relative) {
  const auto known = by_name_.find(relative);
  if (known == by_name_.end()) {
    entries_.push_front({relative, load(relative)});
    by_name_[relative] = entries_.begin();
    if (entries_.front().file) bytes_ += entries_.front().file->bytes().size();
    make_room();
  } else {
    entries_.splice(entries_.begin(), entries_, known->second);
  }
  auto& file = entries_.front().file;
  return file ? &*file : nullptr;
}

// The newest one stays, however large it is.
void SourceFiles::make_room() {
  while (entries_.size() > 1 && (bytes_ > kKeptBytes || entries_.size() > kKeptFiles)) {
    const Entry& oldest = entries_.back();
    if (oldest.file) bytes_ -= oldest.file->bytes().size();
    by_name_.erase(oldest.relative);
    entries_.pop_back();
  }
}

bool SourceFiles::has(const std::string& relative) const {
  if (!root_.is_open() || relative.empty()) return false;
  const auto fd = base::open_beneath(root_, relative, O_PATH);
  struct stat st {};
  return fd && ::fstat(fd->get(), &st) == 0 && S_ISREG(st.st_mode);
}

}  // namespace ethos::sarif
