// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linux/seccomp.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace ethos::support {

// Runs a classic BPF program of struct sock_filter over one system call, as the kernel would
// (seccomp(2)): the action word it returns. Nothing for a program that the kernel would not load:
// an unknown instruction, a jump or load out of range, no return.
[[nodiscard]] std::optional<std::uint32_t> evaluate_filter(std::span<const std::byte> program,
                                                           const seccomp_data& call);

}  // namespace ethos::support
