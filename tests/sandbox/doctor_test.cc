// SPDX-License-Identifier: Apache-2.0
#include "sandbox/doctor.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <cstddef>
#include <sstream>

#include "sandbox/audit_source.h"
#include "sandbox/cgroup.h"
#include "sandbox/host_signs.h"
#include "tests/support/cage_plan.h"

using namespace ethos::sandbox;

namespace {

std::vector<Feature> sample() {
  return {{"landlock", true, true, 0, "ABI 7", "", ""},
          {"cgroup", false, false, ENOENT, "", "no \"delegated\" cgroup", "say\nplease"}};
}

}  // namespace

TEST_CASE("doctor: what is missing is named with its cause and fix", "[sandbox]") {
  const std::string text = doctor_text(sample(), false);
  CHECK(text.find("ok       landlock            ABI 7\n") != std::string::npos);
  CHECK(text.find("missing  cgroup\n") != std::string::npos);
  CHECK(text.find("fix: say") != std::string::npos);
  CHECK(doctor_text(sample(), true).find("landlock") == std::string::npos);
  auto features = sample();
  features[0].is_ok = false;
  CHECK(doctor_text(features, false).find("No cage can be built here") != std::string::npos);
}

TEST_CASE("doctor: whether the kernel's audit can be a source, and what is in the way",
          "[sandbox]") {
  using ethos::base::Errc;
  using ethos::base::Result;
  const AuditSigns good{7, true, true, true};
  const Result<AuditState> on = AuditState{true, 8192, 0};
  const Result<AuditState> off = AuditState{false, 64, 0};
  const auto unreadable = [](int error) -> Result<AuditState> {
    return ethos::base::fail(Errc::unsupported, "audit", error);
  };
  CHECK(judge_audit(good, on).error == 0);
  CHECK(judge_audit(good, on).detail == "on, backlog limit 8192");
  CHECK(judge_audit(good, off).fix.find("--audit enable") != std::string::npos);
  CHECK(judge_audit(good, unreadable(EPROTONOSUPPORT)).fix.find("CONFIG_AUDIT") !=
        std::string::npos);
  CHECK(judge_audit(good, unreadable(EPERM)).fix.find("CAP_AUDIT_READ") != std::string::npos);
  // The first thing in the way is named, whatever the state is.
  for (const auto& state : {on, off, unreadable(EPERM)}) {
    CHECK(judge_audit({6, true, true, true}, state).fix.find("6.15") != std::string::npos);
    CHECK(judge_audit({7, false, true, true}, state).fix.find("as root") != std::string::npos);
    CHECK(judge_audit({7, true, true, false}, state).fix.find("container") != std::string::npos);
    CHECK(judge_audit({7, true, false, true}, state).fix.find("--pid=host") != std::string::npos);
  }
  // Its absence is no finding.
  std::vector<Feature> features = {{"landlock", true, true, 0, "ABI 7", "", ""},
                                   {"kernel_audit", false, false, ENODATA, "", "off", "on", true}};
  CHECK(doctor_text(features, false).find("optional kernel_audit") != std::string::npos);
  CHECK(doctor_text(features, false).find("Everything is there") != std::string::npos);
  CHECK(doctor_text(features, true).find("kernel_audit") == std::string::npos);
  CHECK(doctor_json(features).find("],\"ok\":true") != std::string::npos);
  std::ostringstream out;
  static_cast<void>(run_doctor({true, false, ""}, out));
  CHECK(out.str().find("\"name\":\"kernel_audit\"") != std::string::npos);
}

TEST_CASE("doctor: the JSON form escapes every byte", "[sandbox]") {
  CHECK(doctor_json(sample()) ==
        "{\"features\":[{\"cause\":\"\",\"detail\":\"ABI 7\",\"errno\":0,\"fix\":\"\",\"name\":"
        "\"landlock\",\"ok\":true,\"required\":true},{\"cause\":\"no \\\"delegated\\\" cgroup\","
        "\"detail\":\"\",\"errno\":2,\"fix\":\"say\\u000aplease\",\"name\":\"cgroup\",\"ok\":false,"
        "\"required\":false}],\"ok\":false,\"v\":1}\n");
}

TEST_CASE("doctor: agrees with what a launch finds", "[sandbox][kernel]") {
  std::ostringstream out;
  const int status = run_doctor({}, out);
  CAPTURE(out.str());
  CHECK((status == 0 || status == 1));
  const bool says_no = out.str().find("No cage can be built") != std::string::npos;
  CHECK(says_no == !ethos::support::why_no_cage().empty());
}

TEST_CASE("doctor: advice on a controller fits the host's hierarchy", "[sandbox]") {
  CHECK(advise_on_controller("memory", "/sys/fs/cgroup", {"cpu", "memory", "pids"}, false) ==
        "echo +memory > /sys/fs/cgroup/cgroup.subtree_control");
  const auto hybrid = advise_on_controller("memory", "/sys/fs/cgroup/unified", {}, true);
  CHECK(hybrid.find("systemd.unified_cgroup_hierarchy=1") != std::string::npos);
  CHECK(hybrid.find("echo") == std::string::npos);
  CHECK(advise_on_controller("pids", "/sys/fs/cgroup/unified", {"pids"}, true) ==
        "echo +pids > /sys/fs/cgroup/unified/cgroup.subtree_control");
  CHECK(advise_on_controller("cpu", "", {}, false).find("mount cgroup2") != std::string::npos);
  CHECK(advise_on_controller("cpu", "/sys/fs/cgroup", {}, false).find("host") != std::string::npos);
}

TEST_CASE("cgroup parent: a path is taken as it stands, and what is none is named", "[sandbox]") {
  const auto wrong = find_cgroup_parent("/usr");
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().message().find("//") == std::string::npos);
  const auto any = find_cgroup_parent("");
  if (!any) {
    WARN("skipped: no usable cgroup here");
    return;
  }
  CHECK(wrong.error().message().find("/usr is no cgroup v2 directory") != std::string::npos);
  const auto same = find_cgroup_parent(any->path);
  REQUIRE(same);
  CHECK(same->path == any->path);
}

TEST_CASE("host signs: each sign has its own advice", "[sandbox]") {
  HostSigns signs;
  signs.is_chroot = true;
  CHECK(advise_on_namespaces(signs, EPERM).fix.find("pivot_root") != std::string::npos);
  // bwrap's own --proc covers parts of it, and then no fresh one can be mounted within.
  CHECK(advise_on_namespaces(signs, EPERM).fix.find("--dev-bind /proc /proc") != std::string::npos);
  signs = {};
  signs.has_no_proc = true;
  CHECK(advise_on_namespaces(signs, ENOENT).fix.find("mount -t proc") != std::string::npos);
  signs = {};
  signs.is_apparmor_restricting = true;
  signs.program = "/opt/bin/ethos-run";
  const Advice apparmor = advise_on_namespaces(signs, EPERM);
  CHECK(apparmor.cause.find("AppArmor") != std::string::npos);
  CHECK(apparmor.fix.find("profile ethos-run /opt/bin/ethos-run flags=(unconfined) { userns, }") !=
        std::string::npos);
  // Root is not meant by it, but the root of a namespace is.
  signs.is_root = true;
  CHECK(advise_on_namespaces(signs, EPERM).cause.find("AppArmor") == std::string::npos);
  signs.is_nested_userns = true;
  CHECK(advise_on_namespaces(signs, EPERM).cause.find("AppArmor") != std::string::npos);
  signs = {};
  CHECK(advise_on_namespaces(signs, ENOSPC).fix.find("max_user_namespaces") != std::string::npos);
  signs.has_outer_filter = true;
  CHECK(advise_on_namespaces(signs, EPERM).cause.find("seccomp") != std::string::npos);
  signs.is_proc_masked = true;
  CHECK(advise_on_proc(signs).fix.find("no-proc") != std::string::npos);
}

TEST_CASE("host signs: a container is named, and how it must be started", "[sandbox]") {
  CHECK(name_container("", false, false, "0::/init.scope\n").empty());
  CHECK(name_container("podman", true, false, "") == "podman");
  CHECK(name_container("oci", false, true, "") == "podman");
  CHECK(name_container("", true, false, "") == "docker");
  CHECK(name_container("lxc", false, false, "") == "lxc");
  CHECK(name_container("systemd-nspawn", false, false, "") == "systemd-nspawn");
  CHECK(name_container("", true, false, "0::/kubepods/burstable/pod1/x\n") == "kubepods");
  CHECK(name_container("", false, false, "0::/docker/0123\n") == "docker");
  CHECK(name_container("oci", false, false, "") == "container");
  CHECK(container_options("lxc").find("security.nesting") != std::string::npos);
  CHECK(container_options("podman").find("unmask=ALL") != std::string::npos);
  CHECK(container_options("kubepods").find("procMount: Unmasked") != std::string::npos);
  HostSigns signs;
  signs.container = "docker";
  CHECK(advise_on_namespaces(signs, EPERM).cause == "this docker refuses new namespaces");
  CHECK(advise_on_namespaces(signs, EPERM).fix.find("seccomp=unconfined") != std::string::npos);
  signs.is_proc_masked = true;
  CHECK(advise_on_proc(signs).fix.find("systempaths=unconfined") != std::string::npos);
}

TEST_CASE("host signs: an old kernel, a filter and a security module are told apart", "[sandbox]") {
  CHECK(kernel_number("6.1.0-18-amd64") == 6001);
  CHECK(kernel_number("5.19") == 5019);
  CHECK(kernel_number("4.18.0-513.el8") == 4018);
  for (const char* text : {"", "6", "six.1", "6.x", "99999.1"}) CHECK(kernel_number(text) == 0);
  HostSigns signs;
  signs.kernel = 5010;
  signs.has_outer_filter = true;
  const Advice old = advise_on_call(signs, ENOSYS, "the mount API", 5012);
  CHECK(old.cause == "the mount API needs Linux 5.12, and this is 5.10");
  CHECK(old.fix == "use Linux 5.12 or newer");
  signs.kernel = 6001;
  CHECK(advise_on_call(signs, EPERM, "the mount API", 5012).cause.find("refuses the mount API") !=
        std::string::npos);
  CHECK(advise_on_call(signs, ENOSYS, "the mount API", 5012).cause.find("hides the mount API") !=
        std::string::npos);
  signs.has_outer_filter = false;
  CHECK(advise_on_call(signs, EPERM, "the mount API", 5012).fix.find("security modules") !=
        std::string::npos);
}

TEST_CASE("host signs: a missing delegation has the fix that this host can do", "[sandbox]") {
  HostSigns signs;
  CHECK(advise_on_delegation(signs, ENOENT).fix.find("systemd-run --user") != std::string::npos);
  signs.has_systemd = false;
  CHECK(advise_on_delegation(signs, ENOENT).fix.find("chown") != std::string::npos);
  signs.is_root = true;
  CHECK(advise_on_delegation(signs, ENOENT).fix.find("mount cgroup2") != std::string::npos);
  CHECK(advise_on_delegation(signs, EROFS).cause.find("read-only") != std::string::npos);
  signs.is_cgroup_read_only = true;
  CHECK(advise_on_delegation(signs, ENOENT).fix.find("--bind /sys/fs/cgroup") != std::string::npos);
}

TEST_CASE("doctor: without a fresh /proc it says what can still be built", "[sandbox]") {
  std::vector<Feature> features = {{"landlock", true, true, 0, "", "", ""},
                                   {"proc_mount", false, true, EPERM, "", "masked", "unmask"}};
  const std::string text = doctor_text(features, false);
  CHECK(text.find("but those of the weaker profile no-proc") != std::string::npos);
  features[0].is_ok = false;
  CHECK(doctor_text(features, false).find("no-proc") == std::string::npos);
}

namespace {

// doctor's text in a child on which `prepare` has worked; empty when that failed.
std::string doctor_after(bool (*prepare)()) {
  int fds[2];
  REQUIRE(pipe(fds) == 0);
  const pid_t child = fork();
  if (child == 0) {
    if (!prepare()) _exit(2);
    const std::string text = doctor_text(probe_features(""), false);
    _exit(write(fds[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : 3);
  }
  close(fds[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t n = 0; (n = read(fds[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(n));
  close(fds[0]);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return status == 0 ? text : std::string();
}

// As a container's filter: this call ends with this error.
bool filter_call(std::uint32_t call, std::uint32_t error) {
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{4, code};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

bool in_own_namespaces() {
  if (geteuid() != 0 && unshare(CLONE_NEWUSER) != 0) return false;
  return unshare(CLONE_NEWNS) == 0 &&
         mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

}  // namespace

#define NEEDS_CAGES                                                   \
  if (const auto why = ethos::support::why_no_cage(); !why.empty()) { \
    WARN("skipped: " + why);                                          \
    return;                                                           \
  }

TEST_CASE("doctor: an outer filter that refuses namespaces or mounts is blamed for it",
          "[sandbox][kernel]") {
  NEEDS_CAGES
  const std::string no_namespaces = doctor_after([] { return filter_call(SYS_unshare, EPERM); });
  CAPTURE(no_namespaces);
  CHECK(no_namespaces.find("MISSING  user_namespace\n           why: ") == 0);
  CHECK(no_namespaces.find("seccomp filter") != std::string::npos);
  CHECK(no_namespaces.find("refuses new namespaces") != std::string::npos);
  const std::string no_mounts = doctor_after([] { return filter_call(SYS_fsopen, ENOSYS); });
  CAPTURE(no_mounts);
  CHECK(no_mounts.find("ok       user_namespace") == 0);
  CHECK(no_mounts.find("hides the mount API") != std::string::npos);
}

TEST_CASE("doctor: a second listener is blamed on the first supervisor", "[sandbox][kernel]") {
  NEEDS_CAGES
  const std::string text = doctor_after([] {
    sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    const sock_fprog program{1, &allow};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
                   &program) >= 0;
  });
  CAPTURE(text);
  CHECK(text.find("this process is supervised already") != std::string::npos);
}

TEST_CASE("doctor: user namespaces that are used up, and a /proc that is not there",
          "[sandbox][kernel]") {
  NEEDS_CAGES
  if (geteuid() != 0) {
    WARN("skipped: only root can take them away");
    return;
  }
  const std::string none = doctor_after([] {
    // A limit of a namespace of our own: the machine's stays as it is.
    if (unshare(CLONE_NEWUSER) != 0) return false;
    const int fd = open("/proc/sys/user/max_user_namespaces", O_WRONLY | O_CLOEXEC);
    return fd >= 0 && write(fd, "0", 1) == 1;
  });
  if (none.empty()) WARN("the limit of a namespace could not be set here");
  CAPTURE(none);
  CHECK((none.empty() || none.find("switched off or used up") != std::string::npos));
  const std::string no_proc =
      doctor_after([] { return in_own_namespaces() && umount2("/proc", MNT_DETACH) == 0; });
  CAPTURE(no_proc);
  CHECK((no_proc.empty() || no_proc.find("mount -t proc proc /proc") != std::string::npos));
}

TEST_CASE("doctor: parts of /proc that are masked are blamed, and no-proc is offered",
          "[sandbox][kernel]") {
  NEEDS_CAGES
  if (geteuid() != 0) {
    WARN("skipped: only root keeps an id in namespaces of its own");
    return;
  }
  const std::string text = doctor_after([] {
    return in_own_namespaces() &&
           mount("/dev/null", "/proc/version", nullptr, MS_BIND, nullptr) == 0;
  });
  if (text.empty()) {
    WARN("skipped: nothing can be mounted over /proc here");
    return;
  }
  CAPTURE(text);
  CHECK(text.find("MISSING  proc_mount\n           why: parts of /proc are masked") !=
        std::string::npos);
  CHECK(text.find("but those of the weaker profile no-proc") != std::string::npos);
}

TEST_CASE("doctor: cgroups that are mounted read-only are told from an old kernel",
          "[sandbox][kernel]") {
  NEEDS_CAGES
  if (!cgroup2_mount()) {
    WARN("skipped: no cgroup v2 here");
    return;
  }
  const std::string text = doctor_after([] {
    const auto at = cgroup2_mount();
    return in_own_namespaces() && at &&
           mount(at->c_str(), at->c_str(), nullptr, MS_BIND, nullptr) == 0 &&
           mount(nullptr, at->c_str(), nullptr, MS_BIND | MS_REMOUNT | MS_RDONLY, nullptr) == 0;
  });
  if (text.empty()) {
    WARN("skipped: cgroup v2 cannot be remounted here");
    return;
  }
  CAPTURE(text);
  CHECK(text.find("cgroup v2 is mounted read-only here") != std::string::npos);
  CHECK(text.find("5.14") == std::string::npos);
}

// Runs `act` in a child whose root is a directory that is no mount point, which is what a plain
// chroot is.
TEST_CASE("doctor: in a plain chroot it names the chroot, and blames nothing else", "[sandbox]") {
  if (geteuid() != 0) {
    WARN("skipped: only root can chroot");
    return;
  }
  const ethos::support::ScratchDir dir("/var/tmp");
  dir.write("tree/tmp/.keep", "");
  int fds[2];
  REQUIRE(pipe(fds) == 0);
  const pid_t child = fork();
  if (child == 0) {
    if (chroot((dir.path() + "/tree").c_str()) != 0 || chdir("/") != 0) _exit(2);
    const std::string text = doctor_text(probe_features(""), false);
    _exit(write(fds[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : 3);
  }
  close(fds[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t n = 0; (n = read(fds[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(n));
  close(fds[0]);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CAPTURE(text);
  CHECK(status == 0);
  CHECK(text.find("MISSING  user_namespace\n           why: this process runs in a chroot") == 0);
  CHECK(text.find("MISSING  mount_api\n           why: not tried") != std::string::npos);
  CHECK(text.find("No cage can be built here") != std::string::npos);
}
