// SPDX-License-Identifier: Apache-2.0
#include "sandbox/elf_loader.h"

#include <elf.h>
#include <limits.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>

namespace ethos::sandbox {
namespace {

class Bytes {
 public:
  Bytes(std::string_view head, int file) : head_(head), file_(file) {}

  [[nodiscard]] bool read(std::uint64_t at, std::span<char> out) const {
    if (at <= head_.size() && out.size() <= head_.size() - at) {
      std::memcpy(out.data(), head_.data() + at, out.size());
      return true;
    }
    constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<off_t>::max());
    if (file_ < 0 || at > kMost - out.size()) return false;
    return pread(file_, out.data(), out.size(), static_cast<off_t>(at)) ==
           static_cast<ssize_t>(out.size());
  }

  template <typename T>
  bool load(std::uint64_t at, T& out) const {
    std::array<char, sizeof(T)> raw{};
    if (!read(at, raw)) return false;
    std::memcpy(&out, raw.data(), sizeof out);
    return true;
  }

 private:
  std::string_view head_;
  int file_;
};

template <typename Header>
bool is_startable(const Header& header) {
  return header.e_type == ET_EXEC || header.e_type == ET_DYN;
}

template <typename Header, typename Segment>
std::string loader_by(const Header& header, const Bytes& bytes) {
  constexpr std::size_t kMostHeaders = 65536;
  std::array<char, kMostHeaders> table;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  const std::size_t size = header.e_phnum * sizeof(Segment);
  if (size == 0 || size > table.size() || !bytes.read(header.e_phoff, std::span(table).first(size)))
    return {};
  for (std::size_t at = 0; at < size; at += sizeof(Segment)) {
    Segment segment;
    std::memcpy(&segment, table.data() + at, sizeof segment);
    if (segment.p_type != PT_INTERP) continue;
    std::array<char, PATH_MAX> text{};
    if (segment.p_filesz < 2 || segment.p_filesz > text.size()) return {};
    const auto name = std::span(text).first(segment.p_filesz);
    if (!bytes.read(segment.p_offset, name) || name.back() != '\0') return {};
    return text.data();
  }
  return {};
}

}  // namespace

std::string elf_loader(std::string_view head, int file) {
  const Bytes bytes(head, file);
  Elf64_Ehdr wide;
  if (bytes.load(0, wide) && is_startable(wide) && wide.e_machine == EM_X86_64 &&
      wide.e_phentsize == sizeof(Elf64_Phdr))
    return loader_by<Elf64_Ehdr, Elf64_Phdr>(wide, bytes);
  // Started as well where the kernel knows 32-bit programs, though none of their calls is let be.
  Elf32_Ehdr narrow;
  constexpr std::uint16_t kMachine486 = 6;
  if (bytes.load(0, narrow) && is_startable(narrow) && narrow.e_phentsize == sizeof(Elf32_Phdr) &&
      (narrow.e_machine == EM_386 || narrow.e_machine == kMachine486 ||
       narrow.e_machine == EM_X86_64))
    return loader_by<Elf32_Ehdr, Elf32_Phdr>(narrow, bytes);
  return {};
}

}  // namespace ethos::sandbox
