// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "sandbox/mountinfo.h"
#include "sandbox/proc_status.h"

using namespace ethos::sandbox;

namespace {

constexpr const char* kMounts =
    "612 600 0:52 / / ro,nosuid,nodev,relatime - tmpfs ethos-root rw,size=8192k,uid=1900000001\n"
    "613 612 254:0 /usr /usr ro,nosuid,nodev,relatime - ext4 /dev/vda rw\n"
    "614 612 0:53 / /proc rw,nosuid,nodev,noexec,relatime - proc proc rw\n"
    "615 614 0:53 /sys /proc/sys ro,nosuid,nodev,noexec,relatime - proc proc rw\n"
    "616 614 0:51 /f0 /proc/kcore ro,nosuid,nodev,noexec,relatime - tmpfs ethos-mask rw,size=64k\n"
    "617 612 254:0 /home/a\\040b/ws /home/a\\040b/ws ro,nosuid,nodev,noexec,relatime,idmapped - "
    "ext4 /dev/vda rw\n"
    "618 617 0:60 / /home/a\\040b/ws/out rw,nosuid,nodev,noexec,relatime - overlay ethos-staged "
    "rw,lowerdir=/proc\n"
    "619 612 0:55 /4 /tmp rw,nosuid,nodev,noexec,relatime shared:7 master:3 - tmpfs ethos-scratch "
    "rw\n";

}  // namespace

TEST_CASE("mountinfo: a cage's table in its normalised form", "[sandbox]") {
  const auto parsed = parse_mountinfo(kMounts, "/home/a b/ws");
  REQUIRE(parsed);
  const auto& m = *parsed;
  REQUIRE(m.size() == 8);
  CHECK(m[0].where == BasedPath{Base::workspace, "."});
  CHECK(m[0].kind == MountKind::bind);
  CHECK(m[0].is_id_mapped);
  CHECK(m[0].no_exec);
  CHECK(m[1].where == BasedPath{Base::workspace, "out"});
  CHECK(m[1].kind == MountKind::staged);
  CHECK_FALSE(m[1].read_only);
  CHECK(m[2].where == BasedPath{Base::system, "."});
  CHECK(m[2].kind == MountKind::root);
  CHECK(m[2].read_only);
  CHECK_FALSE(m[2].no_exec);
  CHECK(m[2].device == "0:52");
  CHECK(m[3].kind == MountKind::proc);
  CHECK(m[4].where == BasedPath{Base::system, "proc/kcore"});
  CHECK(m[4].kind == MountKind::mask);
  CHECK(m[5].kind == MountKind::bind);  // /proc/sys is a bind of the cage's own proc
  CHECK(m[6].where == BasedPath{Base::system, "usr"});
  CHECK(m[7].where == BasedPath{Base::scratch, "."});
  CHECK(m[7].is_shared);
}

TEST_CASE("mountinfo: a copied grant counts as staged, look-alikes do not", "[sandbox]") {
  const auto kind = [](const char* type, const char* source, const char* root) {
    const std::string line =
        std::string("1 1 0:1 ") + root + " /x ro - " + type + " " + source + " rw\n";
    return parse_mountinfo(line, "/w").value().at(0).kind;
  };
  CHECK(kind("tmpfs", "ethos-staged", "/upper") == MountKind::staged);
  CHECK(kind("overlay", "overlay", "/") == MountKind::bind);
  CHECK(kind("ext4", "ethos-root", "/") == MountKind::bind);
  CHECK(kind("tmpfs", "tmpfs", "/") == MountKind::bind);
  CHECK(kind("proc", "proc", "/sys") == MountKind::bind);
}

TEST_CASE("mountinfo: what stands on a mount below a directory is found", "[sandbox]") {
  const char* table =
      "27 1 254:0 / / rw - ext4 /dev/vda rw\n"
      "40 27 0:5 / /w/a\\040b/in rw - tmpfs t rw\n"
      "41 40 0:6 / /w/a\\040b/in/x rw - tmpfs t rw\n"
      "42 27 0:7 / /other rw - tmpfs t rw";
  CHECK(has_mount_below(table, 27, "/w"));
  CHECK(has_mount_below(table, 27, "/w/a b"));
  CHECK(has_mount_below(table, 27, "/"));
  CHECK_FALSE(has_mount_below(table, 27, "/w/a b/in"));
  CHECK(has_mount_below(table, 40, "/w/a b/in"));
  CHECK_FALSE(has_mount_below(table, 27, "/w/a"));
  CHECK_FALSE(has_mount_below(table, 27, "/oth"));
  CHECK_FALSE(has_mount_below(table, 2, "/"));
  CHECK_FALSE(has_mount_below("", 27, "/"));
}

TEST_CASE("mountstats: places below a directory are found", "[sandbox]") {
  const std::string table =
      "device /dev/vda mounted on / with fstype ext4\n"
      "no device mounted on /w with fstype autofs\n"
      "device server:/x mounted on /w/a\\040b with fstype nfs4 statvers=1.1\n"
      "\topts:\trw,vers=4.2\n"
      "\tdevice x mounted on /never\n"
      "device a\\040mounted\\040on\\040/b mounted on /w/a\\040b/in with fstype fuse.x\n"
      "device tmpfs mounted on /wide with fstype tmpfs\n";
  CHECK(may_have_mount_below(table, "/"));
  CHECK(may_have_mount_below(table, "/w"));
  CHECK(may_have_mount_below(table, "/w/a b"));
  CHECK_FALSE(may_have_mount_below(table, "/w/a b/in"));
  CHECK_FALSE(may_have_mount_below(table, "/w/a"));
  CHECK_FALSE(may_have_mount_below(table, "/wid"));
  CHECK_FALSE(may_have_mount_below(table, "/never"));
  CHECK_FALSE(may_have_mount_below(table, "/b"));
  CHECK_FALSE(may_have_mount_below("", "/"));
  CHECK(may_have_mount_below("something else\n", "/w"));
}

TEST_CASE("mountinfo: what is no mountinfo line is refused", "[sandbox]") {
  for (const char* bad : {"x\n", "1 2 0:3 / /a rw tmpfs t rw\n", "1 2 3 / /a rw - tmpfs t rw\n",
                          "1 2 0:3 / a rw - tmpfs t rw\n", "1 2 0:3 / /a rw -\n", "\n"})
    CHECK_FALSE(parse_mountinfo(bad, "/w"));
  const std::string all(kMounts);
  for (std::size_t cut = 1; cut < all.size(); ++cut)
    static_cast<void>(
        parse_mountinfo(std::string_view(all).substr(0, cut), "/w"));  // never more than a refusal
  CHECK(parse_mountinfo("", "/w").value().empty());
  CHECK(unescape_mount_path("a\\134b\\011\\012\\08\\") == "a\\b\t\n\\08\\");
}

TEST_CASE("status: every field that is compared must be there", "[sandbox]") {
  const std::string good =
      "Name:\tx\nUid:\t1\t2\t3\t4\nGid:\t5\t6\t7\t8\nGroups:\t20 30 \nVmData:\t   512 "
      "kB\nSigIgn:\t0000000000001000\n"
      "CapInh:\t0\nCapPrm:\t1\nCapEff:\t2\nCapBnd:\t000001ffffffffff\nCapAmb:\t0\nNoNewPrivs:"
      "\t1\nSeccomp:\t2\n"
      "Seccomp_filters:\t1\n";
  const auto s = parse_status(good);
  REQUIRE(s);
  CHECK(s->no_new_privs);
  CHECK(s->seccomp_mode == 2);
  CHECK(s->seccomp_filters == 1);
  CHECK(s->cap_bounding == 0x1ffffffffff);
  CHECK(s->cap_effective == 2);
  CHECK(s->uid == std::array<std::uint32_t, 4>{1, 2, 3, 4});
  CHECK(s->groups == std::vector<std::uint32_t>{20, 30});
  CHECK(s->signals_ignored == 0x1000);
  CHECK(status_kib(good, "VmData") == 512);
  CHECK(status_kib(good, "VmPeak") == 0);
  for (const char* name : {"Uid", "Gid", "Groups", "SigIgn", "CapInh", "CapPrm", "CapEff", "CapBnd",
                           "CapAmb", "NoNewPrivs", "Seccomp:", "Seccomp_filters"}) {
    std::string without = good;
    const std::size_t at = without.find(name);
    without.erase(at, without.find('\n', at) - at + 1);
    CAPTURE(name);
    CHECK_FALSE(parse_status(without));
  }
  CHECK_FALSE(parse_status("CapBnd:\tzz\n"));
}

TEST_CASE("proc: id maps, limits and the v2 cgroup", "[sandbox]") {
  const auto map = parse_id_map("      1000 1900000001          1\n");
  REQUIRE(map);
  CHECK(map->size() == 1);
  CHECK(map->at(0) == IdMapLine{1000, 1900000001, 1});
  CHECK_FALSE(parse_id_map("1 2\n"));
  CHECK(parse_cgroup_v2("9:name=systemd:/\n0::/a/b\n") == "/a/b");
  CHECK(parse_cgroup_v2("1:cpu:/\n").empty());
  std::string limits =
      "Limit                     Soft Limit           Hard Limit           Units     \n";
  for (const char* name :
       {"Max address space", "Max core file size", "Max data size", "Max file size",
        "Max locked memory", "Max msgqueue size", "Max open files", "Max processes",
        "Max pending signals", "Max stack size"})
    limits += std::string(name) + std::string(26 - std::string(name).size(), ' ') +
              (name == std::string("Max data size") ? "1048576" : "unlimited") +
              "   unlimited   bytes\n";
  const auto parsed = parse_limits(limits);
  REQUIRE(parsed);
  CHECK(parsed->size() == 10);
  CHECK(std::is_sorted(parsed->begin(), parsed->end(),
                       [](const auto& a, const auto& b) { return a.name < b.name; }));
  for (const auto& entry : *parsed) {
    CHECK(entry.is_unlimited == (entry.name != "data"));
    if (entry.name == "data") CHECK(entry.value == 1048576);
  }
  CHECK_FALSE(parse_limits("Max open files 1 2\n"));
}
