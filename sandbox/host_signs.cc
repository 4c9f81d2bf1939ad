// SPDX-License-Identifier: Apache-2.0
#include "sandbox/host_signs.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include "ledger/base/file_io.h"
#include "sandbox/cgroup.h"
#include "sandbox/proc_status.h"

namespace ethos::sandbox {
namespace {

std::string text_of(const char* path) {
  auto text = base::read_file(path, 16U << 20);
  return text ? std::move(text).value() : std::string();
}

// The number in a one-line file, `otherwise` when there is none.
long number_of(const char* path, long otherwise) {
  const std::string text = text_of(path);
  return text.empty() ? otherwise : std::strtol(text.c_str(), nullptr, 10);
}

// Fifth field of each mountinfo line: the mount points.
template <typename Visit>
void for_each_mount_point(const std::string& mountinfo, Visit visit) {
  std::string_view rest = mountinfo;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    std::size_t at = 0;
    for (int i = 0; i < 4; ++i) at = line.find(' ', at) + 1;
    visit(line.substr(at, line.find(' ', at) - at));
  }
}

std::string number_text(std::uint32_t kernel) {
  constexpr std::uint32_t kMajor = 1000;
  return std::to_string(kernel / kMajor) + "." + std::to_string(kernel % kMajor);
}

std::string in_container(const HostSigns& signs) {
  return signs.container.empty() ? "an outer seccomp filter, as containers have it,"
                                 : "the seccomp filter of this " + signs.container;
}

std::string program_path() {
  std::array<char, 4096> text{};
  const ssize_t size = ::readlink("/proc/self/exe", text.data(), text.size());
  return size <= 0 ? std::string("/usr/local/bin/ethos-run")
                   : std::string(text.data(), static_cast<std::size_t>(size));
}

// The machine's own namespace maps every id to itself.
bool is_whole_map(const std::string& map) {
  std::array<std::uint64_t, 3> numbers{};
  const char* at = map.data();
  const char* end = at + map.size();
  for (std::uint64_t& number : numbers) {
    while (at != end && (*at == ' ' || *at == '\n')) ++at;
    const auto read = std::from_chars(at, end, number);
    if (read.ec != std::errc()) return true;
    at = read.ptr;
  }
  constexpr std::uint64_t kAll = 4'294'967'295;
  return numbers[0] == 0 && numbers[1] == 0 && numbers[2] == kAll;
}

void read_container(HostSigns& out) {
  struct stat st {};
  const char* variable = std::getenv("container");
  out.container =
      name_container(variable == nullptr ? "" : variable, ::stat("/.dockerenv", &st) == 0,
                     ::stat("/run/.containerenv", &st) == 0, text_of("/proc/1/cgroup"));
  const auto mount = cgroup2_mount();
  if (mount) out.cgroup_mount = *mount;
  struct statvfs fs {};
  out.is_cgroup_read_only =
      mount && ::statvfs(mount->c_str(), &fs) == 0 && (fs.f_flag & ST_RDONLY) != 0;
  out.has_systemd = ::stat("/run/systemd/system", &st) == 0;
}

}  // namespace

std::uint32_t kernel_number(std::string_view release) {
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  const char* end = release.data() + release.size();
  const auto first = std::from_chars(release.data(), end, major);
  constexpr std::uint32_t kMajor = 1000;
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '.' || major >= kMajor) return 0;
  const auto second = std::from_chars(first.ptr + 1, end, minor);
  return second.ec != std::errc() || minor >= kMajor ? 0 : major * kMajor + minor;
}

std::string name_container(std::string_view variable, bool has_docker_mark, bool has_podman_mark,
                           std::string_view first_cgroup) {
  static constexpr auto kKnown = std::to_array<std::string_view>(
      {"docker", "podman", "lxc", "systemd-nspawn", "kubepods", "containerd"});
  for (const std::string_view name : kKnown)
    if (variable.starts_with(name)) return std::string(name);
  if (first_cgroup.find("kubepods") != std::string_view::npos) return "kubepods";
  if (has_podman_mark) return "podman";
  if (has_docker_mark) return "docker";
  for (const std::string_view name : kKnown)
    if (first_cgroup.find("/" + std::string(name)) != std::string_view::npos)
      return std::string(name);
  return variable.empty() ? "" : "container";
}

std::string container_options(std::string_view container) {
  if (container == "docker")
    return "docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined "
           "--security-opt systempaths=unconfined ...";
  if (container == "podman")
    return "podman run --security-opt seccomp=unconfined --security-opt unmask=ALL ...";
  if (container == "lxc") return "lxc config set NAME security.nesting true";
  if (container == "systemd-nspawn")
    return "systemd-nspawn --private-users=pick --system-call-filter=@mount ...";
  if (container == "kubepods" || container == "containerd")
    return "in the pod: hostUsers: false, securityContext: {procMount: Unmasked, seccompProfile: "
           "{type: Unconfined}}";
  return "start the container with a seccomp profile that allows clone3, unshare and mount, and "
         "with "
         "/proc unmasked (docker: --security-opt seccomp=unconfined --security-opt "
         "systempaths=unconfined)";
}

HostSigns read_host_signs() {
  HostSigns out;
  const std::string mounts = text_of("/proc/self/mountinfo");
  bool has_root = false;
  for_each_mount_point(mounts, [&](std::string_view at) {
    has_root |= at == "/";
    // What distributions mount there themselves hides nothing.
    out.is_proc_masked |= at.starts_with("/proc/") && at != "/proc/sys/fs/binfmt_misc";
  });
  out.has_no_proc = mounts.empty();
  // Without /proc the kernel still says whether our root is the root of a mount.
  struct statx root {};
  const bool is_asked = statx(AT_FDCWD, "/", AT_NO_AUTOMOUNT, 0, &root) == 0 &&
                        (root.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) != 0;
  out.is_chroot =
      mounts.empty() ? is_asked && (root.stx_attributes & STATX_ATTR_MOUNT_ROOT) == 0 : !has_root;
  out.is_apparmor_restricting =
      number_of("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", 0) == 1;
  out.is_userns_off = number_of("/proc/sys/user/max_user_namespaces", 1) == 0 ||
                      number_of("/proc/sys/kernel/unprivileged_userns_clone", 1) == 0;
  const auto status = parse_status(text_of("/proc/self/status"));
  out.has_outer_filter = status && status->seccomp_mode == 2;
  out.is_root = geteuid() == 0;
  out.is_nested_userns = !is_whole_map(text_of("/proc/self/uid_map"));
  out.program = program_path();
  utsname names{};
  if (uname(&names) == 0) out.kernel = kernel_number(names.release);
  read_container(out);
  return out;
}

Advice advise_on_namespaces(const HostSigns& signs, int error) {
  if (signs.is_chroot)
    return {"this process runs in a chroot, where the kernel allows no user namespace",
            "enter the tree by pivot_root instead: bwrap --bind TREE / --dev /dev --dev-bind /proc "
            "/proc "
            "-- ..."};
  if (signs.has_no_proc)
    return {"no /proc is mounted here, and the id maps of a user namespace are written there",
            "mount -t proc proc /proc"};
  if (signs.is_userns_off || error == ENOSPC)
    return {"user namespaces are switched off or used up",
            "sysctl -w user.max_user_namespaces=15000 (and kernel.unprivileged_userns_clone=1 "
            "where it exists)"};
  // It says nothing of root, but of the root of a namespace, who is somebody ordinary outside.
  if (signs.is_apparmor_restricting && (!signs.is_root || signs.is_nested_userns))
    return {
        "AppArmor restricts user namespaces of unconfined programs",
        "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, or as root: echo 'abi "
        "<abi/4.0>, profile ethos-run " +
            signs.program +
            " flags=(unconfined) { userns, }' > /etc/apparmor.d/ethos-run && apparmor_parser -r "
            "/etc/apparmor.d/ethos-run"};
  if (signs.has_outer_filter)
    return {in_container(signs) + " refuses new namespaces",
            container_options(signs.container) + "; or run ethos-run outside it"};
  if (!signs.container.empty())
    return {"this " + signs.container + " refuses new namespaces",
            container_options(signs.container)};
  return {"the kernel refused new namespaces",
          "check user.max_user_namespaces and the security "
          "modules of this host"};
}

Advice advise_on_proc(const HostSigns& signs) {
  if (signs.is_proc_masked)
    return {
        "parts of /proc are masked here, so the kernel allows no fresh one (every container "
        "default does that)",
        (signs.container.empty()
             ? std::string("start the container with --security-opt systempaths=unconfined")
             : container_options(signs.container)) +
            " (under bwrap take --dev-bind /proc /proc), or name the weaker profile no-proc in the "
            "declaration"};
  return {"the kernel refused a fresh /proc", "name the weaker profile no-proc in the declaration"};
}

Advice advise_on_call(const HostSigns& signs, int error, std::string_view what,
                      std::uint32_t since) {
  const std::string name(what);
  const std::string newer = "use Linux " + number_text(since) + " or newer";
  const bool is_old = signs.kernel != 0 && signs.kernel < since;
  if (is_old)
    return {
        name + " needs Linux " + number_text(since) + ", and this is " + number_text(signs.kernel),
        newer};
  if (signs.has_outer_filter && (error == EPERM || error == EACCES || error == ENOSYS))
    return {in_container(signs) + (error == ENOSYS ? " hides " : " refuses ") + name,
            container_options(signs.container) + "; or run ethos-run outside it"};
  if (error == ENOSYS) return {name + " is missing in this kernel", newer};
  return {name + " is refused here",
          "check the security modules of this host; " + newer + " if the kernel is older"};
}

Advice advise_on_delegation(const HostSigns& signs, int error) {
  if (signs.is_cgroup_read_only || error == EROFS)
    return {
        "cgroup v2 is mounted read-only here, as containers have it",
        "mount it for writing: docker run --cgroupns=private -v /sys/fs/cgroup:/sys/fs/cgroup:rw, "
        "podman run --cgroups=enabled --security-opt unmask=/sys/fs/cgroup, bwrap --bind "
        "/sys/fs/cgroup /sys/fs/cgroup"};
  if (signs.is_root)
    return {"there is no cgroup v2 in which a group can be made",
            "mount cgroup2 on /sys/fs/cgroup"};
  if (signs.has_systemd)
    return {"no cgroup is delegated to this user",
            "systemd-run --user --scope -p Delegate=yes -- ethos-run ..."};
  const std::string at = signs.cgroup_mount + "/user";
  return {"no cgroup is delegated to this user, and no systemd runs here that could do it",
          "as root: mkdir -p " + at + "/shell && chown -R USER " + at + " && echo PID > " + at +
              "/shell/cgroup.procs (the PID of that user's shell)"};
}

}  // namespace ethos::sandbox
