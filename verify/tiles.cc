// SPDX-License-Identifier: Apache-2.0
#include "verify/tiles.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "verify/bundle_names.h"
#include "verify/checkpoint.h"
#include "verify/note.h"
#include "verify/tile_reader.h"
#include "verify/unique_fd.h"

namespace ethos::verify {
namespace {

using Kind = BundleName::Kind;
constexpr std::size_t kMaxKeyCheckpoints = 100'000;

Error system_error(const std::string& name) {
  return Error{errno == ENOENT || errno == ENOTDIR ? Errc::not_found : Errc::io, name + ": " + std::strerror(errno)};
}

// A file below the directory; links inside it may not lead out of it.
Result<std::string> read_below(int directory, const std::string& name, std::uint64_t most) {
  struct open_how how {};
  how.flags = static_cast<std::uint64_t>(O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  UniqueFd fd(static_cast<int>(::syscall(SYS_openat2, directory, name.c_str(), &how, sizeof how)));
  if (!fd.valid() && errno == ENOSYS) fd.reset(::openat(directory, name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
  struct stat st {};
  if (!fd.valid() || ::fstat(fd.get(), &st) != 0) return system_error(name);
  if (!S_ISREG(st.st_mode)) return Error{Errc::io, name + ": not a regular file"};
  if (static_cast<std::uint64_t>(st.st_size) > most) return Error{Errc::too_long, name + ": larger than " + std::to_string(most) + " bytes"};
  std::string out(static_cast<std::size_t>(st.st_size), '\0');
  for (std::size_t done = 0; done < out.size();) {
    const ssize_t got = ::pread(fd.get(), out.data() + done, out.size() - done, static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error(name);
    if (got == 0) out.resize(done);
    done += static_cast<std::size_t>(got);
  }
  return out;
}

class TilesSource final : public EvidenceSource {
 public:
  TilesSource(UniqueFd directory, std::uint64_t size)
      : directory_(std::move(directory)), size_(size),
        tiles_({.size = size, .may_be_full = true, .bad = Code::tiles, .missing = Code::tiles_missing},
               [this](const std::string& name) {
                 const auto parsed = parse_bundle_name(name);
                 return read_below(directory_.get(), name, parsed ? bundle_member_limit(parsed->kind) : 0);
               }) {}

  bool check(Findings& findings) {
    list_key_checkpoints();
    sizes_.push_back(size_);
    return tiles_.check(findings);
  }

  [[nodiscard]] const char* kind() const override { return "tiles"; }
  // TD-8: of a ledger that was pruned the entries of what was dropped are not here.
  [[nodiscard]] bool ends_early() const override { return ends_early_; }
  [[nodiscard]] bool has_key_checkpoints() const override { return false; }
  [[nodiscard]] bool has_blobs() const override { return false; }
  // TD-7: entries are records; what they commit to is elsewhere.
  [[nodiscard]] bool may_withhold(std::string_view) const override { return true; }
  [[nodiscard]] std::uint64_t estimate() const override { return size_; }
  [[nodiscard]] std::string how() const override { return "a directory of tiles up to record " + std::to_string(size_ - 1) + "; it holds no committed values"; }

  bool next_records(RecordBatch& out, Findings& findings) override {
    out.clear();
    if (index_ >= size_ || !tiles_.load(index_ / kTileWidth, findings)) {
      ends_early_ = ends_early_ || index_ < size_;
      index_ = size_;
      return false;
    }
    for (const std::uint64_t end = std::min(size_, index_ + kTileWidth); index_ < end; ++index_) {
      const std::string_view entry = tiles_.entry(index_);
      out.rows.push_back({static_cast<std::int64_t>(index_), out.bytes.size(), entry.size(), tiles_.leaf(index_), entry.empty(), entry.empty()});
      out.bytes += entry;
    }
    return true;
  }
  bool next_checkpoint(StoredCheckpoint& out, Findings& findings) override {
    if (size_at_ == sizes_.size()) return false;
    out.size = static_cast<std::int64_t>(sizes_[size_at_++]);
    auto note = checkpoint(out.size);
    if (!note) findings.add({.code = Code::tiles_missing, .expected = name_of(out.size), .text = "a checkpoint could not be read"});
    out.note = note.value_or("");
    return note.has_value();
  }
  std::optional<std::string> checkpoint(std::int64_t size) override {
    auto bytes = read_below(directory_.get(), name_of(size), bundle_member_limit(Kind::checkpoint));
    if (!bytes) return std::nullopt;
    return *std::move(bytes);
  }
  std::optional<std::string> record(std::int64_t seq) override {
    const auto index = static_cast<std::uint64_t>(seq);
    Findings ignored;
    if (index >= size_ || !tiles_.load(index / kTileWidth, ignored)) return std::nullopt;
    return std::string(tiles_.entry(index));
  }
  std::optional<StoredDisclosure> disclosure(const Digest&) override { return std::nullopt; }
  std::optional<std::string> blob(const Digest&) override { return std::nullopt; }
  bool next_disclosure(StoredDisclosure&, Findings&) override { return false; }
  bool next_blob(Digest&, std::string&, Findings&) override { return false; }
  void check_tail(const std::string&, std::int64_t, std::int64_t, Findings&) override {}
  std::optional<std::string> highwater() override { return std::nullopt; }

 private:
  [[nodiscard]] std::string name_of(std::int64_t size) const {
    return static_cast<std::uint64_t>(size) == size_ ? "checkpoint" : numbered("checkpoint.d", static_cast<std::uint64_t>(size));
  }

  void list_key_checkpoints() {
    struct Close {
      void operator()(DIR* dir) const { ::closedir(dir); }
    };
    const int fd = ::openat(directory_.get(), "checkpoint.d", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) return;
    const std::unique_ptr<DIR, Close> dir(::fdopendir(fd));
    if (!dir) {
      ::close(fd);
      return;
    }
    while (const dirent* entry = ::readdir(dir.get())) {
      const auto name = parse_bundle_name(std::string("checkpoint.d/") + static_cast<const char*>(entry->d_name));
      if (name && name->a > 0 && name->a < size_ && sizes_.size() < kMaxKeyCheckpoints) sizes_.push_back(name->a);
    }
    std::sort(sizes_.begin(), sizes_.end());
  }

  UniqueFd directory_;
  std::uint64_t size_;
  TileReader tiles_;
  std::vector<std::uint64_t> sizes_;  // of checkpoints, ascending
  std::size_t size_at_ = 0;
  std::uint64_t index_ = 0;
  bool ends_early_ = false;
};

}  // namespace

Result<std::unique_ptr<EvidenceSource>> open_tiles(const std::string& path, Findings& findings) {
  std::unique_ptr<EvidenceSource> nothing;
  UniqueFd directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory.valid()) return system_error(path);
  const auto bytes = read_below(directory.get(), "checkpoint", bundle_member_limit(Kind::checkpoint));
  if (!bytes && bytes.error().code == Errc::not_found) return Error{Errc::malformed, "a directory without a checkpoint: not one of tiles"};
  if (!bytes) return bytes.error();
  const auto note = parse_note(*bytes);
  const auto text = note ? parse_checkpoint_text(note->text) : Result<Checkpoint>(note.error());
  if (!text) {
    findings.add({.code = Code::note_malformed, .found = text.error().what, .text = "the directory's checkpoint is malformed"});
    return nothing;
  }
  auto source = std::make_unique<TilesSource>(std::move(directory), text->size);
  if (!source->check(findings)) return nothing;
  return std::unique_ptr<EvidenceSource>(std::move(source));
}

}  // namespace ethos::verify
