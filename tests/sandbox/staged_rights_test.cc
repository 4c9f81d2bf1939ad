// SPDX-License-Identifier: Apache-2.0
// What a file may be used for, and by whom, before and after it was brought out.
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <string>

#include "tests/support/cage_plan.h"

using namespace ethos;

namespace {

constexpr const char* kAccess = "system.posix_acl_access";
constexpr const char* kDefault = "system.posix_acl_default";

// Owner and one named user may read and write, the group nothing, and the mask shows what the
// named one may.
std::string access_list() {
  struct Entry {
    std::uint16_t tag, rights;
    std::uint32_t id;
  };
  constexpr std::uint32_t none = 0xffffffff;
  const std::array<Entry, 5> entries{
      {{1, 6, none}, {2, 6, getuid()}, {4, 0, none}, {0x10, 6, none}, {0x20, 0, none}}};
  const std::uint32_t version = 2;
  std::string out(reinterpret_cast<const char*>(&version), sizeof version);
  return out.append(reinterpret_cast<const char*>(entries.data()), sizeof entries);
}

std::string attribute(const std::string& path, const char* name) {
  std::array<char, 256> value{};
  const ssize_t size = getxattr(path.c_str(), name, value.data(), value.size());
  return size < 0 ? "errno " + std::to_string(errno)
                  : std::string(value.data(), static_cast<std::size_t>(size));
}

bool set(const std::string& path, const char* name, const std::string& value) {
  return setxattr(path.c_str(), name, value.data(), value.size(), 0) == 0;
}

unsigned mode_of(const std::string& path) {
  struct stat found {};
  REQUIRE(stat(path.c_str(), &found) == 0);
  return found.st_mode & 07777;
}

// Before 6.6 an ordinary user's overlay cannot have a mapped lower directory.
bool is_copied() {
  utsname host{};
  int major = 0;
  int minor = 0;
  return uname(&host) != 0 || std::sscanf(host.release, "%d.%d", &major, &minor) != 2 ||
         (geteuid() != 0 && (major < 6 || (major == 6 && minor < 6)));
}

void run(const support::ScratchDir& dir, const std::string& script) {
  auto plan = support::base_plan(dir.path(), {"/bin/sh", "-c", script});
  support::grant_write(plan, "out");
  support::CageRun r{};
  support::run(r, plan);
  CAPTURE(r.text());
  REQUIRE(r.result() != nullptr);
  CHECK(r.result()->status == 0);
  CHECK(r.sink.denials.empty());
}

}  // namespace

TEST_CASE("staged: a file that is replaced keeps its access list and attributes",
          "[sandbox][kernel]") {
  if (const auto why = support::why_no_cage(); !why.empty()) {
    WARN("skipped: no cage here: " << why);
    return;
  }
  const support::ScratchDir dir;
  dir.write("out/f", "a\n");
  const std::string file = dir.path() + "/out/f";
  const std::string list = access_list();
  if (!set(file, kAccess, list) || !set(file, "user.note", "mine")) {
    WARN("skipped: no access lists or attributes on this file system");
    return;
  }
  REQUIRE(mode_of(file) == 0660);
  run(dir, "echo b >> out/f");
  CHECK(dir.read("out/f") == "a\nb\n");
  CHECK(attribute(file, kAccess) == list);
  CHECK(attribute(file, "user.note") == "mine");
  CHECK(mode_of(file) == 0660);
  // The mode is the mask, as for whoever calls chmod outside.
  run(dir, "chmod 600 out/f");
  CHECK(mode_of(file) == 0600);
  CHECK(attribute(file, kAccess).size() == list.size());
  CHECK(attribute(file, kAccess)[4 + 3 * 8 + 2] == 0);
}

TEST_CASE("staged: a directory's default list gives nothing to a file that had none",
          "[sandbox][kernel]") {
  if (const auto why = support::why_no_cage(); !why.empty()) {
    WARN("skipped: no cage here: " << why);
    return;
  }
  const support::ScratchDir dir;
  dir.write("out/f", "a\n");
  const std::string file = dir.path() + "/out/f";
  REQUIRE(chmod(file.c_str(), 0640) == 0);
  if (!set(dir.path() + "/out", kDefault, access_list())) {
    WARN("skipped: no access lists on this file system");
    return;
  }
  run(dir, "echo b >> out/f");
  CHECK(dir.read("out/f") == "a\nb\n");
  CHECK(attribute(file, kAccess) == "errno " + std::to_string(ENODATA));
  CHECK(mode_of(file) == 0640);
}

TEST_CASE("staged: a sticky directory does not become one where others may remove",
          "[sandbox][kernel]") {
  if (const auto why = support::why_no_cage(); !why.empty()) {
    WARN("skipped: no cage here: " << why);
    return;
  }
  const support::ScratchDir dir;
  dir.write("out/f", "a\n");
  run(dir, "mkdir out/q out/w; chmod 1777 out/q; chmod 777 out/w; touch out/s; chmod 1666 out/s");
  CHECK(mode_of(dir.path() + "/out/q") == 0755);
  CHECK(mode_of(dir.path() + "/out/w") == 0777);
  CHECK(mode_of(dir.path() + "/out/s") == 0666);
}

TEST_CASE("staged: the mask of a list that stays behind is no right of the group",
          "[sandbox][kernel]") {
  if (const auto why = support::why_no_cage(); !why.empty()) {
    WARN("skipped: no cage here: " << why);
    return;
  }
  const support::ScratchDir dir;
  dir.write("out/f", "a\n");
  dir.write("out/plain", "b\n");
  const std::string file = dir.path() + "/out/f";
  if (!set(file, kAccess, access_list())) {
    WARN("skipped: no access lists on this file system");
    return;
  }
  REQUIRE(mode_of(file) == 0660);
  run(dir, "ln out/f out/g; ln -f out/f out/plain");
  CHECK(dir.read("out/g") == "a\n");
  CHECK(dir.read("out/plain") == "a\n");
  CHECK(attribute(file, kAccess) == access_list());
  if (is_copied()) {
    WARN("skipped: the grant is copied for the tool here, without its lists");
    return;
  }
  CHECK(mode_of(dir.path() + "/out/g") == 0600);
  CHECK(mode_of(dir.path() + "/out/plain") == 0600);
}

TEST_CASE("staged: a directory that may be entered may be listed by its owner",
          "[sandbox][kernel]") {
  if (const auto why = support::why_no_cage(); !why.empty()) {
    WARN("skipped: no cage here: " << why);
    return;
  }
  const support::ScratchDir dir;
  dir.write("out/f", "a\n");
  // What an ordinary user cannot list stays in the layer.
  if (geteuid() != 0) {
    WARN("skipped: not root");
    return;
  }
  run(dir, "mkdir out/z out/y; chmod 311 out/z; chmod 200 out/y");
  CHECK(mode_of(dir.path() + "/out/z") == 0711);
  CHECK(mode_of(dir.path() + "/out/y") == 0700);
}
