// SPDX-License-Identifier: Apache-2.0
#include "sarif/places.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "sarif/columns.h"
#include "sarif/source_files.h"
#include "sarif/uri.h"

namespace ethos::sarif {
namespace {

namespace fs = std::filesystem;

struct TempDir {
  TempDir() {
    std::string name = (fs::temp_directory_path() / "ethos-sarif-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~TempDir() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  fs::path path;
};

TEST_CASE("uri: what is encoded, and that it comes back", "[sarif]") {
  CHECK(encode_uri_path("a b/c#d?e%f") == "a%20b/c%23d%3Fe%25f");
  CHECK(encode_uri_path("\xC3\xA9") == "%C3%A9");
  CHECK(encode_uri_path("C:x/a:b") == "C%3Ax/a:b");
  CHECK(encode_uri_path("a\\b[1]") == "a%5Cb%5B1%5D");
  std::string all;
  for (int c = 1; c < 256; ++c) all.push_back(static_cast<char>(c));
  CHECK(is_uri_reference(encode_uri_path(all)));
  CHECK(decode_uri_path(encode_uri_path(all)) == all);
  CHECK_FALSE(decode_uri_path("%2"));
  CHECK_FALSE(decode_uri_path("%zz"));
  CHECK_FALSE(decode_uri_path("%00"));
}

TEST_CASE("uri: references are judged by their characters", "[sarif]") {
  for (const std::string_view good : {"a/b.c", "file:///a%20b", "", "#x", "a?b#c", "./a:b"}) {
    CAPTURE(good);
    CHECK(is_uri_reference(good));
  }
  for (const std::string_view bad : {"a b", "\xC3\xA9", "a\\b", "%2", "%gg", "a#b#c", "1:b"}) {
    CAPTURE(bad);
    CHECK_FALSE(is_uri_reference(bad));
  }
}

TEST_CASE("paths: folded by text, never above the start", "[sarif]") {
  CHECK(normalize_path("a/./b//../c") == "a/c");
  CHECK(normalize_path("/a/../../b") == "/b");
  CHECK(normalize_path("./") == ".");
  CHECK_FALSE(normalize_path("../x"));
  CHECK_FALSE(normalize_path("a/../../x"));
}

TEST_CASE("path mapper: relative to the root, wherever the tool ran", "[sarif]") {
  const TempDir dir;
  fs::create_directories(dir.path / "real/sub");
  fs::create_directory_symlink(dir.path / "real", dir.path / "link");
  const std::string real = (dir.path / "real").string();
  const auto mapper = PathMapper::create((dir.path / "link").string(), "sub");
  REQUIRE(mapper);
  CHECK(mapper->map("x.c").uri == "sub/x.c");
  CHECK(mapper->map("../y z.c").uri == "y%20z.c");
  CHECK(mapper->map("../y z.c").relative == "y z.c");
  CHECK(mapper->map(real + "/sub/x.c").uri == "sub/x.c");
  CHECK(mapper->map((dir.path / "link/x.c").string()).uri == "x.c");
  CHECK(mapper->map("file://" + real + "/x.c").relative == "x.c");
  CHECK(mapper->map("/usr/include/a b.h").uri == "file:///usr/include/a%20b.h");
  CHECK(mapper->map("/usr/include/a b.h").relative.empty());
  CHECK(mapper->map(real + "ly/x.c").relative.empty());
  CHECK(mapper->map("../../../../../../etc/passwd").relative.empty());
  CHECK_FALSE(PathMapper::create((dir.path / "absent").string(), ""));
  CHECK(PathMapper().map("a/../b.c").uri == "b.c");
  CHECK(PathMapper().map("../b.c").relative.empty());
}

TEST_CASE("source files: only regular files beneath the root", "[sarif]") {
  const TempDir dir;
  fs::create_directories(dir.path / "root/dir");
  std::ofstream(dir.path / "root/a.txt") << "one\r\ntwo";
  std::ofstream(dir.path / "secret") << "secret";
  fs::create_symlink(dir.path / "secret", dir.path / "root/link");
  fs::create_directory_symlink(dir.path, dir.path / "root/up");
  REQUIRE(::mkfifo((dir.path / "root/fifo").c_str(), 0600) == 0);
  auto files = SourceFiles::open((dir.path / "root").string());
  REQUIRE(files);
  SourceFile* file = files->find("a.txt");
  REQUIRE(file != nullptr);
  CHECK(file->line(1) == "one");
  CHECK(file->line(2) == "two");
  CHECK_FALSE(file->line(3));
  CHECK_FALSE(file->line(0));
  CHECK(file->hash(1));
  CHECK_FALSE(file->hash(3));
  for (const char* bad :
       {"link", "up/secret", "fifo", "dir", "absent", "", "../secret", "/etc/passwd", "a.txt/b"}) {
    CAPTURE(bad);
    CHECK(files->find(bad) == nullptr);
    CHECK_FALSE(files->has(bad));
  }
  for (int i = 0; i < 20; ++i) CHECK(files->find("none" + std::to_string(i)) == nullptr);
  CHECK(files->find("a.txt") != nullptr);
}

TEST_CASE("columns: each unit in code points", "[sarif]") {
  const std::string_view line = "\tx\xC3\xA9\xE6\xBC\xA2z";  // tab, x, é, 漢, z
  using enum ColumnUnit;
  CHECK(to_code_points(line, 2, code_points) == 2);
  CHECK(to_code_points(line, 6, code_points) == 6);
  CHECK(to_code_points(line, 5, utf8_bytes) == 4);    // 漢 begins at byte 5
  CHECK(to_code_points(line, 6, utf8_bytes) == 4);    // inside it
  CHECK(to_code_points(line, 8, utf8_bytes) == 5);    // z
  CHECK(to_code_points(line, 9, display_tab8) == 2);  // behind the tab
  CHECK(to_code_points(line, 11, display_tab8) == 4);
  CHECK(to_code_points(line, 13, display_tab8) == 5);
  CHECK(to_code_points(line, 12, code_points_tab8) == 5);
  CHECK(to_code_points(line, 3, display_tab8) == 1);  // inside the tab
  CHECK_FALSE(to_code_points(line, 0, code_points));
  CHECK_FALSE(to_code_points(line, 99, code_points));
  CHECK(to_code_points("", 1, utf8_bytes) == 1);
  CHECK(to_code_points("\xFF\xFEz", 3, utf8_bytes) == 3);
}

}  // namespace
}  // namespace ethos::sarif
