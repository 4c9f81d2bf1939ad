// SPDX-License-Identifier: Apache-2.0
#include "reports/bundle_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <string>
#include <vector>

#include "ledger/base/unique_fd.h"

using namespace ethos::reports;

namespace {

// One member with the fields of the header that a reader of records looks at.
std::string member(const std::string& name, const std::string& bytes) {
  std::string header(512, '\0');
  std::memcpy(header.data(), name.data(), name.size());
  std::string digits(11, '0');
  for (std::size_t left = bytes.size(), i = 11; left != 0; left /= 8)
    digits[--i] = static_cast<char>('0' + left % 8);
  std::memcpy(header.data() + 124, digits.data(), digits.size());
  header[156] = '0';
  std::memcpy(header.data() + 257, "ustar", 5);
  return header + bytes + std::string((512 - bytes.size() % 512) % 512, '\0');
}

const std::string kHashes = std::string(32, 'a') + std::string(32, 'b') + std::string(32, 'c');

// Three records, of which the second was dropped.
std::string small_bundle() {
  const std::string entries("\0\5first\0\0\0\5third", 16);
  return member("manifest.json", R"({"disclosed":[],"format":1,"from":0,"kind":"ledger"})") +
         member("tile/0/000.p/3", kHashes) + member("tile/entries/000.p/3", entries) +
         std::string(1024, '\0');
}

struct Read {
  bool is_good = false;
  std::int64_t count = 0;
  std::vector<std::string> records, dropped;
};

Read read(const std::string& bytes, bool hears_of_dropped = true) {
  const ethos::base::UniqueFd fd(::memfd_create("bundle", MFD_CLOEXEC));
  REQUIRE(::write(fd.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  Read out;
  DroppedSink dropped;
  if (hears_of_dropped)
    dropped = [&](std::uint64_t, std::string_view hash) { out.dropped.emplace_back(hash); };
  const auto count = read_bundle(
      "/proc/self/fd/" + std::to_string(fd.get()), 0,
      [&](std::uint64_t, std::string_view record) { out.records.emplace_back(record); }, dropped);
  out.is_good = static_cast<bool>(count);
  if (count) out.count = *count;
  return out;
}

}  // namespace

TEST_CASE("bundle file: a dropped record is told with its hash", "[reports]") {
  const Read all = read(small_bundle());
  REQUIRE(all.is_good);
  CHECK(all.count == 3);
  CHECK(all.records == std::vector<std::string>{"first", "third"});
  CHECK(all.dropped == std::vector<std::string>{std::string(32, 'b')});
  CHECK_FALSE(read(small_bundle(), false).is_good);
}

TEST_CASE("bundle file: a dropped record whose hash is not there is refused", "[reports]") {
  const std::string entries("\0\5first\0\0\0\5third", 16);
  const std::string manifest =
      member("manifest.json", R"({"disclosed":[],"format":1,"from":0,"kind":"ledger"})");
  const std::string tail = member("tile/entries/000.p/3", entries) + std::string(1024, '\0');
  CHECK_FALSE(read(manifest + tail).is_good);
  CHECK_FALSE(read(manifest + member("tile/0/000.p/1", kHashes.substr(0, 63)) + tail).is_good);
}

TEST_CASE("bundle file: cut at any length or with any byte changed, it is read or refused",
          "[reports][property]") {
  const std::string whole = small_bundle();
  const Read all = read(whole);
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    const Read cut = read(whole.substr(0, size));
    CHECK((!cut.is_good ||
           cut.records.size() + cut.dropped.size() == static_cast<std::size_t>(cut.count)));
    CHECK(cut.count <= all.count);
  }
  for (std::size_t at = 0; at < whole.size() - 1024; ++at) {
    for (const char mask : {'\x01', '\x04', '\x10', '\x80'}) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ mask);
      const Read one = read(changed);
      if (one.is_good &&
          one.records.size() + one.dropped.size() != static_cast<std::size_t>(one.count)) {
        CAPTURE(at, mask);
        FAIL("a record was counted and not given");
      }
    }
  }
}
