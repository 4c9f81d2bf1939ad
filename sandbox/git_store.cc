// SPDX-License-Identifier: Apache-2.0
#include "sandbox/git_store.h"

#include <dirent.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>

#include "ledger/base/file_io.h"
#include "ledger/base/hex.h"
#include "ledger/base/paths.h"
#include "sandbox/git_pack.h"

namespace ethos::sandbox {
namespace {

using base::Errc;
using base::fail;
using base::Result;
using base::UniqueFd;

constexpr std::size_t kSha1Bytes = 20;

// The hash of "type size\0bytes" as hex.
std::string object_name(const GitObject& object, bool is_sha1) {
  // The configuration file is the caller's and may load code.
  OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);
  const std::string all =
      object.type + " " + std::to_string(object.bytes.size()) + std::string(1, '\0') + object.bytes;
  std::array<std::byte, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  const int ok = EVP_Digest(all.data(), all.size(), reinterpret_cast<unsigned char*>(digest.data()),
                            &size, is_sha1 ? EVP_sha1() : EVP_sha256(), nullptr);
  return ok == 1 ? base::encode_hex(base::ByteSpan(digest.data(), size)) : std::string();
}

// At most a million names; none when it cannot be read.
std::vector<std::string> list_directory(const UniqueFd& objects, const std::string& path) {
  std::vector<std::string> out;
  auto directory = base::open_beneath(objects, path, O_RDONLY | O_DIRECTORY);
  if (!directory) return out;
  const std::unique_ptr<DIR, int (*)(DIR*)> list(::fdopendir(directory->get()), ::closedir);
  if (!list) return out;
  static_cast<void>(directory->release());
  constexpr std::size_t kMost = 1'000'000;
  while (const dirent* entry = ::readdir(list.get()))
    if (out.size() < kMost) out.emplace_back(entry->d_name);
  return out;
}

std::vector<std::string> pack_names(const UniqueFd& objects) {
  std::vector<std::string> out;
  constexpr std::size_t kMaxPacks = 10'000;
  for (const std::string& name : list_directory(objects, "pack")) {
    constexpr std::string_view kIndex = ".idx";
    if (name.ends_with(kIndex) && out.size() < kMaxPacks)
      out.emplace_back(name.substr(0, name.size() - kIndex.size()));
  }
  std::ranges::sort(out);
  return out;
}

// "type size\0" in front of a loose object's bytes.
Result<GitObject> split_loose(const std::string& whole) {
  const std::size_t end = whole.find('\0');
  const std::size_t space = whole.find(' ');
  std::size_t size = 0;
  if (end == std::string::npos || space >= end)
    return fail(Errc::malformed, "a loose object without a header");
  const auto parsed = std::from_chars(whole.data() + space + 1, whole.data() + end, size);
  if (parsed.ec != std::errc() || parsed.ptr != whole.data() + end ||
      size != whole.size() - end - 1)
    return fail(Errc::malformed, "a loose object of another size than it says");
  return GitObject{whole.substr(0, space), whole.substr(end + 1)};
}

// What one objects directory has under this name; not_found leads to the next directory.
Result<GitObject> read_from(const UniqueFd& objects, const std::string& name, const std::string& id,
                            int depth, GitWork& work) {
  constexpr int kMaxDepth = 64;
  if (depth > kMaxDepth) return fail(Errc::too_large, "deltas that refer to each other too often");
  if (auto loose = base::open_beneath(objects, name.substr(0, 2) + "/" + name.substr(2),
                                      O_RDONLY | O_NONBLOCK)) {
    auto whole = inflate_at(*loose, 0, std::nullopt, work);
    if (!whole) return base::Unexpected(std::move(whole).error());
    return split_loose(*whole);
  }
  for (const std::string& pack_name : pack_names(objects)) {
    const auto index =
        base::open_beneath(objects, "pack/" + pack_name + ".idx", O_RDONLY | O_NONBLOCK);
    if (!index) continue;
    const auto offset = GitPack::find(*index, id);
    if (!offset) continue;
    const auto pack =
        base::open_beneath(objects, "pack/" + pack_name + ".pack", O_RDONLY | O_NONBLOCK);
    if (!pack) continue;
    const auto by_name = [&](std::string_view base_id) {
      return read_from(objects, base::encode_hex(base::as_bytes(base_id)), std::string(base_id),
                       depth + 1, work);
    };
    return GitPack::read(*pack, *offset, id.size(), by_name, work);
  }
  return fail(Errc::not_found, "no Git object " + name);
}

// One byte of a delta at a time; nothing when it is used up.
class DeltaReader {
 public:
  explicit DeltaReader(std::string_view delta) : delta_(delta) {}
  [[nodiscard]] bool is_done() const { return at_ >= delta_.size(); }
  std::optional<unsigned> byte() {
    return is_done() ? std::nullopt
                     : std::optional<unsigned>(static_cast<unsigned char>(delta_[at_++]));
  }
  std::optional<std::uint64_t> number() {
    std::uint64_t out = 0;
    for (unsigned shift = 0; shift < 56; shift += 7) {
      const auto b = byte();
      if (!b) return std::nullopt;
      out |= std::uint64_t{*b & 0x7FU} << shift;
      if ((*b & 0x80U) == 0) return out;
    }
    return std::nullopt;
  }
  // The bytes that the bits of `which` select, little end first.
  std::optional<std::size_t> selected(unsigned which, unsigned count) {
    std::size_t out = 0;
    for (unsigned i = 0; i < count; ++i) {
      if ((which & (1U << i)) == 0) continue;
      const auto b = byte();
      if (!b) return std::nullopt;
      out |= std::size_t{*b} << (8 * i);
    }
    return out;
  }
  std::optional<std::string_view> take(std::size_t size) {
    if (delta_.size() - at_ < size) return std::nullopt;
    at_ += size;
    return delta_.substr(at_ - size, size);
  }

 private:
  std::string_view delta_;
  std::size_t at_ = 0;
};

}  // namespace

Result<void> GitWork::take(std::uint64_t bytes) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 30U;
  taken_ += bytes;
  return taken_ <= kMost ? Result<void>()
                         : fail(Errc::too_large, "Git objects that take over 1 GiB to read");
}

Result<void> GitWork::keep(std::uint64_t bytes) {
  constexpr std::uint64_t kMost = std::uint64_t{64} << 20U;
  if (bytes > kMost || kept_ > kMost - bytes)
    return fail(Errc::too_large, "Git deltas of over 64 MiB for one object");
  kept_ += bytes;
  return {};
}

GitStore GitStore::open(UniqueFd objects) {
  GitStore out;
  constexpr std::size_t kMaxText = 65536;
  constexpr std::size_t kMaxAlternates = 16;
  std::string text;
  if (auto file = base::open_beneath(objects, "info/alternates", O_RDONLY | O_NONBLOCK))
    if (auto read = base::read_fd(*file, kMaxText, "alternates")) text = std::move(*read);
  out.directories_.push_back(std::move(objects));
  for (std::size_t at = 0; at < text.size() && out.directories_.size() <= kMaxAlternates;) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    if (line.empty() || line.front() == '#' || line.find('\0') != std::string::npos) continue;
    // Anywhere on the host: what is read there must have the hash it is asked for by.
    UniqueFd other(
        ::openat(out.directories_.front().get(), line.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (other.is_open()) out.directories_.push_back(std::move(other));
  }
  return out;
}

Result<GitObject> GitStore::read(const std::string& name) const {
  const auto id = base::decode_hex(name);
  if (!id) return fail(Errc::malformed, "no name of a Git object");
  for (const UniqueFd& directory : directories_) {
    auto object = read_from(directory, name, base::to_string(*id), 0, work_);
    if (!object && object.error().code == Errc::not_found) continue;
    if (object && object_name(*object, id->size() == kSha1Bytes) != name)
      return fail(Errc::malformed, "Git object " + name + " has other bytes than its name says");
    return object;
  }
  return fail(Errc::not_found, "no Git object " + name);
}

Result<std::vector<std::string>> GitStore::find_by_beginning(const std::string& digits) const {
  constexpr std::size_t kMost = 256;
  constexpr std::size_t kSha256Bytes = 32;
  std::vector<std::string> out;
  const auto is_full = [](std::string_view name) {
    return (name.size() == 2 * kSha1Bytes || name.size() == 2 * kSha256Bytes) &&
           name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  };
  const auto add = [&](const std::string& name) {
    if (out.size() <= kMost && is_full(name) && name.starts_with(digits) &&
        std::ranges::find(out, name) == out.end())
      out.push_back(name);
  };
  for (const UniqueFd& directory : directories_) {
    const std::string two = digits.substr(0, 2);
    for (const std::string& rest : list_directory(directory, two)) add(two + rest);
    for (const std::string& pack : pack_names(directory))
      if (const auto index =
              base::open_beneath(directory, "pack/" + pack + ".idx", O_RDONLY | O_NONBLOCK))
        for (const std::string& name : GitPack::find_by_beginning(*index, digits, kMost)) add(name);
  }
  if (out.size() > kMost) return fail(Errc::too_large, digits + " begins more than 256 objects");
  std::ranges::sort(out);
  return out;
}

Result<std::string> apply_git_delta(std::string_view base, std::string_view delta) {
  const auto malformed = [] { return fail(Errc::malformed, "a delta that does not fit its base"); };
  DeltaReader in(delta);
  const auto base_size = in.number();
  const auto size = in.number();
  if (!base_size || !size || *base_size != base.size()) return malformed();
  if (*size > kMaxGitObject) return fail(Errc::too_large, "a Git object over 16 MiB");
  std::string out;
  while (!in.is_done()) {
    const unsigned op = *in.byte();
    constexpr unsigned kCopy = 0x80;
    if ((op & kCopy) != 0) {
      const auto offset = in.selected(op, 4);
      const auto length = in.selected(op >> 4U, 3);
      if (!offset || !length) return malformed();
      constexpr std::size_t kWhenZero = 0x10000;
      const std::size_t count = *length == 0 ? kWhenZero : *length;
      if (*offset > base.size() || count > base.size() - *offset) return malformed();
      out += base.substr(*offset, count);
    } else {
      const auto literal = op == 0 ? std::nullopt : in.take(op);
      if (!literal) return malformed();
      out += *literal;
    }
    if (out.size() > *size) return malformed();
  }
  if (out.size() != *size) return malformed();
  return out;
}

}  // namespace ethos::sandbox
