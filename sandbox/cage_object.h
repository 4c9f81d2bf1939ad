// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// What the supervisor can ask about an object of the cage that it holds open with O_PATH.
namespace ethos::sandbox {

using Stat = struct statx;

// openat2(2) with `resolve`; -1 and errno.
[[nodiscard]] int open_how_at(int dir, const char* path, int flags, std::uint64_t resolve);

// Type, mode, owner, links, inode and mount.
[[nodiscard]] std::optional<Stat> look(int fd);

[[nodiscard]] bool is_on_proc(int fd);

// The path of an open object inside the cage's tree, which is what the kernel prints for mounts
// that the reader's own root does not reach. Empty: it has none (errno 0), or one longer than a
// page (ENAMETOOLONG). `links` of it tell whether the kernel says that it was removed.
[[nodiscard]] std::string text_of(int fd, std::uint32_t links);

// Memory with a name: it lies on a mount of the kernel's own and never had a place in a tree.
[[nodiscard]] bool is_memory(std::string_view text, std::uint32_t links);

// The path of a thread's working directory, as `text_of` says it; empty: it is gone, or too deep.
[[nodiscard]] std::string directory_text(pid_t tid);

// "/proc/<tid>" in the supervisor's own /proc.
[[nodiscard]] std::string thread_dir(pid_t tid);

// What /proc/self ("7") and /proc/thread-self ("7/task/8") say to that thread inside the cage.
// Empty when it is gone.
[[nodiscard]] std::string inner_process(pid_t tid);
[[nodiscard]] std::string inner_thread(pid_t tid);

}  // namespace ethos::sandbox
