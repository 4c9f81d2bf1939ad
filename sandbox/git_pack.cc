// SPDX-License-Identifier: Apache-2.0
#include "sandbox/git_pack.h"

#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <memory>
#include <vector>

#include "ledger/base/bytes.h"
#include "ledger/base/hex.h"

namespace ethos::sandbox {
namespace {

using base::Errc;
using base::fail;
using base::Result;
using base::UniqueFd;

// All of `out` from `offset`, or false.
bool read_exactly(const UniqueFd& file, std::uint64_t offset, char* out, std::size_t size) {
  while (size > 0) {
    const ssize_t n = ::pread(file.get(), out, size, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    out += n;
    size -= static_cast<std::size_t>(n);
    offset += static_cast<std::uint64_t>(n);
  }
  return true;
}

std::optional<std::uint32_t> read_u32(const UniqueFd& file, std::uint64_t offset) {
  std::array<char, 4> b{};
  if (!read_exactly(file, offset, b.data(), b.size())) return std::nullopt;
  std::uint32_t out = 0;
  for (const char c : b) out = (out << 8U) | static_cast<unsigned char>(c);
  return out;
}

struct EntryHeader {
  unsigned type = 0;
  std::uint64_t size = 0;
  std::uint64_t data = 0;         // offset of the zlib stream
  std::uint64_t base_offset = 0;  // OFS_DELTA
  std::string base_id;            // REF_DELTA
};

constexpr unsigned kOfsDelta = 6;
constexpr unsigned kRefDelta = 7;

std::optional<EntryHeader> read_header(const UniqueFd& pack, std::uint64_t offset,
                                       std::size_t id_size) {
  constexpr std::size_t kMost = 64;
  std::array<char, kMost> b{};
  const ssize_t n = ::pread(pack.get(), b.data(), b.size(), static_cast<off_t>(offset));
  if (n <= 0) return std::nullopt;
  const auto have = static_cast<std::size_t>(n);
  std::size_t at = 0;
  const auto next = [&]() -> std::optional<unsigned> {
    return at < have ? std::optional<unsigned>(static_cast<unsigned char>(b[at++])) : std::nullopt;
  };
  auto byte = next();
  if (!byte) return std::nullopt;
  EntryHeader out;
  out.type = (*byte >> 4U) & 7U;
  out.size = *byte & 15U;
  for (unsigned shift = 4; (*byte & 0x80U) != 0; shift += 7) {
    byte = next();
    if (!byte || shift > 53) return std::nullopt;
    out.size |= std::uint64_t{*byte & 0x7FU} << shift;
  }
  if (out.type == kOfsDelta) {
    byte = next();
    if (!byte) return std::nullopt;
    std::uint64_t back = *byte & 0x7FU;
    while ((*byte & 0x80U) != 0) {
      byte = next();
      if (!byte || back > (std::uint64_t{1} << 50U)) return std::nullopt;
      back = ((back + 1) << 7U) | (*byte & 0x7FU);
    }
    if (back == 0 || back > offset) return std::nullopt;
    out.base_offset = offset - back;
  } else if (out.type == kRefDelta) {
    if (have - at < id_size) return std::nullopt;
    out.base_id.assign(b.data() + at, id_size);
    at += id_size;
  }
  out.data = offset + at;
  return out;
}

const char* type_name(unsigned type) {
  switch (type) {
    case 1:
      return "commit";
    case 2:
      return "tree";
    case 3:
      return "blob";
    case 4:
      return "tag";
    default:
      return nullptr;
  }
}

}  // namespace

namespace {
constexpr std::uint64_t kMaxOverhead = 1U << 20;  // of a zlib stream that does not compress
}  // namespace

Result<std::string> inflate_at(const UniqueFd& file, std::uint64_t offset,
                               std::optional<std::size_t> size, GitWork& work) {
  if (size && *size > kMaxGitObject) return fail(Errc::too_large, "a Git object over 16 MiB");
  // A stream can be long and hold nothing.
  const std::uint64_t most_read = 2 * size.value_or(kMaxGitObject) + kMaxOverhead;
  std::uint64_t read = 0;
  z_stream stream{};
  if (::inflateInit(&stream) != Z_OK) return fail(Errc::io, "zlib");
  const std::unique_ptr<z_stream, int (*)(z_stream*)> guard(&stream, ::inflateEnd);
  std::string out;
  std::array<unsigned char, 16384> in{};
  std::array<char, 16384> chunk{};
  int state = Z_OK;
  while (state != Z_STREAM_END) {
    if (stream.avail_in == 0) {
      const ssize_t n = ::pread(file.get(), in.data(), in.size(), static_cast<off_t>(offset));
      if (n <= 0) return fail(Errc::malformed, "a Git object that is cut off");
      offset += static_cast<std::uint64_t>(n);
      read += static_cast<std::uint64_t>(n);
      if (read > most_read) return fail(Errc::malformed, "a Git object that is mostly padding");
      if (auto ok = work.take(static_cast<std::uint64_t>(n)); !ok)
        return base::Unexpected(std::move(ok).error());
      stream.next_in = in.data();
      stream.avail_in = static_cast<unsigned>(n);
    }
    stream.next_out = reinterpret_cast<unsigned char*>(chunk.data());
    stream.avail_out = static_cast<unsigned>(chunk.size());
    state = ::inflate(&stream, Z_NO_FLUSH);
    if (state != Z_OK && state != Z_STREAM_END && state != Z_BUF_ERROR)
      return fail(Errc::malformed, "a Git object that is no zlib stream");
    const std::size_t made = chunk.size() - stream.avail_out;
    if (made == 0 && state == Z_BUF_ERROR && stream.avail_in != 0)
      return fail(Errc::malformed, "a Git object that does not inflate");
    if (auto ok = work.take(made); !ok) return base::Unexpected(std::move(ok).error());
    out.append(chunk.data(), made);
    if (out.size() > size.value_or(kMaxGitObject))
      return fail(size ? Errc::malformed : Errc::too_large, "a Git object larger than it says");
  }
  if (size && out.size() != *size)
    return fail(Errc::malformed, "a Git object smaller than it says");
  return out;
}

namespace {

constexpr std::uint64_t kFanout = 8;
constexpr std::uint64_t kNames = kFanout + 256 * 4;

// Which entries of a version 2 index begin with this byte.
struct NameRange {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  std::uint64_t total = 0;
};

std::optional<NameRange> names_with(const UniqueFd& index, unsigned char first) {
  constexpr std::uint32_t kMagic = 0xFF744F63;
  if (read_u32(index, 0) != kMagic || read_u32(index, 4) != 2) return std::nullopt;
  const auto from = first == 0 ? std::optional<std::uint32_t>(0)
                               : read_u32(index, kFanout + (std::uint64_t{first} - 1) * 4);
  const auto to = read_u32(index, kFanout + std::uint64_t{first} * 4);
  const auto total = read_u32(index, kFanout + 255 * 4);
  if (!from || !to || !total || *from > *to || *to > *total) return std::nullopt;
  return NameRange{*from, *to, *total};
}

}  // namespace

std::optional<std::uint64_t> GitPack::find(const UniqueFd& index, std::string_view id) {
  const auto range = names_with(index, static_cast<unsigned char>(id[0]));
  if (!range) return std::nullopt;
  std::uint64_t low = range->from;
  std::uint64_t high = range->to;
  std::string name(id.size(), '\0');
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (!read_exactly(index, kNames + middle * id.size(), name.data(), name.size()))
      return std::nullopt;
    if (name == id) {
      const std::uint64_t offsets = kNames + range->total * (id.size() + 4);
      const auto small = read_u32(index, offsets + middle * 4);
      if (!small) return std::nullopt;
      constexpr std::uint32_t kIsLarge = 0x80000000;
      if ((*small & kIsLarge) == 0) return *small;
      const std::uint64_t large =
          offsets + range->total * 4 + std::uint64_t{*small & ~kIsLarge} * 8;
      const auto upper = read_u32(index, large);
      const auto lower = read_u32(index, large + 4);
      if (!upper || !lower) return std::nullopt;
      return (std::uint64_t{*upper} << 32U) | *lower;
    }
    if (std::string_view(name) < id)
      low = middle + 1;
    else
      high = middle;
  }
  return std::nullopt;
}

// The index does not say how long its names are: its size does, with what follows them (a CRC and
// an offset each, and large offsets in between).
std::vector<std::string> GitPack::find_by_beginning(const UniqueFd& index,
                                                    const std::string& digits, std::size_t most) {
  std::vector<std::string> out;
  const auto first = base::decode_hex(digits.substr(0, 2));
  struct stat st {};
  if (!first || ::fstat(index.get(), &st) != 0) return out;
  const auto range = names_with(index, static_cast<unsigned char>((*first)[0]));
  if (!range || range->total == 0) return out;
  constexpr std::uint64_t kSha1 = 20;
  constexpr std::uint64_t kSha256 = 32;
  const auto size = static_cast<std::uint64_t>(st.st_size);
  const std::uint64_t least256 = kNames + range->total * (kSha256 + 8) + 2 * kSha256;
  const std::uint64_t least1 = kNames + range->total * (kSha1 + 8) + 2 * kSha1;
  // With so many large offsets that both would fit, the names tell: SHA-1 comes first in question.
  for (const std::uint64_t id_size : {kSha1, kSha256}) {
    const std::uint64_t least = id_size == kSha1 ? least1 : least256;
    if (size < least || (size - least) % 8 != 0 || (size - least) / 8 > range->total) continue;
    std::string name(id_size, '\0');
    // Where the beginning would stand.
    std::uint64_t low = range->from;
    std::uint64_t high = range->to;
    const auto hex_at = [&](std::uint64_t at) -> std::optional<std::string> {
      if (!read_exactly(index, kNames + at * id_size, name.data(), name.size()))
        return std::nullopt;
      return base::encode_hex(base::as_bytes(name));
    };
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      const auto hex = hex_at(middle);
      if (!hex) return out;
      if (*hex < digits)
        low = middle + 1;
      else
        high = middle;
    }
    for (; low < range->to && out.size() <= most; ++low) {
      auto hex = hex_at(low);
      if (!hex || !hex->starts_with(digits)) break;
      out.push_back(std::move(*hex));
    }
  }
  return out;
}

Result<GitObject> GitPack::read(const UniqueFd& pack, std::uint64_t offset, std::size_t id_size,
                                const ByName& by_name, GitWork& work) {
  constexpr std::size_t kMaxChain = 512;
  std::vector<std::string> deltas;
  std::uint64_t kept = 0;
  const auto let_go = [&work](const std::uint64_t* bytes) { work.let_go(*bytes); };
  const std::unique_ptr<const std::uint64_t, decltype(let_go)> guard(&kept, let_go);
  GitObject object;
  while (true) {
    const auto header = read_header(pack, offset, id_size);
    if (!header) return fail(Errc::malformed, "a pack entry that cannot be read");
    if (header->size > kMaxGitObject) return fail(Errc::too_large, "a Git object over 16 MiB");
    if (type_name(header->type) == nullptr) {
      if (auto ok = work.keep(header->size); !ok) return base::Unexpected(std::move(ok).error());
      kept += header->size;
    }
    auto data = inflate_at(pack, header->data, static_cast<std::size_t>(header->size), work);
    if (!data) return base::Unexpected(std::move(data).error());
    if (const char* type = type_name(header->type)) {
      object = {type, std::move(*data)};
      break;
    }
    if (header->type != kOfsDelta && header->type != kRefDelta)
      return fail(Errc::unsupported, "an unknown kind of pack entry");
    deltas.push_back(std::move(*data));
    if (deltas.size() > kMaxChain) return fail(Errc::too_large, "a chain of more than 512 deltas");
    if (header->type == kRefDelta) {
      auto base = by_name(header->base_id);
      if (!base) return base;
      object = std::move(*base);
      break;
    }
    offset = header->base_offset;
  }
  for (auto delta = deltas.rbegin(); delta != deltas.rend(); ++delta) {
    auto applied = apply_git_delta(object.bytes, *delta);
    if (!applied) return base::Unexpected(std::move(applied).error());
    object.bytes = std::move(*applied);
    if (auto ok = work.take(object.bytes.size()); !ok)
      return base::Unexpected(std::move(ok).error());
  }
  return object;
}

}  // namespace ethos::sandbox
