// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <string>

#include "tests/escape/hostile.h"

namespace hostile {
namespace {

std::string workspace;  // where every act starts

int write_at(const std::string& path, int flags = O_WRONLY) {
  return open(path.c_str(), flags, 0644);
}
int make_at(const std::string& path) { return write_at(path, O_WRONLY | O_CREAT); }

// A link in the granted directory; its path.
std::string link_to(const std::string& target, const std::string& name = "out/l") {
  symlink(target.c_str(), name.c_str());
  return name;
}

int here() { return open(".", O_RDONLY | O_DIRECTORY); }
int out() { return open("out", O_RDONLY | O_DIRECTORY); }
std::string fd_path(int fd) { return "/proc/self/fd/" + std::to_string(fd); }

int chain(int length) {
  close(make_at("out/end"));
  std::string last = "end";
  for (int i = 1; i <= length; ++i) {
    const std::string name = "c" + std::to_string(i);
    symlink(last.c_str(), ("out/" + name).c_str());
    last = name;
  }
  return write_at("out/" + last);
}

// The working directory ends up below the granted one, with a path no system call can name.
int go_deep() {
  if (chdir("out") != 0) return -1;
  const std::string name(200, 'd');
  int levels = 0;
  for (; levels < 22; ++levels)
    if (mkdir(name.c_str(), 0755) != 0 || chdir(name.c_str()) != 0) return -1;
  return levels;
}

int how_at(int dir, const std::string& path, std::uint64_t resolve, int flags = O_WRONLY) {
  open_how how{};
  how.flags = static_cast<unsigned>(flags);
  how.mode = (flags & O_CREAT) != 0 ? 0644 : 0;
  how.resolve = resolve;
  return static_cast<int>(syscall(SYS_openat2, dir, path.c_str(), &how, sizeof how));
}

int bind_at(const std::string& path) {
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  return bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

using Act = int (*)();

const std::map<std::string, Act>& link_acts() {
  static const std::map<std::string, Act> acts = {
      {"link_to_file", [] { return write_at(link_to("../a.txt")); }},
      {"link_to_file_trunc", [] { return write_at(link_to("../a.txt"), O_RDONLY | O_TRUNC); }},
      {"link_absolute", [] { return write_at(link_to(workspace + "/a.txt")); }},
      {"link_to_link",
       [] {
         link_to("../a.txt", "out/first");
         return write_at(link_to("first"));
       }},
      {"link_to_hidden", [] { return write_at(link_to("../.env")); }},
      {"link_to_up_file", [] { return write_at(link_to("..") + "/a.txt"); }},
      {"link_to_up_new", [] { return make_at(link_to("..") + "/new"); }},
      {"link_to_up_git", [] { return make_at(link_to("..") + "/.git/config"); }},
      {"link_dangling_out", [] { return make_at(link_to("../made")); }},
      {"link_dangling_in", [] { return make_at(link_to("made")); }},
      {"link_of_host", [] { return write_at("to_a"); }},
      {"link_of_host_to_grant", [] { return make_at("sub/to_out/x"); }},
      {"link_loop", [] { return write_at(link_to("l")); }},
      // 40 links are allowed, but a walk that the kernel has to start again counts on: up to three
      // times.
      {"link_chain_13", [] { return chain(13); }},
      {"link_chain_41", [] { return chain(41); }},
      {"link_slash", [] { return write_at(link_to("../a.txt") + "/"); }},
      {"link_nofollow", [] { return write_at(link_to("../a.txt"), O_WRONLY | O_NOFOLLOW); }},
      {"link_excl", [] { return write_at(link_to("../a.txt"), O_WRONLY | O_CREAT | O_EXCL); }},
      {"link_outside", [] { return make_at(link_to("/nowhere/x")); }},
      {"dotdot_after_link_out", [] { return write_at(link_to("../sub") + "/../a.txt"); }},
      {"dotdot_after_link_in", [] { return make_at(link_to("/tmp") + "/../tmp/made"); }},
      {"dotdot_after_host_link", [] { return make_at("sub/to_out/../out/x"); }},
      {"dotdot_above_root", [] { return make_at("/../../tmp/made"); }},
      {"dotdot_after_missing", [] { return write_at("gone/../a.txt"); }},
      {"dotdot_after_file", [] { return write_at("a.txt/../a.txt"); }},
      {"dotdot_out_of_shut", [] { return write_at("shut/../a.txt"); }},
      {"dotdot_out_of_shut_in", [] { return make_at("shut/../out/x"); }},
      {"dotdot_out_of_shut_name", [] { return make_at("shut/x/../../out/x"); }},
      {"dotdot_out_of_shut_link", [] { return make_at(link_to("../shut") + "/../out/x"); }},
  };
  return acts;
}

int read_only(const char* name) { return open(name, O_RDONLY); }

const std::map<std::string, Act>& held_acts() {
  static const std::map<std::string, Act> acts = {
      {"fd_chmod_read_only", [] { return fchmod(read_only("a.txt"), 0600); }},
      {"fd_chown_read_only",
       [] { return fchown(read_only("a.txt"), static_cast<uid_t>(-1), static_cast<gid_t>(-1)); }},
      {"fd_times_read_only", [] { return futimens(read_only("a.txt"), nullptr); }},
      {"fd_setxattr_read_only", [] { return fsetxattr(read_only("a.txt"), "user.a", "1", 1, 0); }},
      {"fd_removexattr_read_only", [] { return fremovexattr(read_only("a.txt"), "user.a"); }},
      {"fd_chmod_granted", [] { return fchmod(make_at("out/x"), 0600); }},
      {"fd_times_granted", [] { return futimens(make_at("out/x"), nullptr); }},
      {"fd_chmod_pipe",
       [] {
         int ends[2] = {-1, -1};
         return pipe(ends) == 0 ? fchmod(ends[0], 0600) : -1;
       }},
      {"fd_chmod_closed", [] { return fchmod(99, 0600); }},
      {"fd_times_directory", [] { return futimens(read_only("sub"), nullptr); }},
      {"remove_grant", [] { return rmdir("out"); }},
      {"rename_grant", [] { return rename("out", "/tmp/moved"); }},
      {"rename_over_grant",
       [] { return mkdir("/tmp/d", 0755) == 0 ? rename("/tmp/d", "out") : -1; }},
      {"remove_scratch", [] { return rmdir("/tmp"); }},
      {"remove_device", [] { return unlink("/dev/null"); }},
  };
  return acts;
}

const std::map<std::string, Act>& plain_acts() {
  static const std::map<std::string, Act> acts = {
      {"path_only", [] { return write_at("a.txt", O_PATH | O_WRONLY | O_TRUNC); }},
      {"creat_existing_read", [] { return write_at("a.txt", O_RDONLY | O_CREAT); }},
      {"creat_new_read", [] { return write_at("new", O_RDONLY | O_CREAT); }},
      {"creat_excl_existing", [] { return write_at("a.txt", O_WRONLY | O_CREAT | O_EXCL); }},
      {"write_missing", [] { return write_at("gone"); }},
      {"write_directory", [] { return write_at("sub"); }},
      {"write_below_file", [] { return make_at("a.txt/x"); }},
      {"write_below_missing", [] { return make_at("gone/x"); }},
      {"name_too_long", [] { return make_at("out/" + std::string(256, 'n')); }},
      {"tmpfile_in", [] { return write_at("out", O_TMPFILE | O_WRONLY); }},
      {"tmpfile_out", [] { return write_at("sub", O_TMPFILE | O_WRONLY); }},
      {"mkdir_existing", [] { return mkdir("sub", 0755); }},
      {"mkdir_root", [] { return mkdir("/", 0755); }},
      {"mkdir_ancestor", [] { return mkdir((workspace + "/..").c_str(), 0755); }},
      {"mkdir_below_missing", [] { return mkdir("gone/x", 0755); }},
      {"mkdir_slash", [] { return mkdir("out/made/", 0755); }},
      {"rmdir_dot", [] { return rmdir("out/."); }},
      {"symlink_existing", [] { return symlink("x", "a.txt"); }},
      {"empty_path", [] { return unlink(""); }},
      {"fifo_in", [] { return mkfifo("out/fifo", 0644); }},
      {"bind_out", [] { return bind_at("sock"); }},
      {"bind_through_link", [] { return bind_at(link_to("../sub") + "/sock"); }},
      {"bind_in", [] { return bind_at("out/sock"); }},
      {"bind_existing", [] { return bind_at("a.txt"); }},
  };
  return acts;
}

const std::map<std::string, Act>& change_acts() {
  static const std::map<std::string, Act> acts = {
      {"unlink_link", [] { return unlink(link_to("../a.txt").c_str()); }},
      {"rename_link", [] { return rename(link_to("../a.txt").c_str(), "out/m"); }},
      {"rename_into_link_dir",
       [] {
         close(make_at("out/f"));
         return rename("out/f", (link_to("../sub") + "/x").c_str());
       }},
      {"lchown_link", [] { return lchown(link_to("../a.txt").c_str(), getuid(), getgid()); }},
      {"chown_link", [] { return chown(link_to("../a.txt").c_str(), getuid(), getgid()); }},
      {"fchownat_link_nofollow",
       [] {
         return fchownat(AT_FDCWD, link_to("../a.txt").c_str(), getuid(), getgid(),
                         AT_SYMLINK_NOFOLLOW);
       }},
      {"fchownat_link",
       [] { return fchownat(AT_FDCWD, link_to("../a.txt").c_str(), getuid(), getgid(), 0); }},
      {"chmod_link", [] { return chmod(link_to("../a.txt").c_str(), 0600); }},
      {"utimensat_link_nofollow",
       [] {
         return utimensat(AT_FDCWD, link_to("../a.txt").c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
       }},
      {"utimensat_link",
       [] { return utimensat(AT_FDCWD, link_to("../a.txt").c_str(), nullptr, 0); }},
      {"truncate_link", [] { return truncate(link_to("../a.txt").c_str(), 0); }},
      {"setxattr_link", [] { return setxattr(link_to("../a.txt").c_str(), "user.x", "1", 1, 0); }},
      {"hard_link_of_link", [] { return link(link_to("../a.txt").c_str(), "out/h"); }},
      {"hard_link_followed",
       [] {
         return linkat(AT_FDCWD, link_to("../a.txt").c_str(), AT_FDCWD, "out/h", AT_SYMLINK_FOLLOW);
       }},
      {"mkdir_through_link", [] { return mkdir((link_to("../sub") + "/x").c_str(), 0755); }},
      {"symlink_through_link", [] { return symlink("x", (link_to("../sub") + "/x").c_str()); }},
      {"unlink_through_link", [] { return unlink((link_to("../sub") + "/y").c_str()); }},
  };
  return acts;
}

const std::map<std::string, Act>& descriptor_acts() {
  static const std::map<std::string, Act> acts = {
      {"fd_dir_file", [] { return write_at(fd_path(here()) + "/a.txt"); }},
      {"fd_dir_new", [] { return make_at(fd_path(here()) + "/new"); }},
      {"fd_dir_git", [] { return make_at(fd_path(here()) + "/.git/config"); }},
      {"fd_dir_mkdir", [] { return mkdir((fd_path(here()) + "/new").c_str(), 0755); }},
      {"fd_dir_dotdot", [] { return write_at(fd_path(out()) + "/../a.txt"); }},
      {"fd_file", [] { return write_at(fd_path(open("a.txt", O_RDONLY))); }},
      {"fd_file_chmod", [] { return chmod(fd_path(open("a.txt", O_RDONLY)).c_str(), 0600); }},
      {"fd_writable_file", [] { return write_at(fd_path(make_at("out/f"))); }},
      {"fd_deleted_file",
       [] {
         const int fd = make_at("out/f");
         unlink("out/f");
         return write_at(fd_path(fd));
       }},
      {"fd_pipe",
       [] {
         int ends[2] = {-1, -1};
         if (pipe(ends) != 0) return -1;
         return write_at(fd_path(ends[1]));
       }},
      {"fd_memory", [] { return write_at(fd_path(memfd_create("m", 8U))); }},
      {"fd_nofollow",
       [] { return write_at(fd_path(open("a.txt", O_RDONLY)), O_WRONLY | O_NOFOLLOW); }},
      {"fd_excl",
       [] { return write_at(fd_path(open("a.txt", O_RDONLY)), O_WRONLY | O_CREAT | O_EXCL); }},
      {"fd_below_file", [] { return make_at(fd_path(open("a.txt", O_RDONLY)) + "/x"); }},
      {"fd_missing", [] { return write_at("/proc/self/fd/77"); }},
      {"fd_of_thread",
       [] { return write_at("/proc/thread-self/fd/" + std::to_string(here()) + "/a.txt"); }},
      {"fd_by_dev", [] { return write_at("/dev/fd/" + std::to_string(here()) + "/a.txt"); }},
      {"fd_by_link", [] { return write_at(link_to(fd_path(here())) + "/a.txt"); }},
      {"proc_cwd", [] { return write_at("/proc/self/cwd/a.txt"); }},
      {"proc_root", [] { return write_at("/proc/self/root" + workspace + "/a.txt"); }},
      {"proc_cwd_granted", [] { return make_at("/proc/self/cwd/out/x"); }},
      {"linkat_tmpfile",
       [] {
         const int fd = write_at("out", O_TMPFILE | O_WRONLY);
         return linkat(AT_FDCWD, fd_path(fd).c_str(), AT_FDCWD, "out/named", AT_SYMLINK_FOLLOW);
       }},
      {"dirfd_up", [] { return openat(out(), "../a.txt", O_WRONLY); }},
      {"dirfd_bad", [] { return openat(77, "a.txt", O_WRONLY); }},
      {"dirfd_file", [] { return openat(open("a.txt", O_RDONLY), "a.txt", O_WRONLY); }},
      {"dirfd_empty_chown",
       [] { return fchownat(open("a.txt", O_PATH), "", getuid(), getgid(), AT_EMPTY_PATH); }},
  };
  return acts;
}

const std::map<std::string, Act>& place_acts() {
  static const std::map<std::string, Act> acts = {
      {"cwd_up", [] { return chdir("out") == 0 ? write_at("../a.txt") : -1; }},
      {"cwd_deleted",
       [] {
         if (mkdir("out/d", 0755) != 0 || chdir("out/d") != 0 || rmdir("../d") != 0) return 0;
         return make_at("x");
       }},
      {"deep_new", [] { return go_deep() > 0 ? make_at("x") : -1; }},
      {"deep_up",
       [] {
         std::string path;
         for (int i = go_deep(); i >= 0; --i) path += "../";
         return write_at(path + "a.txt");
       }},
      {"deep_link",
       [] {
         if (go_deep() < 0) return 0;
         symlink((workspace + "/a.txt").c_str(), "l");
         return write_at("l");
       }},
      {"how_no_symlinks",
       [] { return how_at(AT_FDCWD, link_to("../a.txt"), RESOLVE_NO_SYMLINKS); }},
      {"how_no_magic",
       [] { return how_at(AT_FDCWD, fd_path(here()) + "/a.txt", RESOLVE_NO_MAGICLINKS); }},
      {"how_beneath", [] { return how_at(out(), "../a.txt", RESOLVE_BENEATH); }},
      {"how_beneath_absolute",
       [] { return how_at(here(), workspace + "/a.txt", RESOLVE_BENEATH); }},
      {"how_beneath_inside", [] { return how_at(here(), "sub/../a.txt", RESOLVE_BENEATH); }},
      {"how_in_root",
       [] { return how_at(out(), "/../a.txt", RESOLVE_IN_ROOT, O_WRONLY | O_CREAT); }},
      {"how_in_root_absolute_link",
       [] {
         link_to("/a.txt");
         return how_at(out(), "l", RESOLVE_IN_ROOT, O_WRONLY | O_CREAT);
       }},
      {"how_no_xdev", [] { return how_at(here(), "out/x", RESOLVE_NO_XDEV, O_WRONLY | O_CREAT); }},
      {"how_plain", [] { return how_at(AT_FDCWD, link_to("../a.txt"), 0); }},
  };
  return acts;
}

// args[1] is the act, args[2] the workspace.
int walk(const Arguments& args) {
  workspace = args[2];
  if (chdir(workspace.c_str()) != 0) return 97;
  for (const auto* table : {&link_acts(), &plain_acts(), &change_acts(), &descriptor_acts(),
                            &place_acts(), &held_acts()}) {
    const auto found = table->find(args[1]);
    if (found == table->end()) continue;
    say("result", found->second());
    return 0;
  }
  return 96;
}

// Starts args[1] in each way; prints what execve said. args[2] is a file that may not be started.
int start(const Arguments& args) {
  char* const argv[] = {const_cast<char*>("x"), nullptr};
  const int fd = open(args[2].c_str(), O_RDONLY);
  const std::string way = args[1];
  if (way == "path") execv(args[2].c_str(), argv);
  if (way == "fd") execv(fd_path(fd).c_str(), argv);
  if (way == "empty") syscall(SYS_execveat, fd, "", argv, environ, AT_EMPTY_PATH);
  if (way == "relative") syscall(SYS_execveat, AT_FDCWD, args[2].c_str() + 1, argv, environ, 0);
  say_errno("exec", errno);
  return 0;
}

// Gives sockets the names args[1]...
int bind_names(const Arguments& args) {
  for (std::size_t i = 1; i < args.size(); ++i) say(args[i], bind_at(args[i]));
  return 0;
}

// Opens args[1] times what lies behind forty links of four thousand bytes.
int long_paths(const Arguments& args) {
  if (chdir("/tmp") != 0) return 97;
  constexpr int kLinks = 38;
  const auto link = [](int i) { return "l" + std::to_string(i); };
  const auto here = [](int times) {
    std::string out;
    for (int i = 0; i < times; ++i) out += "./";
    return out;
  };
  for (int i = 0; i < kLinks; ++i)
    if (symlink((here(2030) + link(i + 1)).c_str(), link(i).c_str()) != 0) return 97;
  if (symlink("/usr", link(kLinks).c_str()) != 0) return 97;
  const std::string path = "/tmp/" + link(0) + "/" + here(1990) + "bin/true";
  for (int i = std::stoi(args[1]); i > 0; --i) {
    const int fd = open(path.c_str(), O_RDONLY);
    // A walk that the kernel starts again counts its links on.
    if (fd < 0 && errno != ELOOP) {
      say("opens", fd);
      return 0;
    }
    if (fd >= 0) close(fd);
  }
  say_errno("opens", 0);
  return 0;
}

// Makes a file in the directory so many levels below args[1], which is there.
int make_below(const Arguments& args) {
  if (chdir(args[1].c_str()) != 0) return 97;
  for (int i = std::stoi(args[2]); i > 0; --i)
    if (chdir(args[3].c_str()) != 0) return 97;
  say("make", make_at("x"));
  return 0;
}

// Renames a file args[2] times in a directory 200 * args[1] levels deep.
int deep_renames(const Arguments& args) {
  constexpr int kLevels = 200;  // of what is moved at once
  const int chains = std::stoi(args[1]);
  const std::string name(200, 'd');
  const auto top = [](int i) { return "/tmp/c" + std::to_string(i); };
  for (int i = 0; i < chains; ++i) {
    if (mkdir(top(i).c_str(), 0755) != 0 || chdir(top(i).c_str()) != 0) return 97;
    for (int level = 1; level < kLevels; ++level)
      if (mkdir(name.c_str(), 0755) != 0 || chdir(name.c_str()) != 0) return 97;
    if (i > 0 && rename(top(i - 1).c_str(), name.c_str()) != 0) return 97;
  }
  if (chdir(top(chains - 1).c_str()) != 0) return 97;
  while (chdir(name.c_str()) == 0) continue;
  close(make_at("a"));
  for (int i = std::stoi(args[2]); i > 0; --i)
    if (rename("a", "b") != 0 || rename("b", "a") != 0) return 97;
  say_errno("renames", 0);
  return 0;
}

// Maps code of all kinds of descriptors.
int map_codes(const Arguments& args) {
  const auto map = [](const char* name, int fd) {
    void* const at = mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
    say(name, at == MAP_FAILED ? -1 : 0);
  };
  map("file", read_only(args[1].c_str()));
  map("zero", write_at("/dev/zero", O_RDWR));
  map("path_only", write_at(args[1], O_PATH));
  map("write_only", make_at("/tmp/w"));
  map("scratch", write_at("/tmp/w", O_RDWR));
  map("closed", 99);
  map("granted", read_only("/usr/bin/true"));
  return 0;
}

// Modes that no file of the cage gets. The C library turns open into openat.
int odd_modes(const Arguments&) {
  if (chdir("/tmp") != 0) return 97;
  say("open_setuid", syscall(SYS_open, "a", O_WRONLY | O_CREAT, 04755));
  say("openat_setgid", openat(AT_FDCWD, "b", O_WRONLY | O_CREAT, 02755));
  say("creat_setuid", creat("c", 04755));
  say("tmpfile_setuid", open("/tmp", O_TMPFILE | O_WRONLY, 04755));
  say("mknod_setuid", mknod("d", S_IFREG | 04755, 0));
  say("mknod_device", mknod("e", S_IFCHR | 0600, 0x103));
  close(creat("f", 0755));
  say("chmod_setuid", chmod("f", 04755));
  say("open_existing", open("f", O_WRONLY | O_CREAT, 04755));
  say("mkdir_setgid", mkdir("g", 02755));
  return 0;
}

}  // namespace

const std::vector<Entry> kWalkCases = {{"walk", walk},
                                       {"start", start},
                                       {"bind-names", bind_names},
                                       {"long-paths", long_paths},
                                       {"make-below", make_below},
                                       {"deep-renames", deep_renames},
                                       {"map-codes", map_codes},
                                       {"odd-modes", odd_modes}};

}  // namespace hostile
