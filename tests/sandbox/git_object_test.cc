// SPDX-License-Identifier: Apache-2.0
#include "sandbox/git_object.h"

#include <fcntl.h>
#include <zlib.h>

#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>

#include "ledger/base/paths.h"
#include "sandbox/git_store.h"

using namespace ethos::sandbox;
namespace fs = std::filesystem;

namespace {

bool has_git() { return std::system("git --version >/dev/null 2>&1") == 0; }

// A repository made by git itself, in a directory of its own.
class Repository {
 public:
  explicit Repository(const std::string& format = "sha1") {
    std::string name = "/tmp/ethos-git-XXXXXX";
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
    git("init -q --object-format=" + format + " .");
  }
  ~Repository() { fs::remove_all(path_); }
  Repository(const Repository&) = delete;
  Repository& operator=(const Repository&) = delete;

  std::string git(const std::string& words) const {
    const std::string out = path_ + "/../" + fs::path(path_).filename().string() + ".out";
    const std::string command =
        "cd " + path_ + " && git -c user.name=n -c user.email=e@x -c commit.gpgsign=false " +
        words + " >" + out + " 2>/dev/null";
    REQUIRE(std::system(command.c_str()) == 0);
    std::ifstream in(out);
    std::string line;
    std::getline(in, line);
    fs::remove(out);
    return line;
  }
  // Writes, commits, and returns the commit's hash.
  std::string commit(const std::string& file, const std::string& content) const {
    fs::create_directories(fs::path(path_ + "/" + file).parent_path());
    std::ofstream(path_ + "/" + file) << content;
    git("add -A");
    git("commit -q -m x");
    return git("rev-parse HEAD");
  }
  ethos::base::Result<GitFile> read(const std::string& revision, const std::string& file,
                                    std::size_t most = 1U << 20,
                                    Abbreviations abbreviations = Abbreviations::taken) const {
    auto workspace = open_workspace(path_, path_);
    REQUIRE(workspace);
    return read_git_file(*workspace, revision, file, most, abbreviations);
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Long and nearly equal texts, so that a pack stores them as deltas.
std::string version(int i) {
  std::string out = "{\"version\":1} // " + std::to_string(i) + "\n";
  for (int line = 0; line < 400; ++line)
    out +=
        "// line " + std::to_string(line * 7919 % 1000) + (line == i * 11 ? " changed" : "") + "\n";
  return out;
}

}  // namespace

TEST_CASE("git objects: loose and packed ones are read as git reads them", "[sandbox]") {
  if (!has_git()) {
    WARN("skipped: git is not installed");
    return;
  }
  for (const std::string format : {"sha1", "sha256"}) {
    CAPTURE(format);
    const Repository r(format);
    constexpr int kVersions = 8;
    std::vector<std::string> commits;
    for (int i = 0; i < kVersions; ++i) commits.push_back(r.commit("conf/ethos.json", version(i)));
    r.git("tag -a v1 -m tag " + commits[2]);
    r.git("branch topic " + commits[3]);
    const auto check = [&] {
      for (int i = 0; i < kVersions; ++i) {
        const auto file = r.read(commits[static_cast<std::size_t>(i)], "conf/ethos.json");
        REQUIRE(file);
        CHECK(file->bytes == version(i));
        CHECK(file->commit == commits[static_cast<std::size_t>(i)]);
      }
      CHECK(r.read("HEAD", "conf/ethos.json")->bytes == version(kVersions - 1));
      CHECK(r.read("v1", "conf/ethos.json")->commit == commits[2]);
      CHECK(r.read("refs/heads/topic", "conf/ethos.json")->bytes == version(3));
    };
    check();
    r.git("gc -q --aggressive --prune=now");
    REQUIRE(fs::exists(r.path() + "/.git/packed-refs"));
    check();
    CHECK_FALSE(r.read("HEAD", "conf"));
    CHECK_FALSE(r.read("HEAD", "ethos.json"));
    CHECK_FALSE(r.read("HEAD", "conf/ethos.json/x"));
    CHECK_FALSE(r.read("nothing", "conf/ethos.json"));
    CHECK_FALSE(r.read("HEAD~99", "conf/ethos.json"));
    CHECK_FALSE(r.read("HEAD", "conf/ethos.json", 100));
    CHECK_FALSE(r.read(std::string(40, 'a'), "conf/ethos.json"));
  }
}

TEST_CASE("git objects: revisions lead where git says", "[sandbox]") {
  if (!has_git()) {
    WARN("skipped: git is not installed");
    return;
  }
  for (const std::string format : {"sha1", "sha256"}) {
    const Repository r(format);
    for (int i = 0; i < 6; ++i) r.commit("ethos.json", version(i));
    r.git("tag -a v1 -m tag HEAD~2");
    r.git("tag -a v2 -m tag v1");
    r.git("checkout -q -b side HEAD~3");
    r.commit("other", "1");
    r.git("checkout -q -");
    r.git("merge -q -m merge side");
    const std::string head = r.git("rev-parse HEAD");
    const auto check = [&] {
      for (const std::string& text : {std::string("HEAD"),
                                      std::string("@"),
                                      std::string("HEAD~1"),
                                      std::string("HEAD~"),
                                      std::string("HEAD^"),
                                      std::string("HEAD^1"),
                                      std::string("HEAD^2"),
                                      std::string("HEAD^0"),
                                      std::string("HEAD~0"),
                                      std::string("HEAD^2~1"),
                                      std::string("HEAD^^"),
                                      std::string("@~3^{commit}"),
                                      std::string("v1^{commit}"),
                                      std::string("v2^{}"),
                                      std::string("v2~1"),
                                      std::string("v1^"),
                                      std::string("side^"),
                                      head,
                                      head + "^2",
                                      head.substr(0, 7),
                                      head.substr(0, 12) + "~2",
                                      head.substr(0, 39)}) {
        CAPTURE(format, text);
        const auto file = r.read(text, "ethos.json");
        REQUIRE(file);
        CHECK(file->commit == r.git("rev-parse --verify --end-of-options '" + text + "^{commit}'"));
      }
    };
    check();
    r.git("gc -q --prune=now");
    check();
    for (const std::string text :
         {"HEAD^3", "HEAD~1000", "HEAD~99999999999999999999", "HEAD^{tree}", "HEAD^{/x}", "HEAD^x",
          "HEAD~-1", "HEAD~1x", "~1", "^", "", "HEAD^{commit", "HEAD@{1}", "HEAD:ethos.json", "-h",
          "HEAD..side", "abcz"}) {
      CAPTURE(format, text);
      CHECK_FALSE(r.read(text, "ethos.json"));
    }
    // The name of a directory's object is none of a commit's.
    CHECK_FALSE(r.read(r.git("rev-parse HEAD^{tree}").substr(0, 12), "ethos.json"));
    CHECK_FALSE(r.read(head.substr(0, 3), "ethos.json"));
    const auto refused = r.read(head.substr(0, 12), "ethos.json", 1U << 20, Abbreviations::refused);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message().find("full hash") != std::string::npos);
    CHECK(r.read(head + "~1", "ethos.json", 1U << 20, Abbreviations::refused));
  }
}

TEST_CASE("git objects: a beginning that several commits have is refused", "[sandbox]") {
  if (!has_git()) {
    WARN("skipped: git is not installed");
    return;
  }
  const Repository r;
  // Each a child of the one before and all of them of one second, so that they are always the same
  // ones: two of so many begin with the same four digits.
  constexpr int kCommits = 1200;
  {
    std::ofstream stream(r.path() + "/stream");
    for (int i = 0; i < kCommits; ++i)
      stream << "commit refs/heads/many\ncommitter n <e@x> 1 +0000\ndata 1\nx\n"
             << (i == 0 ? "M 100644 inline ethos.json\ndata 2\n{}\n" : "") << "\n";
  }
  r.git("fast-import --quiet <stream");
  r.git("log --format=%H --output=names many");
  std::map<std::string, std::string> seen;
  std::string same;
  std::ifstream names(r.path() + "/names");
  for (std::string name; std::getline(names, name);)
    if (!seen.try_emplace(name.substr(0, 4), name).second) same = name;
  REQUIRE_FALSE(same.empty());
  const auto refused = r.read(same.substr(0, 4), "ethos.json");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message().find("is the beginning of") != std::string::npos);
  CHECK(r.read(same, "ethos.json"));
}

TEST_CASE("git objects: a link is no declaration, and other bytes than the name says are refused",
          "[sandbox]") {
  if (!has_git()) {
    WARN("skipped: git is not installed");
    return;
  }
  const Repository r;
  fs::create_symlink("/etc/passwd", r.path() + "/link");
  const std::string commit = r.commit("a", "one\n");
  CHECK_FALSE(r.read("HEAD", "link"));
  const std::string blob = r.git("rev-parse HEAD:a");
  const std::string other = r.git("rev-parse HEAD:link");
  const auto loose = [&](const std::string& name) {
    return r.path() + "/.git/objects/" + name.substr(0, 2) + "/" + name.substr(2);
  };
  fs::remove(loose(blob));
  fs::copy_file(loose(other), loose(blob));
  const auto forged = r.read(commit, "a");
  REQUIRE_FALSE(forged);
  CHECK(forged.error().code == ethos::base::Errc::malformed);
}

TEST_CASE("git objects: broken objects end in an error, wherever they are cut", "[sandbox]") {
  if (!has_git()) {
    WARN("skipped: git is not installed");
    return;
  }
  const Repository r;
  for (int i = 0; i < 4; ++i) r.commit("a", version(i));
  r.git("gc -q --aggressive --prune=now");
  fs::path pack;
  for (const auto& entry : fs::directory_iterator(r.path() + "/.git/objects/pack"))
    if (entry.path().extension() == ".pack") pack = entry.path();
  REQUIRE_FALSE(pack.empty());
  fs::permissions(pack, fs::perms::owner_all);
  const auto size = fs::file_size(pack);
  for (std::uintmax_t cut = size; cut > 0; cut -= std::min<std::uintmax_t>(cut, size / 50 + 1)) {
    fs::resize_file(pack, cut - 1);
    CHECK_NOTHROW(r.read("HEAD", "a"));
  }
  CHECK_FALSE(r.read("HEAD", "a"));
}

namespace {

std::string big_endian(std::uint32_t value) {
  std::string out;
  for (unsigned shift = 32; shift > 0; shift -= 8)
    out += static_cast<char>((value >> (shift - 8)) & 0xFFU);
  return out;
}

// The head of a pack entry: its type, and the size of what it inflates to.
std::string entry_head(unsigned type, std::uint64_t size) {
  unsigned first = (type << 4U) | static_cast<unsigned>(size & 15U);
  std::string out;
  for (size >>= 4U; size > 0; size >>= 7U) {
    out += static_cast<char>(first | 0x80U);
    first = static_cast<unsigned>(size & 0x7FU);
  }
  return out + static_cast<char>(first);
}

std::string deflated(const std::string& bytes) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::string out(size, '\0');
  REQUIRE(compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                    reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uLong>(bytes.size()),
                    9) == Z_OK);
  out.resize(size);
  return out;
}

// A pack with one blob and a chain of so many deltas upon it, each of so many bytes; the name of
// the last one is twenty times \x11.
void write_chain(const fs::path& objects, int deltas, std::size_t bytes) {
  std::string pack = "PACK" + big_endian(2) + big_endian(static_cast<std::uint32_t>(deltas) + 1);
  std::size_t last = pack.size();
  pack += entry_head(3, 1) + deflated("x");
  const std::string stream = deflated(std::string(bytes, '\0'));
  for (int i = 0; i < deltas; ++i) {
    const std::size_t here = pack.size();
    std::uint64_t back = here - last;
    std::string offset(1, static_cast<char>(back & 0x7FU));
    while ((back >>= 7U) > 0)
      offset.insert(offset.begin(), static_cast<char>(0x80U | (--back & 0x7FU)));
    pack += entry_head(6, bytes) + offset + stream;
    last = here;
  }
  std::string index = "\xFFtOc" + big_endian(2);
  for (unsigned first = 0; first < 256; ++first) index += big_endian(first >= 0x11 ? 1 : 0);
  index += std::string(20, '\x11') + big_endian(0) + big_endian(static_cast<std::uint32_t>(last));
  index += std::string(40, '\0');
  fs::create_directories(objects / "pack");
  std::ofstream(objects / "pack/pack-1.pack", std::ios::binary) << pack;
  std::ofstream(objects / "pack/pack-1.idx", std::ios::binary) << index;
}

}  // namespace

TEST_CASE("git objects: a small pack cannot ask for gigabytes", "[sandbox]") {
  std::string name = "/tmp/ethos-git-XXXXXX";
  REQUIRE(::mkdtemp(name.data()) != nullptr);
  const std::unique_ptr<const std::string, void (*)(const std::string*)> guard(
      &name, [](const std::string* path) { fs::remove_all(*path); });
  const auto read = [&](int deltas, std::size_t bytes) {
    write_chain(name, deltas, bytes);
    CHECK(fs::file_size(name + "/pack/pack-1.pack") < 1'000'000);
    auto directory = ethos::base::open_path(name, O_PATH | O_DIRECTORY);
    REQUIRE(directory);
    const auto object = GitStore::open(std::move(*directory)).read(std::string(40, '1'));
    REQUIRE_FALSE(object);
    return object.error();
  };
  // Deltas of zeros fit no base; that is seen when they are applied.
  CHECK(read(3, 1 << 20).code == ethos::base::Errc::malformed);
  const auto refused = read(40, 4 << 20);
  CHECK(refused.code == ethos::base::Errc::too_large);
  CHECK(refused.message().find("64 MiB") != std::string::npos);
}

TEST_CASE("git objects: deltas", "[sandbox]") {
  using namespace std::string_literals;
  const std::string base = "0123456789";
  CHECK(*apply_git_delta(base, "\x0A\x05\x91\x02\x03\x02xy"s) == "234xy");
  CHECK_FALSE(apply_git_delta(base, "\x09\x05\x91\x02\x05"s));  // another base
  CHECK_FALSE(apply_git_delta(base, "\x0A\x05\x91\x08\x05"s));  // beyond the base
  CHECK_FALSE(apply_git_delta(base, "\x0A\x04\x91\x02\x05"s));  // larger than it says
  CHECK_FALSE(apply_git_delta(base, "\x0A\x06\x91\x02\x05"s));  // smaller
  CHECK_FALSE(apply_git_delta(base, "\x0A\x05\x00"s));          // reserved
  CHECK_FALSE(apply_git_delta(base, "\x0A\x05\x05xy"s));        // cut off
  CHECK_FALSE(apply_git_delta(base, ""s));
  CHECK_FALSE(apply_git_delta(base, "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"s));
}
