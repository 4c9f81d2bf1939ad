// SPDX-License-Identifier: Apache-2.0
#include "sandbox/init_image.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

// The linker only sees bytes: no tool but the assembler is needed to embed the file.
asm(".section .rodata\n"
    ".balign 16\n"
    "ethos_init_begin:\n"
    ".incbin \"" ETHOS_INIT_FILE
    "\"\n"
    "ethos_init_end:\n"
    ".byte 0\n"
    ".previous\n");

extern "C" {
extern const std::byte ethos_init_begin[] __attribute__((visibility("hidden")));
extern const std::byte ethos_init_end[] __attribute__((visibility("hidden")));
}

namespace ethos::sandbox {
namespace {

constexpr unsigned kMfdExec = 0x10;  // Linux 6.3; refused as unknown by older kernels

}  // namespace

std::span<const std::byte> init_image() {
  return {ethos_init_begin, static_cast<std::size_t>(ethos_init_end - ethos_init_begin)};
}

base::Result<base::UniqueFd> sealed_init() {
  const auto image = init_image();
  int fd = memfd_create("ethos-init", MFD_CLOEXEC | MFD_ALLOW_SEALING | kMfdExec);
  if (fd < 0 && errno == EINVAL) fd = memfd_create("ethos-init", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0) return base::fail_errno("memfd for init", errno);
  base::UniqueFd memfd(fd);
  const ssize_t written = write(fd, image.data(), image.size());
  if (written != static_cast<ssize_t>(image.size()))
    return base::fail_errno("write init", written < 0 ? errno : EIO);
  constexpr int kSeals = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL;
  if (fcntl(fd, F_ADD_SEALS, kSeals) != 0) return base::fail_errno("seal init", errno);
  return memfd;
}

}  // namespace ethos::sandbox
