// SPDX-License-Identifier: Apache-2.0
#include "reports/bundle_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "ledger/base/bytes.h"
#include "ledger/base/hex.h"
#include "ledger/base/unique_fd.h"
#include "reports/disclosure_file.h"
#include "reports/json_tape.h"

namespace ethos::reports {
namespace {

using base::Errc;
using base::fail;

constexpr std::size_t kBlock = 512;
constexpr std::size_t kMaxEntries = 4194304 + 512;
constexpr std::size_t kMaxManifest = 16384;
constexpr std::size_t kMaxDisclosure = std::size_t{1} << 26U;
constexpr std::size_t kSaltBytes = 32;
constexpr std::size_t kHashBytes = 32;
constexpr std::uint64_t kTileWidth = 256;
constexpr std::string_view kEntries = "tile/entries/";
constexpr std::string_view kLeafTiles = "tile/0/";

class Archive {
 public:
  explicit Archive(base::UniqueFd fd) : fd_(std::move(fd)) {}

  // False at the end (or at what is no header: then is_broken()).
  bool next(std::string& name, std::uint64_t& size) {
    std::array<char, kBlock> header{};
    if (!read(header.data(), header.size())) return broken();
    if (header[0] == '\0') return false;
    if (std::string_view(header.data() + 257, 5) != "ustar" || header[156] != '0') return broken();
    const std::string_view field(header.data(), 100);
    name = std::string(field.substr(0, field.find('\0')));
    size = 0;
    for (std::size_t i = 124; i < 135; ++i) {
      if (header[i] < '0' || header[i] > '7') return broken();
      size = size * 8 + static_cast<std::uint64_t>(header[i] - '0');
    }
    left_ = (size + kBlock - 1) / kBlock * kBlock;
    return true;
  }
  // Where the bytes of the member just named begin.
  [[nodiscard]] std::uint64_t offset() const { return at_; }

  // Bytes that were passed before; does not move.
  bool read_at(std::uint64_t offset, std::span<char> out) const {
    std::size_t done = 0;
    while (done < out.size()) {
      const ssize_t count = ::pread(fd_.get(), out.data() + done, out.size() - done,
                                    static_cast<off_t>(offset + done));
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return false;
      done += static_cast<std::size_t>(count);
    }
    return true;
  }

  // The member just named, whole; the rest of its last block is passed over.
  bool content(std::uint64_t size, std::string& out) {
    out.resize(size);
    if (!read(out.data(), out.size())) return broken();
    left_ -= size;
    return skip();
  }
  bool skip() {
    std::array<char, 65536> buffer{};
    while (left_ != 0) {
      const std::size_t piece = std::min<std::uint64_t>(left_, buffer.size());
      if (!read(buffer.data(), piece)) return broken();
      left_ -= piece;
    }
    return true;
  }
  [[nodiscard]] bool is_broken() const { return is_broken_; }

 private:
  bool broken() {
    is_broken_ = true;
    return false;
  }
  bool read(char* into, std::size_t size) {
    while (size != 0) {
      const ssize_t count = ::read(fd_.get(), into, size);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return false;
      into += count;
      at_ += static_cast<std::uint64_t>(count);
      size -= static_cast<std::size_t>(count);
    }
    return true;
  }

  base::UniqueFd fd_;
  std::uint64_t at_ = 0;
  std::uint64_t left_ = 0;
  bool is_broken_ = false;
};

// The hashes of the leaves, 256 a member and in order. Only where they lie is kept: they are asked
// for records that were dropped, and stand before the entries.
class LeafTiles {
 public:
  void add(std::uint64_t offset, std::uint64_t size) { tiles_.push_back({offset, size}); }
  bool hash_of(const Archive& archive, std::uint64_t seq, std::span<char, kHashBytes> out) const {
    const std::uint64_t tile = seq / kTileWidth;
    const std::uint64_t at = seq % kTileWidth * kHashBytes;
    if (tile >= tiles_.size() || at + kHashBytes > tiles_[tile].size) return false;
    return archive.read_at(tiles_[tile].offset + at, out);
  }

 private:
  struct Tile {
    std::uint64_t offset, size;
  };
  std::vector<Tile> tiles_;
};

// Takes the entry bundles apart: u16 big endian length and record bytes, again and again (C2SP
// tlog-tiles); a length of 0 is a dropped record (bundle.md B-15).
class Entries {
 public:
  enum class Fault : std::uint8_t { none, cut, dropped };
  Entries(const Archive& archive, const LeafTiles& tiles, std::int64_t limit,
          const RecordSink& sink, const DroppedSink& dropped)
      : archive_(archive), tiles_(tiles), limit_(limit), sink_(sink), dropped_(dropped) {}

  // Those beyond the limit are passed over.
  Fault split(std::string_view bytes) {
    while (!bytes.empty() && (limit_ <= 0 || next_ < limit_)) {
      if (bytes.size() < 2) return Fault::cut;
      const std::size_t length =
          static_cast<std::size_t>(static_cast<unsigned char>(bytes[0])) * 256 +
          static_cast<unsigned char>(bytes[1]);
      if (bytes.size() - 2 < length) return Fault::cut;
      const auto seq = static_cast<std::uint64_t>(next_);
      if (length != 0) {
        sink_(seq, bytes.substr(2, length));
      } else if (!dropped_) {
        return Fault::dropped;
      } else {
        std::array<char, kHashBytes> hash{};
        if (!tiles_.hash_of(archive_, seq, hash)) return Fault::cut;
        dropped_(seq, {hash.data(), hash.size()});
      }
      ++next_;
      bytes.remove_prefix(2 + length);
    }
    return Fault::none;
  }
  [[nodiscard]] std::int64_t count() const { return next_; }

 private:
  const Archive& archive_;
  const LeafTiles& tiles_;
  std::int64_t limit_;
  const RecordSink& sink_;
  const DroppedSink& dropped_;
  std::int64_t next_ = 0;
};

std::string named(const std::string& path, std::string_view what) {
  return std::string(path).append(": ").append(what);
}

// Says why the bundle will not do; an empty text when it will.
std::string manifest_fault(std::string_view text) {
  JsonTape tape;
  if (!tape.parse(text) || !tape.root().is_object()) return "its manifest is not readable";
  if (tape.root()["format"].integer_or(0) != 1) return "a version this program does not know";
  if (tape.root()["kind"].text_or("") != "ledger")
    return "it holds one run; a report needs a bundle of the whole ledger";
  if (tape.root()["from"].integer_or(-1) != 0)
    return "it begins in the middle; a report needs a bundle of the whole ledger";
  return {};
}

}  // namespace

base::Result<std::int64_t> read_bundle(const std::string& path, std::int64_t limit,
                                       const RecordSink& sink, const DroppedSink& dropped) {
  base::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.is_open()) return base::fail_errno(path, errno);
  Archive archive(std::move(fd));
  LeafTiles tiles;
  Entries entries(archive, tiles, limit, sink, dropped);
  std::string name;
  std::string bytes;
  std::uint64_t size = 0;
  bool has_manifest = false;
  while (archive.next(name, size)) {
    if (name == "manifest.json") {
      if (size > kMaxManifest || !archive.content(size, bytes))
        return fail(Errc::malformed, path + ": not a bundle");
      if (auto fault = manifest_fault(bytes); !fault.empty())
        return fail(Errc::unsupported, named(path, fault));
      has_manifest = true;
    } else if (name.starts_with(kEntries)) {
      // Members are sorted and numbers padded, so entry bundles come in the order of their records.
      Entries::Fault fault = Entries::Fault::cut;
      if (has_manifest && size <= kMaxEntries && archive.content(size, bytes))
        fault = entries.split(bytes);
      if (fault == Entries::Fault::dropped)
        return fail(Errc::unsupported, named(path, "records were dropped (pruned) from it"));
      if (fault != Entries::Fault::none)
        return fail(Errc::mismatch, named(path, name).append(" is cut or out of order"));
    } else {
      if (name.starts_with(kLeafTiles)) tiles.add(archive.offset(), size);
      if (!archive.skip()) break;
    }
  }
  if (archive.is_broken() || !has_manifest)
    return fail(Errc::malformed, path + ": not a whole bundle");
  return entries.count();
}

base::Result<void> read_bundle_disclosures(const std::string& path,
                                           const std::vector<std::string>& commitments,
                                           const DisclosureSink& sink) {
  base::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.is_open()) return base::fail_errno(path, errno);
  std::map<std::string, std::size_t> wanted;  // member -> index
  for (std::size_t i = 0; i < commitments.size(); ++i)
    wanted.emplace("disclosure/" + base::encode_hex(base::as_bytes(commitments[i])), i);
  Archive archive(std::move(fd));
  std::string name;
  std::string bytes;
  std::uint64_t size = 0;
  while (archive.next(name, size)) {
    const auto found = wanted.find(name);
    if (found == wanted.end()) {
      if (!archive.skip()) break;
      continue;
    }
    if (size > kMaxDisclosure || !archive.content(size, bytes)) break;
    const std::string_view all = bytes;
    const auto line = all.find('\n');
    if (line == std::string_view::npos || all.size() < line + 1 + kSaltBytes) continue;
    sink(found->second, {all.substr(0, line), all.substr(line + 1, kSaltBytes),
                         all.substr(line + 1 + kSaltBytes)});
  }
  if (archive.is_broken()) return fail(Errc::malformed, path + ": not a whole bundle");
  return {};
}

}  // namespace ethos::reports
