// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <cerrno>
#include <filesystem>

#include "ledger/base/base32.h"
#include "ledger/base/base64.h"
#include "ledger/base/clock.h"
#include "ledger/base/file_io.h"
#include "ledger/base/file_lock.h"
#include "ledger/base/hex.h"
#include "ledger/base/paths.h"
#include "ledger/base/printable.h"
#include "ledger/base/random.h"
#include "ledger/base/whole_number.h"
#include "tests/support/result_maker.h"
#include "tests/support/temp_dir.h"

using namespace ethos::base;
using ethos::support::code_of;
using ethos::support::TempDir;

TEST_CASE("base64: RFC 4648 vectors both ways", "[ledger][base]") {
  const std::pair<const char*, const char*> vectors[] = {{"", ""},
                                                         {"f", "Zg=="},
                                                         {"fo", "Zm8="},
                                                         {"foo", "Zm9v"},
                                                         {"foob", "Zm9vYg=="},
                                                         {"fooba", "Zm9vYmE="},
                                                         {"foobar", "Zm9vYmFy"}};
  for (const auto& [plain, text] : vectors) {
    CAPTURE(plain);
    CHECK(encode_base64(as_bytes(plain)) == text);
    auto back = decode_base64(text);
    REQUIRE(back);
    CHECK(as_text(*back) == plain);
  }
}

TEST_CASE("base64: only the one text of each byte string is read", "[ledger][base]") {
  for (const char* bad : {"Zg", "Zg=", "Zg===", "Zh==", "Zm9=", "Z===", "====", "Zm9v\n", " Zm9v",
                          "Zm-v", "Zm_v", "Zm9vZg==Zm9v", "=Zm9", "Zg=a"}) {
    CAPTURE(bad);
    CHECK(code_of(decode_base64(bad)) == Errc::malformed);
  }
}

TEST_CASE("base32: RFC 4648 vectors in lower case without padding", "[ledger][base]") {
  const std::pair<const char*, const char*> vectors[] = {{"", ""},
                                                         {"f", "my"},
                                                         {"fo", "mzxq"},
                                                         {"foo", "mzxw6"},
                                                         {"foob", "mzxw6yq"},
                                                         {"fooba", "mzxw6ytb"},
                                                         {"foobar", "mzxw6ytboi"}};
  for (const auto& [plain, text] : vectors) {
    CAPTURE(plain);
    CHECK(encode_base32(as_bytes(plain)) == text);
    auto back = decode_base32(text);
    REQUIRE(back);
    CHECK(as_text(*back) == plain);
  }
  for (const char* bad : {"m", "mz", "mzx", "MY", "m1", "my======", "mzxw6z", "a"}) {
    CAPTURE(bad);
    CHECK(code_of(decode_base32(bad)) == Errc::malformed);
  }
}

TEST_CASE("encodings: every random byte string comes back", "[ledger][base][property]") {
  for (std::size_t size = 0; size < 80; ++size) {
    Bytes bytes(size);
    fill_random(bytes);
    CAPTURE(encode_hex(bytes));
    CHECK(*decode_hex(encode_hex(bytes)) == bytes);
    CHECK(*decode_base64(encode_base64(bytes)) == bytes);
    CHECK(*decode_base32(encode_base32(bytes)) == bytes);
  }
}

TEST_CASE("hex: upper case, odd length and other characters are refused", "[ledger][base]") {
  for (const char* bad : {"a", "AB", "0g", "0 ", "zz"})
    CHECK(code_of(decode_hex(bad)) == Errc::malformed);
}

TEST_CASE("read_file: stops at its limit and names the file", "[ledger][base]") {
  const TempDir dir;
  ethos::support::write_text(dir.file("ten"), "0123456789");
  CHECK(*read_file(dir.file("ten"), 10) == "0123456789");
  CHECK(code_of(read_file(dir.file("ten"), 9)) == Errc::too_large);
  CHECK(code_of(read_file(dir.file("none"), 9)) == Errc::not_found);
  CHECK(read_file(dir.file("none"), 9).error().message().find("none") != std::string::npos);
}

TEST_CASE("replace_file: a reader sees old or new, a link is replaced and not followed",
          "[ledger][base]") {
  const TempDir dir;
  const std::string target = dir.file("target");
  const std::string link = dir.file("link");
  ethos::support::write_text(target, "precious");
  REQUIRE(::symlink(target.c_str(), link.c_str()) == 0);
  REQUIRE(replace_file(link, as_bytes("new"), {}));
  CHECK(ethos::support::read_text(target) == "precious");
  CHECK(ethos::support::read_text(link) == "new");
  CHECK_FALSE(std::filesystem::is_symlink(link));
  CHECK(code_of(replace_file(dir.path(), as_bytes("x"), {})) == Errc::refused);
  CHECK(code_of(replace_file(dir.file("no/such"), as_bytes("x"), {})) == Errc::not_found);
  // Nothing temporary is left behind.
  CHECK(std::distance(std::filesystem::directory_iterator(dir.path()), {}) == 2);
}

TEST_CASE("replace_file: a device or a pipe is written to and stays", "[base]") {
  const TempDir dir;
  const std::string pipe = dir.file("pipe");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(code_of(replace_file(pipe, as_bytes("nobody reads"), {})) == Errc::io);
  const UniqueFd reader(::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  REQUIRE(reader.is_open());
  const std::string link = dir.file("link");
  REQUIRE(::symlink("pipe", link.c_str()) == 0);
  for (const std::string& path : {pipe, link}) {
    CHECK(replace_file(path, as_bytes("said"), {}));
    std::array<char, 8> got{};
    CHECK(::read(reader.get(), got.data(), got.size()) == 4);
  }
  struct stat st {};
  CHECK((::lstat(pipe.c_str(), &st) == 0 && S_ISFIFO(st.st_mode)));
  CHECK((::lstat(link.c_str(), &st) == 0 && S_ISLNK(st.st_mode)));
  // A device of our own, so that a fault here costs nobody his /dev/null.
  const std::string null = dir.file("null");
  if (::mknod(null.c_str(), S_IFCHR | 0600, makedev(1, 3)) != 0) {
    WARN("skipped: no device can be made here");
    return;
  }
  const auto written = replace_file(null, as_bytes("gone"), {});
  if (!written && written.error().sys == EACCES) {
    WARN("skipped: devices cannot be opened here");
    return;
  }
  CHECK(written);
  CHECK((::lstat(null.c_str(), &st) == 0 && S_ISCHR(st.st_mode)));
}

TEST_CASE("replace_file: a linked parent is refused when parents may be hostile",
          "[ledger][base]") {
  const TempDir dir;
  REQUIRE(::mkdir(dir.file("real").c_str(), 0700) == 0);
  REQUIRE(::symlink("real", dir.file("evil").c_str()) == 0);
  ReplaceOptions strict;
  strict.parents = Parents::no_symlinks;
  CHECK(code_of(replace_file(dir.file("evil/out"), as_bytes("x"), strict)) == Errc::refused);
  CHECK(replace_file(dir.file("evil/out"), as_bytes("x"), {}));
  CHECK(replace_file(dir.file("real/out"), as_bytes("x"), strict));
}

TEST_CASE("PendingFile: without commit nothing changes", "[ledger][base]") {
  const TempDir dir;
  {
    auto pending = PendingFile::create(dir.file("out"), {});
    REQUIRE(pending);
    REQUIRE(pending->write(as_bytes("half")));
  }
  CHECK(std::filesystem::is_empty(dir.path()));
}

TEST_CASE("create_file: exact mode whatever the umask, never over something", "[ledger][base]") {
  const TempDir dir;
  const mode_t old = ::umask(0);
  const auto made = create_file(dir.file("secret"), as_bytes("x"), 0600);
  ::umask(old);
  REQUIRE(made);
  struct stat st {};
  REQUIRE(::stat(dir.file("secret").c_str(), &st) == 0);
  CHECK((st.st_mode & 07777U) == 0600);
  CHECK(code_of(create_file(dir.file("secret"), as_bytes("y"), 0600)) == Errc::exists);
  REQUIRE(::symlink("nowhere", dir.file("dangling").c_str()) == 0);
  CHECK_FALSE(create_file(dir.file("dangling"), as_bytes("y"), 0600));
  CHECK_FALSE(std::filesystem::exists(dir.file("nowhere")));
}

TEST_CASE("open_beneath: nothing leads out of the root", "[ledger][base]") {
  const TempDir dir;
  REQUIRE(::mkdir(dir.file("root").c_str(), 0700) == 0);
  ethos::support::write_text(dir.file("outside"), "secret");
  ethos::support::write_text(dir.file("root/inside"), "fine");
  REQUIRE(::symlink("../outside", dir.file("root/link").c_str()) == 0);
  REQUIRE(::symlink("inside", dir.file("root/inner-link").c_str()) == 0);
  auto root = open_path(dir.file("root"), O_RDONLY | O_DIRECTORY);
  REQUIRE(root);
  CHECK(open_beneath(*root, "inside", O_RDONLY));
  for (const char* path : {"../outside", "/etc/passwd", "link", "inner-link", "x/../../outside"}) {
    CAPTURE(path);
    CHECK_FALSE(open_beneath(*root, path, O_RDONLY));
  }
  CHECK(code_of(open_beneath(*root, std::string("in\0side", 7), O_RDONLY)) == Errc::malformed);
}

TEST_CASE("split_path and absolute_path", "[ledger][base]") {
  CHECK(split_path("a/b/c").parent == "a/b");
  CHECK(split_path("c").parent == ".");
  CHECK(split_path("/c").parent == "/");
  CHECK(split_path("a/").name.empty());
  CHECK(*absolute_path("/a//b/./c/") == "/a/b/c");
  CHECK(*absolute_path("/a/../b") == "/a/../b");
  CHECK(*absolute_path("/") == "/");
  CHECK(absolute_path("x")->ends_with("/x"));
}

TEST_CASE("make_directories: makes what is missing, refuses a file in the way", "[ledger][base]") {
  const TempDir dir;
  REQUIRE(make_directories(dir.file("a/b/c"), 0700));
  REQUIRE(make_directories(dir.file("a/b/c"), 0700));
  ethos::support::write_text(dir.file("file"), "");
  CHECK_FALSE(make_directories(dir.file("file/x"), 0700));
}

TEST_CASE("file lock: a second exclusive taker is told, and gets it after the first",
          "[ledger][base]") {
  const TempDir dir;
  {
    auto first = FileLock::create(dir.file("lock"), LockKind::exclusive, IfBusy::give_up);
    REQUIRE(first);
    CHECK(code_of(FileLock::create(dir.file("lock"), LockKind::shared, IfBusy::give_up)) ==
          Errc::busy);
  }
  auto shared = FileLock::create(dir.file("lock"), LockKind::shared, IfBusy::give_up);
  REQUIRE(shared);
  CHECK(FileLock::create(dir.file("lock"), LockKind::shared, IfBusy::give_up));
  CHECK(code_of(FileLock::create(dir.file("lock"), LockKind::exclusive, IfBusy::give_up)) ==
        Errc::busy);
}

TEST_CASE("clock: the boot id is read strictly, the clocks move on", "[ledger][base]") {
  CHECK(parse_boot_id("1b4e28ba-2fa1-11d2-883f-0016d3cca427\n"));
  for (const char* bad :
       {"", "1b4e28ba2fa111d2883f0016d3cca427", "1B4E28BA-2fa1-11d2-883f-0016d3cca427",
        "1b4e28ba-2fa1-11d2-883f-0016d3cca42-", "1b4e28ba-2fa1-11d2-883f-0016d3cca4277"}) {
    CHECK_FALSE(parse_boot_id(bad));
  }
  auto clock = SystemClock::open();
  REQUIRE(clock);
  const Timestamp a = clock->now();
  const Timestamp b = clock->now();
  CHECK(a.boot == b.boot);
  CHECK(b.mono_ns >= a.mono_ns);
  CHECK(a.wall_ms > 1'600'000'000'000);
}

TEST_CASE("format_utc", "[ledger][base]") {
  CHECK(format_utc(0) == "1970-01-01T00:00:00.000Z");
  CHECK(format_utc(1'790'000'000'042) == "2026-09-21T14:13:20.042Z");
  CHECK(format_utc(951'782'399'999) == "2000-02-28T23:59:59.999Z");
  CHECK(format_utc(std::numeric_limits<std::int64_t>::max()) == "9223372036854775807");
}

TEST_CASE("errors: a code for the caller, one line for people", "[ledger][base]") {
  Result<int> r = fail_errno("x", ENOSPC);
  CHECK(code_of(r) == Errc::no_space);
  Error e = std::move(r).error().with_context("write");
  CHECK(e.what == "write: x");
  CHECK(e.message() == "write: x: No space left on device");
}

namespace base = ethos::base;

TEST_CASE("printable: nothing that steers a terminal or is not seen comes through", "[base]") {
  using base::Ascii;
  CHECK(base::printable("plain \xC3\xA4 \xE2\x82\xAC \xF0\x9F\x98\x80 \\") ==
        "plain \xC3\xA4 \xE2\x82\xAC \xF0\x9F\x98\x80 \\");
  CHECK(base::printable("a\x1b[31m\n\x7f") == "a\\u{001b}[31m\\u{000a}\\u{007f}");
  CHECK(base::printable("a\x1b[31m\n\x7f", Ascii::as_byte) == "a\\x1b[31m\\x0a\\x7f");
  // C1, a mark that turns the line, a zero-width space, a tag character.
  CHECK(base::printable("\xC2\x9B\xE2\x80\xAE\xE2\x80\x8B\xF3\xA0\x81\xA1", Ascii::as_byte) ==
        "\\u{009b}\\u{202e}\\u{200b}\\u{e0061}");
  // No UTF-8: alone, overlong, surrogate, beyond the last, cut off.
  CHECK(base::printable("\x9B") == "\\x9b");
  CHECK(base::printable("\xC0\x9B") == "\\xc0\\x9b");
  CHECK(base::printable("\xE0\x82\x9B") == "\\xe0\\x82\\x9b");
  CHECK(base::printable("\xED\xA0\x80") == "\\xed\\xa0\\x80");
  CHECK(base::printable("\xF4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");
  CHECK(base::printable("\xE2\x82") == "\\xe2\\x82");
  CHECK(base::blanked("a\xC2\x9B"
                      "b\xE2\x80\xAE\x1b\x9B") == "a b  \xEF\xBF\xBD");
  // Whatever is made of one is left as it is.
  for (unsigned point = 0; point < 256; ++point) {
    const std::string text(1, static_cast<char>(point));
    const std::string once = base::printable(text);
    CHECK(base::printable(once) == once);
  }
}

TEST_CASE("printable: a stream for messages", "[base]") {
  std::ostringstream to;
  base::PlainOutput out(to);
  out << "x: "
      << "a\x1b[0m" << 7 << '\xC3' << '\xA4' << '\n'
      << "\xC2\x9B" << '\x9B' << std::flush;
  CHECK(to.str() == "x: a\\x1b[0m7\xC3\xA4\n\\u{009b}\\x9b");
  to.str("");
  out << '\n' << std::string(100'000, 'y') << "z\nnext\n";
  CHECK(to.str() == "\n" + std::string(8192, 'y') + "...\nnext\n");
}

TEST_CASE("numbers of a command line are plain digits within their bounds", "[base]") {
  for (const char* good : {"0", "7", "10", "9007199254740991"})
    CHECK(base::whole_number_fault(good, 0, base::kMaxCount).empty());
  for (const char* bad : {"", "-1", "+1", "01", "0x1", "1.0", " 1", "1 ", "9007199254740992",
                          "18446744073709551616", "99999999999999999999999"})
    CHECK_FALSE(base::whole_number_fault(bad, 0, base::kMaxCount).empty());
  CHECK_FALSE(base::whole_number_fault("0", 1, 5).empty());
  CHECK_FALSE(base::whole_number_fault("6", 1, 5).empty());
  for (const char* good : {"0", "0.5", "3600", "3600.0"})
    CHECK(base::decimal_fault(good, 0, 3600).empty());
  for (const char* bad : {".5", "1.", "3600.1", "nan", "inf", "1e2", "-0", "0x1p3", "1.5.2"})
    CHECK_FALSE(base::decimal_fault(bad, 0, 3600).empty());
}
