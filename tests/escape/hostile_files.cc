// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <thread>

#include "tests/escape/hostile.h"

namespace hostile {
namespace {

// Every way to change something by path, against args[1] (a file) and args[2] (a directory).
int change_paths(const Arguments& args) {
  const char* file = args[1].c_str();
  const std::string in_dir = args[2] + "/made";
  const char* made = in_dir.c_str();
  say("open_write", open(file, O_WRONLY));
  say("open_rdwr", open(file, O_RDWR));
  say("open_trunc", open(file, O_RDONLY | O_TRUNC));
  say("open_append", open(file, O_WRONLY | O_APPEND));
  say("open_creat", open(made, O_WRONLY | O_CREAT, 0644));
  say("creat", creat(made, 0644));
  say("open_tmpfile", open(args[2].c_str(), O_TMPFILE | O_WRONLY, 0600));
  open_how how{};
  how.flags = O_WRONLY;
  say("openat2", syscall(SYS_openat2, AT_FDCWD, file, &how, sizeof how));
  say("open_high_bits", syscall(SYS_openat, AT_FDCWD, file, (0xdeadULL << 32) | O_WRONLY, 0));
  say("truncate", truncate(file, 0));
  say("unlink", unlink(file));
  say("unlinkat", unlinkat(AT_FDCWD, file, 0));
  say("rename", rename(file, made));
  say("rename_in", rename("/tmp/home", made));
  say("renameat2", renameat2(AT_FDCWD, file, AT_FDCWD, made, RENAME_EXCHANGE));
  say("link", link(file, made));
  say("link_out", link(file, "/tmp/stolen"));
  say("symlink", symlink("/etc", made));
  say("mkdir", mkdir(made, 0755));
  say("rmdir", rmdir(args[2].c_str()));
  say("mknod", mknod(made, S_IFREG | 0644, 0));
  say("mkfifo", mkfifo(made, 0644));
  say("chmod", chmod(file, 0777));
  say("fchmodat", fchmodat(AT_FDCWD, file, 0777, 0));
  say("fchmodat2", syscall(452, AT_FDCWD, file, 0777, 0));
  say("chown", chown(file, getuid(), getgid()));
  say("lchown", lchown(file, getuid(), getgid()));
  say("utimensat", utimensat(AT_FDCWD, file, nullptr, 0));
  say("utimes", utimes(file, nullptr));
  say("setxattr", setxattr(file, "user.x", "1", 1, 0));
  say("removexattr", removexattr(file, "user.x"));
  const int fd = open(file, O_RDONLY);
  say("fchmod", fchmod(fd, 0777));
  say("fchown", fchown(fd, getuid(), getgid()));
  say("futimens", futimens(fd, nullptr));
  say("fsetxattr", fsetxattr(fd, "user.x", "1", 1, 0));
  say("ftruncate", ftruncate(fd, 0));
  const std::string magic = "/proc/self/fd/" + std::to_string(fd);
  say("reopen_write", open(magic.c_str(), O_WRONLY));
  say("chmod_magic", chmod(magic.c_str(), 0777));
  return 0;
}

int device_rights(const Arguments&) {
  const int null = open("/dev/null", O_RDWR);
  say_errno("open", null < 0 ? errno : 0);
  say("chmod", chmod("/dev/null", 0600));
  say("fchmodat", fchmodat(AT_FDCWD, "/dev/zero", 0666, 0));
  say("fchmod", fchmod(null, 0600));
  say("chown", chown("/dev/null", getuid(), getgid()));
  say("fchown", fchown(null, getuid(), getgid()));
  say("utimensat", utimensat(AT_FDCWD, "/dev/zero", nullptr, 0));
  say("futimens", futimens(null, nullptr));
  say("utime", syscall(SYS_utime, "/dev/full", nullptr));
  say("utimes", syscall(SYS_utimes, "/dev/random", nullptr));
  say("futimesat", syscall(SYS_futimesat, AT_FDCWD, "/dev/urandom", nullptr));
  return 0;
}

// Acts on a hidden directory (the first argument) by names that have none of their own.
int hidden_dots(const Arguments& args) {
  const std::string dot = args[1] + "/.";
  say("symlink", symlink("x", dot.c_str()));
  say("rename", rename(dot.c_str(), "other"));
  say("rmdir", rmdir(dot.c_str()));
  say("mkdir", mkdir(dot.c_str(), 0700));
  say("link", link("/dev/null", dot.c_str()));
  return 0;
}

// Tries to open each argument for reading.
int read_paths(const Arguments& args) {
  for (std::size_t i = 1; i < args.size(); ++i) {
    const int fd = open(args[i].c_str(), O_RDONLY | O_CLOEXEC);
    say(args[i], fd);
    char byte = 0;
    if (fd >= 0) std::printf("%s bytes=%zd\n", args[i].c_str(), read(fd, &byte, 1));
    if (fd >= 0) close(fd);
  }
  return 0;
}

int write_paths(const Arguments& args) {
  for (std::size_t i = 1; i < args.size(); ++i) {
    const int fd = open(args[i].c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    say(args[i], fd);
    if (fd >= 0) close(fd);
  }
  return 0;
}

int stat_paths(const Arguments& args) {
  for (std::size_t i = 1; i < args.size(); ++i) {
    struct stat found {};
    say(args[i], stat(args[i].c_str(), &found));
  }
  return 0;
}

// A link in a writable place does not widen what can be reached; args[1] is a file outside.
int link_tricks(const Arguments& args) {
  symlink(args[1].c_str(), "/tmp/l");
  say("through_link", open("/tmp/l", O_WRONLY));
  symlink("/", "/tmp/root");
  say("through_root", open(("/tmp/root" + args[1]).c_str(), O_WRONLY));
  say("proc_root", open(("/proc/self/root" + args[1]).c_str(), O_WRONLY));
  say("dotdot", open(("/tmp/../../.." + args[1]).c_str(), O_WRONLY));
  const std::string name = args[1].substr(args[1].rfind('/') + 1);
  say("proc_cwd", open(("/proc/self/cwd/" + name).c_str(), O_WRONLY));
  say("double_slash", open(("//" + args[1]).c_str(), O_WRONLY));
  const int dir = open(args[1].substr(0, args[1].rfind('/')).c_str(), O_PATH | O_DIRECTORY);
  say("by_dirfd", openat(dir, name.c_str(), O_WRONLY));
  say("fchdir", fchdir(dir));
  say("by_cwd", open(name.c_str(), O_WRONLY));
  return 0;
}

// Another thread flips the path between a writable and a protected name while it is being judged.
int path_race(const Arguments& args) {
  static char path[4096];
  std::snprintf(path, sizeof path, "/tmp/a%s", std::string(args[1].size() - 6, 'b').c_str());
  const std::string good(path);
  close(open(path, O_CREAT | O_WRONLY, 0644));
  std::atomic<bool> stop{false};
  std::thread flipper([&] {
    while (!stop) {
      std::memcpy(path, args[1].c_str(), args[1].size());
      std::memcpy(path, good.c_str(), good.size());
    }
  });
  int stolen = 0;
  for (int i = 0; i < 3000; ++i) {
    const int fd = open(path, O_WRONLY);
    if (fd < 0) continue;
    char link[4096] = {};
    const std::string self = "/proc/self/fd/" + std::to_string(fd);
    const ssize_t n = readlink(self.c_str(), link, sizeof link - 1);
    if (n > 0 && std::string(link, static_cast<std::size_t>(n)) == args[1]) ++stolen;
    close(fd);
  }
  stop = true;
  flipper.join();
  say_errno("stolen", stolen);
  return 0;
}

// Many refused opens of different names: args[1] of them.
int denial_flood(const Arguments& args) {
  const int count = std::stoi(args[1]);
  int refused = 0;
  for (int i = 0; i < count; ++i) {
    const std::string name = "/usr/flood-" + std::to_string(i);
    if (open(name.c_str(), O_WRONLY | O_CREAT, 0644) < 0) ++refused;
  }
  say_errno("refused", refused);
  return 0;
}

int show_environment(const Arguments&) {
  for (char** at = environ; *at != nullptr; ++at) std::puts(*at);
  std::ifstream in("/proc/self/environ", std::ios::binary);
  const std::string raw{std::istreambuf_iterator<char>(in), {}};
  std::printf("raw=%zu\n", raw.size());
  return 0;
}

// The file behind standard input, whatever it may be.
int standard_input(const Arguments&) {
  say("fchmod", fchmod(0, 0777));
  say("fchown", fchown(0, getuid(), getgid()));
  const timespec times[2] = {{1, 0}, {1, 0}};
  say("futimens", futimens(0, times));
  say("fsetxattr", fsetxattr(0, "user.a", "1", 1, 0));
  say("ftruncate", ftruncate(0, 0));
  char text[64] = {};
  const ssize_t n = read(0, text, sizeof text - 1);
  std::printf("read=%d\n", static_cast<int>(n));
  return 0;
}

// Opens each of its standard descriptors anew, in every way, and puts into the first what its
// caller never said.
int reopen_streams(const Arguments&) {
  const int own = open("/proc/self/fd/0", O_RDWR | O_NONBLOCK);
  if (own >= 0) {
    static_cast<void>(write(own, "forged\n", 7) == 7);
    static_cast<void>(fchmod(own, 0666) == 0);
  }
  const int write_only = open("/proc/self/fd/0", O_WRONLY | O_NONBLOCK | O_TRUNC);
  if (write_only >= 0) static_cast<void>(write(write_only, "forged\n", 7) == 7);
  static_cast<void>(fchmod(0, 0666) == 0);
  for (const char* path : {"/proc/self/fd/1", "/proc/self/fd/2"}) {
    const int fd = open(path, O_RDONLY | O_NONBLOCK);
    char stolen[64];
    if (fd >= 0) static_cast<void>(read(fd, stolen, sizeof stolen) < 0);
  }
  // Only what the caller said first counts: what comes after it may be our own words.
  char text[4] = {};
  std::size_t have = 0;
  while (have < sizeof text) {
    const ssize_t n = read(0, text + have, sizeof text - have);
    if (n <= 0) break;
    have += static_cast<std::size_t>(n);
  }
  std::printf("have=%d\n", static_cast<int>(have));
  return 0;
}

// Bytes in a page of that protection.
void* shut_away(const void* bytes, std::size_t size, int protection) {
  void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return nullptr;
  std::memcpy(page, bytes, size);
  mprotect(page, 4096, protection);
  return page;
}

// Arguments in memory that the kernel can read and other processes may not; args[1] is a directory.
int unreadable_arguments(const Arguments& args) {
  for (const int protection : {PROT_WRITE, PROT_EXEC}) {
    const std::string which = protection == PROT_WRITE ? "write_" : "exec_";
    const auto path = [&](const char* name) {
      const std::string text = args[1] + "/" + which + name;
      return static_cast<const char*>(shut_away(text.c_str(), text.size() + 1, protection));
    };
    say(which + "creat", creat(path("creat"), 0644));
    say(which + "mkdir", mkdir(path("mkdir"), 0755));
    open_how how{};
    how.flags = O_WRONLY | O_CREAT;
    say(which + "openat2", syscall(SYS_openat2, AT_FDCWD, path("how"),
                                   shut_away(&how, sizeof how, protection), sizeof how));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string bound = args[1] + "/" + which + "b";
    bound.copy(address.sun_path, sizeof address.sun_path - 1);
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    say(which + "bind",
        syscall(SYS_bind, fd, shut_away(&address, sizeof address, protection), sizeof address));
    close(fd);
    const sock_filter logs{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_LOG};
    const sock_fprog program{1,
                             static_cast<sock_filter*>(shut_away(&logs, sizeof logs, protection))};
    say(which + "filter", prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER,
                                shut_away(&program, sizeof program, protection), 0, 0));
  }
  say("nowhere", open(reinterpret_cast<const char*>(16), O_WRONLY | O_CREAT, 0644));
  say("flags_asked", syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, nullptr));
  return 0;
}

}  // namespace

const std::vector<Entry> kFileCases = {
    {"reopen-streams", reopen_streams},
    {"standard-input", standard_input},
    {"change-paths", change_paths},
    {"read-paths", read_paths},
    {"write-paths", write_paths},
    {"stat-paths", stat_paths},
    {"link-tricks", link_tricks},
    {"path-race", path_race},
    {"denial-flood", denial_flood},
    {"device_rights", device_rights},
    {"hidden-dots", hidden_dots},
    {"environment", show_environment},
    {"unreadable-arguments", unreadable_arguments},
};

}  // namespace hostile
