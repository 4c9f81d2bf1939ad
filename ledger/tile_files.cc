// SPDX-License-Identifier: Apache-2.0
#include "ledger/tile_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <memory>

#include "ledger/base/file_io.h"
#include "ledger/base/paths.h"
#include "ledger/record/signed_note.h"
#include "ledger/tiles.h"

namespace ethos::ledger {
namespace {

using base::Errc;
using base::fail;
using base::Result;
using base::Unexpected;
using record::Digest;

constexpr const char* kTemp = ".new";
// More files than this are synced by one syncfs(2): a call a file would take minutes.
constexpr std::size_t kMaxSingleSyncs = 128;
constexpr unsigned kHeight = 8;  // a tile is that many levels of the tree

struct DirCloser {
  void operator()(DIR* dir) const { ::closedir(dir); }
};

}  // namespace

Result<TileFiles> TileFiles::open(const std::string& path) {
  auto root = base::open_path(path, O_RDONLY | O_DIRECTORY);
  if (!root) return Unexpected(std::move(root).error());
  return TileFiles(std::move(*root), path);
}

Result<TileFiles> TileFiles::open_for_writing(const std::string& path) {
  if (auto ok = base::make_directories(path, 0755); !ok) return Unexpected(std::move(ok).error());
  auto files = open(path);
  if (!files) return files;
  // On the directory itself: a lock file would be served to the world.
  if (::flock(files->root_.get(), LOCK_EX | LOCK_NB) != 0) {
    return base::fail_errno(path + ": another writer", errno);
  }
  return files;
}

Result<std::string> TileFiles::checkpoint() const {
  auto fd = base::open_beneath(root_, "checkpoint", O_RDONLY | O_NOCTTY | O_NONBLOCK);
  if (!fd && fd.error().code == Errc::not_found) return std::string();
  if (!fd) return Unexpected(std::move(fd).error().with_context(path_));
  return base::read_fd(*fd, record::kMaxNoteBytes, path_ + "/checkpoint");
}

Result<std::vector<Digest>> TileFiles::hashes(unsigned level, std::uint64_t index,
                                              std::uint64_t width) const {
  const std::string name = hash_tile_name(level, index, width);
  auto fd = base::open_beneath(root_, name, O_RDONLY | O_NOCTTY | O_NONBLOCK);
  if (!fd) return Unexpected(std::move(fd).error().with_context(path_));
  auto bytes = base::read_fd(*fd, kTileWidth * Digest::kSize, path_ + "/" + name);
  if (!bytes) return Unexpected(std::move(bytes).error());
  if (bytes->size() != width * Digest::kSize) {
    return fail(Errc::mismatch, path_ + "/" + name + ": has " + std::to_string(bytes->size()) +
                                    " bytes, not " + std::to_string(width * Digest::kSize));
  }
  std::vector<Digest> out;
  out.reserve(width);
  for (std::size_t at = 0; at < bytes->size(); at += Digest::kSize) {
    out.push_back(
        *Digest::from_bytes(base::as_bytes(std::string_view(*bytes).substr(at, Digest::kSize))));
  }
  return out;
}

Result<std::vector<Digest>> TileFiles::hashes_at(unsigned level, std::uint64_t index,
                                                 std::uint64_t size) const {
  const std::uint64_t count = size >> (kHeight * level);
  const std::uint64_t first = index * kTileWidth;
  if (first >= count) return fail(Errc::malformed, path_ + ": a tile beyond the tree");
  return hashes(level, index, std::min(kTileWidth, count - first));
}

bool TileFiles::has(const std::string& name) const {
  return base::open_beneath(root_, name, O_PATH).has_value();
}

Result<void> TileFiles::make_parents(const std::string& name) {
  for (std::size_t at = name.find('/'); at != std::string::npos; at = name.find('/', at + 1)) {
    const std::string parent = name.substr(0, at);
    if (::mkdirat(root_.get(), parent.c_str(), 0755) == 0) {
      touched_.insert(base::split_path(parent).parent);
    } else if (errno != EEXIST) {
      return base::fail_errno(path_ + "/" + parent, errno);
    }
  }
  return {};
}

Result<void> TileFiles::put(const std::string& name, std::string_view bytes, bool is_synced) {
  // One temporary name: the lock says that nobody else uses it, and a crash leaves no more than it.
  auto opened = base::open_beneath(root_, kTemp, O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK, 0644);
  if (!opened) return Unexpected(std::move(opened).error().with_context(path_));
  auto fd = base::require_regular(std::move(*opened), path_ + "/" + kTemp);
  if (!fd) return Unexpected(std::move(fd).error());
  if (auto ok = base::write_all(*fd, base::as_bytes(bytes), path_ + "/" + name); !ok) return ok;
  if (is_synced) {
    if (auto ok = base::sync_fd(*fd, path_ + "/" + name); !ok) return ok;
  }
  if (::renameat(root_.get(), kTemp, root_.get(), name.c_str()) != 0) {
    return base::fail_errno(path_ + "/" + name, errno);
  }
  return {};
}

Result<void> TileFiles::write(const std::string& name, std::string_view bytes) {
  if (auto ok = make_parents(name); !ok) return ok;
  if (auto ok = put(name, bytes, false); !ok) return ok;
  touched_.insert(base::split_path(name).parent);
  if (fresh_.size() <= kMaxSingleSyncs) fresh_.push_back(name);
  return {};
}

Result<void> TileFiles::sync() {
  if (fresh_.size() > kMaxSingleSyncs) {
    if (::syncfs(root_.get()) != 0) return base::fail_errno(path_, errno);
    touched_.clear();
  }
  for (const std::string& name : fresh_) {
    if (touched_.empty()) break;  // done by syncfs
    auto fd = base::open_beneath(root_, name, O_RDONLY | O_NONBLOCK);
    if (!fd) return Unexpected(std::move(fd).error());
    if (auto ok = base::sync_fd(*fd, path_ + "/" + name); !ok) return ok;
  }
  for (const std::string& name : touched_) {
    auto fd = base::open_beneath(root_, name, O_RDONLY | O_DIRECTORY);
    if (!fd) return Unexpected(std::move(fd).error());
    if (auto ok = base::sync_fd(*fd, path_ + "/" + name); !ok) return ok;
  }
  fresh_.clear();
  touched_.clear();
  return {};
}

Result<void> TileFiles::publish(std::string_view note) {
  if (auto ok = put("checkpoint", note, true); !ok) return ok;
  return base::sync_fd(root_, path_);
}

Result<void> TileFiles::drop_partials(const std::string& full_tile_name) {
  const std::string name = full_tile_name + ".p";
  auto fd = base::open_beneath(root_, name, O_RDONLY | O_DIRECTORY);
  if (!fd) {
    return fd.error().code == Errc::not_found ? Result<void>() : Unexpected(std::move(fd).error());
  }
  const std::unique_ptr<DIR, DirCloser> dir(::fdopendir(fd->get()));
  if (!dir) return base::fail_errno(path_ + "/" + name, errno);
  const int raw = fd->release();  // the stream's now
  while (const dirent* entry = ::readdir(dir.get())) {
    if (std::string_view(entry->d_name).find_first_not_of("0123456789") == std::string_view::npos)
      ::unlinkat(raw, entry->d_name, 0);
  }
  ::unlinkat(root_.get(), name.c_str(), AT_REMOVEDIR);
  return {};
}

Result<bool> TileFiles::drop(const std::string& full_tile_name) {
  const bool has_partials =
      base::open_beneath(root_, full_tile_name + ".p", O_PATH | O_DIRECTORY).has_value();
  if (has_partials) {
    if (auto ok = drop_partials(full_tile_name); !ok) return Unexpected(std::move(ok).error());
  }
  const base::SplitPath split = base::split_path(full_tile_name);
  auto parent = base::open_beneath(root_, split.parent, O_RDONLY | O_DIRECTORY);
  if (!parent) {
    if (parent.error().code == base::Errc::not_found) return false;
    return Unexpected(std::move(parent).error());
  }
  if (::unlinkat(parent->get(), split.name.c_str(), 0) == 0) return true;
  if (errno == ENOENT) return has_partials;
  return base::fail_errno(path_ + "/" + full_tile_name, errno);
}

Result<std::vector<Digest>> peaks_of(const TileFiles& files, std::uint64_t size) {
  std::vector<Digest> peaks;
  if (size == 0) return peaks;
  const auto top = (static_cast<unsigned>(std::bit_width(size)) - 1) / kHeight;
  for (unsigned level = top + 1; level-- > 0;) {
    const std::uint64_t count = size >> (kHeight * level);
    const std::uint64_t width = count % kTileWidth;
    if (width == 0) continue;
    auto hashes = files.hashes(level, count / kTileWidth, width);
    if (!hashes) return hashes;
    record::MerkleFrontier tile;
    for (const Digest& hash : *hashes) tile.append(hash);
    peaks.insert(peaks.end(), tile.peaks().begin(), tile.peaks().end());
  }
  return peaks;
}

Digest TileRoots::perfect(std::uint64_t first, unsigned height) {
  // A subtree of 256 lies in the tile above as one hash.
  const unsigned level = height / kHeight;
  const std::uint64_t index = first >> (kHeight * level);
  const std::uint64_t width = std::uint64_t{1} << (height % kHeight);
  auto hashes = files_.hashes_at(level, index / kTileWidth, size_);
  if (!hashes) {
    if (result_) result_ = Unexpected(std::move(hashes).error());
    return {};
  }
  record::MerkleFrontier part;
  const std::uint64_t at = index % kTileWidth;
  for (std::uint64_t i = at; i < std::min<std::uint64_t>(at + width, hashes->size()); ++i)
    part.append((*hashes)[i]);
  return part.root();
}

Digest TileRoots::root_of(std::uint64_t first, std::uint64_t count) {
  if (!result_) return {};
  if (std::has_single_bit(count)) {
    return perfect(first, static_cast<unsigned>(std::countr_zero(count)));
  }
  const std::uint64_t left = std::bit_floor(count);
  const Digest a = root_of(first, left);
  return record::node_hash(a, root_of(first + left, count - left));
}

}  // namespace ethos::ledger
