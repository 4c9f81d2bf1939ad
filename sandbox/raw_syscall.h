// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

// System calls without libc, for code that shares the supervisor's memory or runs without one:
// libc's wrappers write errno through the thread pointer, which the clone child shares.
namespace ethos::sandbox::raw {

#if !defined(__x86_64__)
#error "the launcher knows the x86_64 system call convention only"
#endif

template <typename T>
inline long as_word(T value) {
  if constexpr (std::is_pointer_v<T>) {
    return reinterpret_cast<long>(value);
  } else if constexpr (std::is_null_pointer_v<T>) {
    return 0;
  } else {
    return static_cast<long>(value);
  }
}

inline long call6(long nr, long a, long b, long c, long d, long e, long f) {
  long result = 0;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}

// Returns the kernel's word: a negative errno, or the result. Never touches errno.
template <typename... Args>
inline long call(long nr, Args... args) {
  static_assert(sizeof...(args) <= 6);
  const long words[7] = {as_word(args)..., 0};
  long full[6] = {0, 0, 0, 0, 0, 0};
  for (unsigned i = 0; i < sizeof...(args); ++i) full[i] = words[i];
  return call6(nr, full[0], full[1], full[2], full[3], full[4], full[5]);
}

}  // namespace ethos::sandbox::raw
