// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace ethos::sandbox {

// The loader that an ELF file names (PT_INTERP), wherever in the file its program headers and the
// name lie: as the kernel reads it, which asks neither for the class in the first bytes nor for
// sections. Empty when there is none or the kernel would not start the file. `head` is how the file
// begins, `file` what the rest is read from (-1: there is no more).
[[nodiscard]] std::string elf_loader(std::string_view head, int file);

}  // namespace ethos::sandbox
