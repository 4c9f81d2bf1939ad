// SPDX-License-Identifier: Apache-2.0
#include "sandbox/probe.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/mount.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>

#include "sandbox/audit_source.h"
#include "sandbox/cgroup.h"
#include "sandbox/host_signs.h"
#include "sandbox/init_image.h"
#include "sandbox/ruleset.h"

namespace ethos::sandbox {
namespace {

// Beside the user namespace.
constexpr int kNamespaces =
    CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;
constexpr unsigned long kWaitKillable = 1UL << 5;
constexpr unsigned kMinLandlockAbi = 1;

// A probe of ours must not outlive us, whatever kills us. The first process of a namespace does not
// see its parent: 0.
void die_with(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  const pid_t now = getppid();
  if (now != parent && now != 0) _exit(ESRCH);
}

// Runs `act` in a forked child; its return value, an errno or 0, comes back as the exit status.
int in_child(const std::function<int()>& act) {
  const pid_t self = getpid();
  const pid_t child = fork();
  if (child < 0) return errno;
  if (child == 0) {
    die_with(self);
    _exit(act());
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return errno;
  return WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
}

int result_of(long rc) { return rc < 0 ? errno : 0; }

// The maps that let the child be somebody in its namespace.
int map_self() {
  const auto put = [](const char* path, const std::string& text) {
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return errno;
    const int error = write(fd, text.data(), text.size()) < 0 ? errno : 0;
    close(fd);
    return error;
  };
  const std::string uid = std::to_string(geteuid());
  const std::string gid = std::to_string(getegid());
  if (unshare(CLONE_NEWUSER) != 0) return errno;
  if (const int error = put("/proc/self/setgroups", "deny")) return error;
  if (const int error = put("/proc/self/uid_map", uid + " " + uid + " 1")) return error;
  return put("/proc/self/gid_map", gid + " " + gid + " 1");
}

// `act` with a user and a mount namespace of its own.
int in_mount_namespace(const std::function<int()>& act) {
  return in_child([&] {
    if (const int error = map_self()) return error;
    if (unshare(CLONE_NEWNS) != 0) return errno;
    if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return errno;
    return act();
  });
}

int make_fs(const char* type, const std::vector<std::pair<const char*, const char*>>& options) {
  const long fs = syscall(SYS_fsopen, type, FSOPEN_CLOEXEC);
  if (fs < 0) return errno;
  for (const auto& [key, value] : options) {
    const auto command = value == nullptr ? FSCONFIG_SET_FLAG : FSCONFIG_SET_STRING;
    if (syscall(SYS_fsconfig, fs, command, key, value, 0) != 0) return errno;
  }
  if (syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0) return errno;
  const long made = syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, 0);
  return result_of(made);
}

int probe_proc() {
  return in_child([] {
    if (const int error = map_self()) return error;
    if (unshare(CLONE_NEWPID | CLONE_NEWNS) != 0) return errno;
    return in_child([] { return make_fs("proc", {}); });
  });
}

int probe_overlay() {
  return in_mount_namespace([] {
    const char* at = "/tmp";
    if (mount("none", at, "tmpfs", 0, "size=1m") != 0) return errno;
    for (const char* dir : {"/tmp/l", "/tmp/u", "/tmp/w"})
      if (mkdir(dir, 0755) != 0) return errno;
    // The attribute that a removed directory of the lower layer needs; before 6.6 tmpfs has none.
    if (setxattr("/tmp/u", "user.ethos.probe", "1", 1, 0) != 0) return errno;
    return make_fs("overlay", {{"lowerdir", "/tmp/l"},
                               {"upperdir", "/tmp/u"},
                               {"workdir", "/tmp/w"},
                               {"userxattr", nullptr}});
  });
}

int probe_listener() {
  return in_child([] {
    sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    const sock_fprog program{1, &allow};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
    return result_of(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                             SECCOMP_FILTER_FLAG_NEW_LISTENER | kWaitKillable, &program));
  });
}

// Only root needs it, for grants: tried on the file system of the current directory.
int probe_id_map() {
  return in_child([] {
    const long tree = syscall(SYS_open_tree, AT_FDCWD, ".", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
    if (tree < 0) return errno;
    int ready[2];
    if (pipe2(ready, O_CLOEXEC) != 0) return errno;
    const pid_t self = getpid();
    const pid_t holder = fork();
    if (holder == 0) {
      die_with(self);
      const char byte = unshare(CLONE_NEWUSER) == 0 ? 'y' : 'n';
      if (write(ready[1], &byte, 1) == 1) pause();
      _exit(0);
    }
    char byte = 0;
    int error = read(ready[0], &byte, 1) == 1 && byte == 'y' ? 0 : EPERM;
    const std::string proc = "/proc/" + std::to_string(holder);
    const int map = open((proc + "/uid_map").c_str(), O_WRONLY | O_CLOEXEC);
    if (error == 0 && write(map, "0 1900000000 1", 14) != 14) error = errno;
    const int gid_map = open((proc + "/gid_map").c_str(), O_WRONLY | O_CLOEXEC);
    if (error == 0 && write(gid_map, "0 1900000000 1", 14) != 14) error = errno;
    mount_attr attr{};
    attr.attr_set = MOUNT_ATTR_IDMAP;
    attr.userns_fd = static_cast<__u64>(open((proc + "/ns/user").c_str(), O_RDONLY | O_CLOEXEC));
    if (error == 0)
      error = result_of(syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH, &attr, sizeof attr));
    kill(holder, SIGKILL);
    waitpid(holder, nullptr, 0);
    return error;
  });
}

class Prober {
 public:
  std::vector<Feature> run(const std::string& cgroup_parent) {
    namespaces();
    constexpr std::uint32_t kMountApi = 5012;
    add_within(
        "mount_api", [] { return in_mount_namespace([] { return make_fs("tmpfs", {}); }); },
        [&](int error) { return advise_on_call(signs_, error, "the mount API", kMountApi); });
    add_within("proc_mount", probe_proc, [&](int) { return advise_on_proc(signs_); });
    landlock();
    const int listener = probe_listener();
    constexpr std::uint32_t kListener = 5019;
    const Advice on_listener =
        listener == EBUSY
            ? Advice{"this process is supervised already, and the kernel allows one listener",
                     "run ethos-run outside the other supervisor (another ethos-run, a container "
                     "engine with a seccomp agent)"}
            : advise_on_call(signs_, listener, "a seccomp listener that waits killably", kListener);
    add("seccomp_listener", listener, on_listener.cause, on_listener.fix);
    const auto init = sealed_init();
    add("sealed_memfd", init ? 0 : init.error().sys, "memfd_create or its seals are missing",
        "use Linux 3.17 or newer and allow memfd_create; vm.memfd_noexec must not be 2");
    add_within(
        "overlay_userxattr", probe_overlay,
        [&](int error) {
          constexpr std::uint32_t kOverlay = 6006;
          Advice out =
              advise_on_call(signs_, error, "overlayfs in a user namespace on tmpfs", kOverlay);
          out.cause +=
              ": directories can be granted for writing only up to 16 MiB and 2,000 entries, "
              "by copying them";
          if (error == ENODEV) out.fix = "modprobe overlay";
          return out;
        },
        false);
    if (geteuid() == 0)
      add_within("id_mapped_mounts", probe_id_map, [](int) {
        return Advice{
            "the file system of the current directory has no id-mapped mounts",
            "put workspaces on ext4, xfs, btrfs or (6.3 and newer) tmpfs, or run as their owner"};
      });
    cgroups(cgroup_parent);
    audit();
    return std::move(out_);
  }

 private:
  void add(const char* name, int error, std::string cause, std::string fix, bool required = true,
           std::string detail = {}) {
    Feature feature;
    feature.name = name;
    feature.is_ok = error == 0;
    feature.is_required = required;
    feature.error = error;
    feature.detail = std::move(detail);
    if (!feature.is_ok) {
      feature.cause = std::move(cause);
      feature.fix = std::move(fix);
    }
    out_.push_back(std::move(feature));
  }

  // For what is tried inside the namespaces: without them its own answer would blame the wrong
  // thing.
  void add_within(const char* name, int (*probe)(), const std::function<Advice(int)>& advise,
                  bool required = true) {
    if (!has_namespaces())
      return add(name, EPERM, "not tried: it needs the namespaces above",
                 "make those possible first", required);
    const int error = probe();
    Advice advice = error == 0 ? Advice{} : advise(error);
    add(name, error, std::move(advice.cause), std::move(advice.fix), required);
  }

  [[nodiscard]] bool has_namespaces() const {
    return std::all_of(out_.begin(), out_.end(), [](const Feature& f) {
      return f.is_ok || (f.name != "user_namespace" && f.name != "namespaces");
    });
  }

  void namespaces() {
    const int error = in_child([] { return map_self(); });
    const Advice advice = advise_on_namespaces(signs_, error);
    add("user_namespace", error, advice.cause, advice.fix);
    const int all = in_child([] {
      if (const int failed = map_self()) return failed;
      return result_of(unshare(kNamespaces));
    });
    const Advice others = advise_on_namespaces(signs_, all);
    add("namespaces", all, others.cause, others.fix);
  }

  void landlock() {
    const std::uint32_t abi = running_landlock_abi();
    add("landlock", abi >= kMinLandlockAbi ? 0 : EOPNOTSUPP,
        "Landlock is not built in or not switched on",
        "boot with landlock in the lsm= list (cat /sys/kernel/security/lsm shows it)", true,
        "ABI " + std::to_string(abi));
    // Older ABIs leave something open; said, not refused.
    const char* missing = abi < 2   ? "renames across directories are refused altogether"
                          : abi < 3 ? "truncation is not covered by Landlock (the mounts cover it)"
                          : abi < 4 ? "TCP is not covered by Landlock (the network namespace is)"
                          : abi < 5 ? "device ioctls are not covered by Landlock"
                          : abi < 6 ? "signals and abstract sockets are not covered by Landlock "
                                      "(the namespaces are)"
                                    : nullptr;
    add("landlock_full", missing == nullptr ? 0 : EOPNOTSUPP, missing == nullptr ? "" : missing,
        "use Linux 6.12 or newer for ABI 6", false, "ABI " + std::to_string(abi));
  }

  void audit() {
    AuditFinding found = look_at_audit(running_landlock_abi());
    add("kernel_audit", found.error, std::move(found.cause), std::move(found.fix), false,
        std::move(found.detail));
    out_.back().is_extra = true;
  }

  void cgroups(const std::string& wanted) {
    const auto parent = find_cgroup_parent(wanted);
    const int none = wanted.empty() ? ENOENT : EINVAL;
    const int error_of_parent = parent ? 0 : (parent.error().sys != 0 ? parent.error().sys : none);
    Advice delegation = advise_on_delegation(signs_, error_of_parent);
    const auto mount = cgroup2_mount();
    const bool is_hybrid = mount && *mount != "/sys/fs/cgroup";
    if (!wanted.empty() && !parent) {
      delegation.cause = parent.error().message();
      if (!signs_.is_cgroup_read_only)
        delegation.fix = "give --cgroup-parent a cgroup v2 directory that you may write to";
    }
    add("cgroup", error_of_parent, delegation.cause, delegation.fix, false,
        parent ? parent->path : "");
    for (const char* name : {"memory", "pids", "cpu", "io"}) {
      const bool has = parent && std::binary_search(parent->controllers.begin(),
                                                    parent->controllers.end(), name);
      const std::string feature = std::string("cgroup_") + name;
      add(feature.c_str(), has ? 0 : EOPNOTSUPP,
          signs_.is_cgroup_read_only
              ? delegation.cause
              : std::string("the ") + name + " controller is not passed down to that cgroup",
          (signs_.is_cgroup_read_only    ? delegation.fix
           : geteuid() == 0 || is_hybrid ? advise_on_controller(name)
                                         : delegation.fix) +
              (name == std::string_view("cpu") ? ", or declare no limit cpu: it has no weaker form"
               : name == std::string_view("io")
                   ? ", or declare no limit of io: it has no weaker form"
                   : ", or name a weaker form with enforce"),
          false);
    }
    if (!parent) return;
    const auto leaf = CgroupLeaf::create(*parent, Plan());
    const int error =
        leaf ? faccessat(leaf->fd(), "cgroup.kill", W_OK, 0) == 0 ? 0 : errno : leaf.error().sys;
    constexpr std::uint32_t kKill = 5014;
    const bool is_refused = error == EROFS || error == EACCES || error == EPERM;
    const Advice kill = is_refused ? advise_on_delegation(signs_, error)
                                   : advise_on_call(signs_, error, "cgroup.kill", kKill);
    add("cgroup_kill", error, kill.cause, kill.fix, false);
  }

  HostSigns signs_ = read_host_signs();
  std::vector<Feature> out_;
};

}  // namespace

std::vector<Feature> probe_features(const std::string& cgroup_parent) {
  return Prober().run(cgroup_parent);
}

}  // namespace ethos::sandbox
