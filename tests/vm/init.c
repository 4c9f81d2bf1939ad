// SPDX-License-Identifier: Apache-2.0
// First program of a test machine: leaves the initial ramfs (pivot_root cannot start from it) for an
// ext4 file system, mounts what a system has, runs /vmtest/run and reports its status through QEMU's
// debug-exit port. Without the module for RAM disks the root is a tmpfs.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/io.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

enum { kDebugExitPort = 0xf4 };

static void finish(int status) {
  fflush(stdout);
  // Without this the last line is lost in some runs.
  tcdrain(1);
  if (iopl(3) == 0) outb((unsigned char)(status & 0x7f), kDebugExitPort);
  for (;;) pause();
}

static void need(int result, const char *what) {
  if (result != 0) {
    perror(what);
    finish(99);
  }
}

static int run(char *const argv[]) {
  pid_t child = fork();
  if (child == 0) {
    execv(argv[0], argv);
    perror(argv[0]);
    _exit(127);
  }
  int status = 0;
  // Orphans land here too: reap until our own child is done.
  for (;;) {
    pid_t done = wait(&status);
    if (done == child) break;
    if (done < 0) return 98;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 97;
}

// A module that is not in the package is no failure: the cases that need it say so.
static void load(const char *path, const char *options) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  if (syscall(SYS_finit_module, fd, options, 0) != 0) perror(path);
  close(fd);
}

// The first RAM disk holds the root, so that it is on a block device and can have id-mapped mounts;
// the second is for swapping.
static int mount_ext4(void) {
  load("/modules/brd.ko", "rd_nr=2 rd_size=524288");
  if (access("/dev/ram0", F_OK) != 0) return -1;
  mkdir("/image/dev", 0755);
  if (mount("devtmpfs", "/image/dev", "devtmpfs", 0, NULL) != 0) return -1;
  char *format[] = {"/busybox", "chroot", "/image", "/usr/bin/mke2fs", "-q", "-t", "ext4", "/dev/ram0", NULL};
  const int status = run(format);
  umount("/image/dev");
  const int result = status == 0 ? mount("/dev/ram0", "/newroot", "ext4", 0, NULL) : -1;
  if (result != 0) perror("mount /dev/ram0");
  return result;
}

int main(void) {
  setenv("PATH", "/usr/bin:/bin", 1);
  setenv("HOME", "/root", 1);
  mkdir("/newroot", 0755), mkdir("/dev", 0755);
  need(mount("devtmpfs", "/dev", "devtmpfs", 0, NULL), "mount devtmpfs");
  // The kernel found none in the initial ramfs, and without it the first files opened were 0, 1 and 2.
  int console = open("/dev/console", O_RDWR);
  if (console >= 0) {
    dup2(console, 0), dup2(console, 1), dup2(console, 2);
    if (console > 2) close(console);
  }
  load("/modules/overlay.ko", "");
  if (mount_ext4() != 0)
    need(mount("tmpfs", "/newroot", "tmpfs", 0, "mode=0755,size=80%"), "mount tmpfs");
  char *copy[] = {"/busybox", "cp", "-a", "/image/.", "/newroot/", NULL};
  need(run(copy), "copy the image");
  char *drop[] = {"/busybox", "rm", "-rf", "/image", NULL};
  run(drop);
  need(chdir("/newroot"), "chdir");
  mkdir("proc", 0555), mkdir("sys", 0555), mkdir("dev", 0755), mkdir("run", 0755), mkdir("root", 0700);
  mkdir("tmp", 01777), chmod("tmp", 01777);
  need(mount("proc", "proc", "proc", 0, NULL), "mount proc");
  need(mount("sysfs", "sys", "sysfs", 0, NULL), "mount sysfs");
  need(mount("devtmpfs", "dev", "devtmpfs", 0, NULL), "mount devtmpfs");
  need(mount("cgroup2", "sys/fs/cgroup", "cgroup2", 0, NULL), "mount cgroup2");
  need(mount("tmpfs", "tmp", "tmpfs", 0, "mode=1777"), "mount /tmp");
  need(mount(".", "/", NULL, MS_MOVE, NULL), "move the root");
  need(chroot("."), "chroot");
  need(chdir("/"), "chdir /");
  char *test[] = {"/bin/sh", "/vmtest/run", NULL};
  int status = run(test);
  printf("VM_STATUS=%d\n", status);
  finish(status);
}
