// SPDX-License-Identifier: Apache-2.0
#include "reports/bundle_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <map>
#include <string_view>

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
constexpr std::string_view kEntries = "tile/entries/";

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
      size -= static_cast<std::size_t>(count);
    }
    return true;
  }

  base::UniqueFd fd_;
  std::uint64_t left_ = 0;
  bool is_broken_ = false;
};

// u16 big endian length and record bytes, again and again (C2SP tlog-tiles).
// Those beyond `limit` are passed over.
bool split_entries(std::string_view bytes, std::int64_t& next, std::int64_t limit,
                   const RecordSink& sink, bool& has_dropped) {
  while (!bytes.empty() && (limit <= 0 || next < limit)) {
    if (bytes.size() < 2) return false;
    const std::size_t length =
        static_cast<std::size_t>(static_cast<unsigned char>(bytes[0])) * 256 +
        static_cast<unsigned char>(bytes[1]);
    if (length == 0) {
      has_dropped = true;
      return false;
    }
    if (bytes.size() - 2 < length) return false;
    sink(static_cast<std::uint64_t>(next++), bytes.substr(2, length));
    bytes.remove_prefix(2 + length);
  }
  return true;
}

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
                                       const RecordSink& sink) {
  base::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.is_open()) return base::fail_errno(path, errno);
  Archive archive(std::move(fd));
  std::string name;
  std::string bytes;
  std::uint64_t size = 0;
  std::int64_t next = 0;
  bool has_manifest = false;
  bool has_dropped = false;
  while (archive.next(name, size)) {
    if (name == "manifest.json") {
      if (size > kMaxManifest || !archive.content(size, bytes))
        return fail(Errc::malformed, path + ": not a bundle");
      if (auto fault = manifest_fault(bytes); !fault.empty())
        return fail(Errc::unsupported, named(path, fault));
      has_manifest = true;
    } else if (name.starts_with(kEntries)) {
      // Members are sorted and numbers padded, so entry bundles come in the order of their records.
      if (!has_manifest || size > kMaxEntries || !archive.content(size, bytes) ||
          !split_entries(bytes, next, limit, sink, has_dropped)) {
        if (has_dropped)
          return fail(
              Errc::unsupported,
              named(path,
                    "records were dropped (pruned) from it; make the report from the ledger"));
        return fail(Errc::mismatch, named(path, name).append(" is cut or out of order"));
      }
    } else if (!archive.skip()) {
      break;
    }
  }
  if (archive.is_broken() || !has_manifest)
    return fail(Errc::malformed, path + ": not a whole bundle");
  return next;
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
