// SPDX-License-Identifier: Apache-2.0
#include "sandbox/doctor.h"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <sstream>

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
  CHECK(advise_on_controller("cpu", "/sys/fs/cgroup", {}, false).find("host") !=
        std::string::npos);
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
  CHECK(advise_on_namespaces(signs, EPERM).fix.find("apparmor") != std::string::npos);
  signs = {};
  CHECK(advise_on_namespaces(signs, ENOSPC).fix.find("max_user_namespaces") != std::string::npos);
  signs.has_outer_filter = true;
  CHECK(advise_on_namespaces(signs, EPERM).cause.find("seccomp") != std::string::npos);
  signs.is_proc_masked = true;
  CHECK(advise_on_proc(signs).fix.find("no-proc") != std::string::npos);
}

// Runs `act` in a child whose root is a directory that is no mount point, which is what a plain chroot is.
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
