// SPDX-License-Identifier: Apache-2.0
#include "ledger/keystore.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "ledger/write_session.h"
#include "tests/ledger/ledger_fixture.h"

using namespace ethos;
using namespace ethos::support;
using base::Errc;
namespace fs = std::filesystem;

namespace {

// The epoch key is spoiled by `spoil`; the commit must be refused with a message that holds `says`.
template <typename Spoil>
void check_refused(const char* says, Spoil spoil) {
  LedgerFixture f;
  const std::string path = f.files.keys + "/epoch-0.key";
  const std::string secret = read_text(path);
  spoil(path);
  auto appender = f.appender();
  auto committed = commit_one(appender);
  CAPTURE(says);
  REQUIRE_FALSE(committed);
  const std::string message = committed.error().message();
  CAPTURE(message);
  CHECK(message.find(says) != std::string::npos);
  CHECK(message.find(secret.substr(secret.size() - 20)) == std::string::npos);
  CHECK(f.records().size() == 1);
}

}  // namespace

TEST_CASE("key file: each way to be unusable is refused for its own reason", "[ledger][keys]") {
  check_refused("No such file", [](const std::string& p) { fs::remove(p); });
  check_refused("group or others", [](const std::string& p) { ::chmod(p.c_str(), 0640); });
  check_refused("group or others", [](const std::string& p) { ::chmod(p.c_str(), 0604); });
  check_refused("symbolic link", [](const std::string& p) {
    fs::rename(p, p + ".real");
    fs::create_symlink(p + ".real", p);
  });
  check_refused("hard link", [](const std::string& p) { fs::create_hard_link(p, p + ".second"); });
  check_refused("not a regular file", [](const std::string& p) {
    fs::remove(p);
    ::mkfifo(p.c_str(), 0600);
  });
  check_refused("not a regular file", [](const std::string& p) {
    fs::remove(p);
    ::mkdir(p.c_str(), 0700);
  });
  check_refused("larger than 4096", [](const std::string& p) {
    write_text(p, read_text(p) + std::string(5000, '\n'));
  });
  check_refused("not one line", [](const std::string& p) { write_text(p, read_text(p) + "\n"); });
  check_refused("not one line", [](const std::string& p) { write_text(p, ""); });
  check_refused("not one line",
                [](const std::string& p) { write_text(p, "# comment\n" + read_text(p)); });
  check_refused("the id is not that of the key", [](const std::string& p) {
    std::string text = read_text(p);
    // Another seed under the same id.
    const std::size_t at = text.size() - 10;
    text[at] = text[at] == 'A' ? 'B' : 'A';
    write_text(p, text);
  });
  check_refused("not the key of this ledger's epoch", [](const std::string& p) {
    const LedgerFixture other;
    write_text(p, read_text(other.files.keys + "/epoch-0.key"));
  });
}

TEST_CASE("key directory: links, loose modes and files are refused", "[ledger][keys]") {
  LedgerFixture f;
  auto appender = f.appender();
  ::chmod(f.files.keys.c_str(), 0770);
  CHECK(code_of(commit_one(appender)) == Errc::refused);
  ::chmod(f.files.keys.c_str(), 0700);
  fs::rename(f.files.keys, f.files.keys + ".real");
  fs::create_directory_symlink(f.files.keys + ".real", f.files.keys);
  CHECK(code_of(commit_one(appender)) == Errc::refused);
  fs::remove(f.files.keys);
  write_text(f.files.keys, "");
  CHECK(code_of(commit_one(appender)) == Errc::refused);
  fs::remove(f.files.keys);
  CHECK(code_of(commit_one(appender)) == Errc::not_found);
  fs::rename(f.files.keys + ".real", f.files.keys);
  CHECK(commit_one(appender));
}

TEST_CASE("key file: another owner is refused", "[ledger][keys]") {
  if (::geteuid() != 0) {
    WARN("skipped: only root can give a file away");
    return;
  }
  check_refused("owned by another user",
                [](const std::string& p) { CHECK(::chown(p.c_str(), 12345, 12345) == 0); });
  check_refused("owned by another user", [](const std::string& p) {
    CHECK(::chown(fs::path(p).parent_path().c_str(), 12345, 12345) == 0);
  });
}

// Whoever finds an old secret can write another history from its epoch on.
TEST_CASE("key directory: old secrets that crashes left go at the next opening and the next rotation", "[ledger][keys]") {
  LedgerFixture f;
  const auto path = [&](const std::string& name) { return f.files.keys + "/" + name; };
  const std::string oldest = read_text(path("epoch-0.key"));
  const auto put_back = [&] {
    for (const char* name : {"epoch-0.key", "epoch-1.key", "epoch-2.agent"}) {
      write_text(path(name), oldest);
      ::chmod(path(name).c_str(), 0600);
    }
    // Not of this kind: none of ours to remove.
    for (const char* name : {"epoch-01.key", "epoch-1.key.old", "epoch-.key"}) write_text(path(name), "x");
  };
  const auto left = [&] {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(f.files.keys)) names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  };
  {
    auto appender = f.appender();
    for (int i = 0; i < 3; ++i) REQUIRE(appender.rotate(ledger::RotateReason::command));
    put_back();
    REQUIRE(appender.rotate(ledger::RotateReason::command));
  }
  CHECK(left() == std::vector<std::string>{"epoch-.key", "epoch-01.key", "epoch-1.key.old", "epoch-4.key"});
  put_back();
  REQUIRE(ledger::WriteSession::open(f.files, ""));
  CHECK(left() == std::vector<std::string>{"epoch-.key", "epoch-01.key", "epoch-1.key.old", "epoch-4.key"});
}
