// SPDX-License-Identifier: Apache-2.0
// Keys and their ends: sealed secrets, an ssh-agent, revocation, seal, fork, a ledger that goes on
// from another.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <thread>

#include "ledger/base/random.h"
#include "ledger/commands/commands.h"
#include "ledger/fork.h"
#include "ledger/keystore.h"
#include "ledger/record/pin.h"
#include "ledger/record/record.h"
#include "ledger/record/sealed_key.h"
#include "ledger/revocation.h"
#include "ledger/seal.h"
#include "ledger/ssh_agent.h"
#include "tests/ledger/ledger_fixture.h"

using namespace ethos;
using namespace ethos::support;
using base::Errc;
namespace fs = std::filesystem;

namespace {

// The least that the library allows: a test guesses no passphrases.
constexpr record::SealStrength kWeak{1, 8192};

std::shared_ptr<const record::SecretBytes> passphrase(const std::string& text) {
  return std::make_shared<const record::SecretBytes>(base::as_bytes(text));
}

std::string slurp(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct Outcome {
  int status;
  std::string out;
  std::string err;
};

Outcome call(const std::vector<std::string>& args, const std::string& agent = {}) {
  std::ostringstream out;
  std::ostringstream err;
  const int status =
      ledger::run(args, out, err, [&](const std::string& name) -> std::optional<std::string> {
        if (name == "SSH_AUTH_SOCK" && !agent.empty()) return agent;
        return std::nullopt;
      });
  return {status, out.str(), err.str()};
}

// A ledger with the given way to its keys.
struct KeyFixture {
  explicit KeyFixture(ledger::KeyAccess access = {},
                      ledger::CreateOptions options = {"test.example", {}, {}}) {
    files.access = std::move(access);
    auto made = ledger::create_ledger(files, options, clock);
    REQUIRE(made);
    created.emplace(std::move(*made));
  }
  [[nodiscard]] ledger::Appender appender() const {
    auto opened = ledger::Appender::open(files, clock);
    REQUIRE(opened);
    return std::move(*opened);
  }
  TempDir dir;
  ledger::LedgerFiles files = ledger::LedgerFiles::at(dir.file("ledger.db"));
  FakeClock clock;
  std::optional<ledger::Created> created;
};

// A real ssh-agent with two keys.
struct Agent {
  Agent() {
    socket = dir.file("agent");
    pid = ::fork();
    if (pid == 0) {
      ::execlp("ssh-agent", "ssh-agent", "-D", "-a", socket.c_str(), nullptr);
      ::_exit(127);
    }
    for (int i = 0; i < 500 && !fs::exists(socket); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    for (const char* name : {"a", "b"}) {
      const std::string key = dir.file(name);
      is_good = is_good && run("ssh-keygen -q -t ed25519 -N '' -C test -f " + key) == 0 &&
                run("SSH_AUTH_SOCK=" + socket + " ssh-add -q " + key + " 2>/dev/null") == 0;
      // The agent alone holds it from now on.
      fs::remove(key);
    }
  }
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;
  ~Agent() { stop(); }
  void stop() {
    if (pid > 0) {
      ::kill(pid, SIGKILL);
      ::waitpid(pid, nullptr, 0);
    }
    pid = -1;
  }
  static int run(const std::string& line) { return std::system(line.c_str()); }  // NOLINT
  [[nodiscard]] std::string public_file(const char* name) const {
    return dir.file(std::string(name) + ".pub");
  }
  [[nodiscard]] ledger::RawPublicKey key(const char* name) const {
    auto parsed = ledger::parse_ssh_public_key(slurp(public_file(name)));
    REQUIRE(parsed);
    return *parsed;
  }
  TempDir dir;
  std::string socket;
  pid_t pid = -1;
  bool is_good = true;
};

bool has_agent() {
  return std::system("command -v ssh-agent ssh-add ssh-keygen >/dev/null 2>&1") == 0;  // NOLINT
}

}  // namespace

TEST_CASE("sealed key: opens with its passphrase and with nothing else", "[ledger][keys]") {
  auto key = record::SigningKey::generate("a/ethos/x");
  auto sealed = record::seal_key(*key, base::as_bytes("open sesame"), kWeak);
  REQUIRE(sealed);
  CHECK(record::is_sealed_key(*sealed));
  CHECK(sealed->find(key->public_key().text()) != std::string::npos);
  const record::SecretBytes plain = key->file_text();
  CHECK(sealed->find(base::as_text(plain.bytes())) == std::string::npos);
  auto opened = record::unseal_key(*sealed, base::as_bytes("open sesame"));
  REQUIRE(opened);
  CHECK(opened->file_text().equals(plain.bytes()));
  CHECK(record::unseal_key(*sealed, base::as_bytes("open sesamE")).error().code == Errc::refused);
  CHECK_FALSE(record::unseal_key(*sealed, {}));
  CHECK_FALSE(record::seal_key(*key, {}, kWeak));
  // Every byte counts, those that are not secret too.
  for (std::size_t i = 0; i < sealed->size(); ++i) {
    std::string changed = *sealed;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    CAPTURE(i, sealed->substr(i, 20));
    CHECK_FALSE(record::unseal_key(changed, base::as_bytes("open sesame")));
    CHECK_FALSE(record::unseal_key(sealed->substr(0, i), base::as_bytes("open sesame")));
  }
  const auto with_method = [&](const std::string& method) {
    std::istringstream in(*sealed);
    std::string out;
    int n = 0;
    for (std::string line; std::getline(in, line); ++n) out += (n == 2 ? method : line) + "\n";
    return record::unseal_key(out, base::as_bytes("open sesame"));
  };
  for (const char* method :
       {"argon2id 17 8192 MDEyMzQ1Njc4OWFiY2RlZg==", "argon2id 0 8192 MDEyMzQ1Njc4OWFiY2RlZg==",
        "argon2id 1 99999999999 MDEyMzQ1Njc4OWFiY2RlZg==", "argon2id 1 1 MDEyMzQ1Njc4OWFiY2RlZg==",
        "argon2id 1 8192 MDEy", "scrypt 1 8192 MDEyMzQ1Njc4OWFiY2RlZg==", "argon2id 1 8192", ""}) {
    CAPTURE(method);
    CHECK(with_method(method).error().code == Errc::malformed);
  }
}

TEST_CASE("sealed secrets: written and rotated sealed, refused without the passphrase",
          "[ledger][keys]") {
  const KeyFixture f({passphrase("secret words"), {}, kWeak});
  CHECK(record::is_sealed_key(slurp(f.files.keys + "/epoch-0.key")));
  CHECK(record::is_sealed_key(slurp(f.files.root_key())));
  auto appender = f.appender();
  REQUIRE(commit_one(appender));
  REQUIRE(appender.rotate(ledger::RotateReason::command));
  CHECK(record::is_sealed_key(slurp(f.files.keys + "/epoch-1.key")));
  CHECK_FALSE(fs::exists(f.files.keys + "/epoch-0.key"));
  REQUIRE(commit_one(appender));
  ledger::LedgerFiles without = f.files;
  without.access.passphrase = nullptr;
  auto closed = ledger::Appender::open(without, f.clock);
  auto refused = commit_one(*closed);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == Errc::refused);
  CHECK(refused.error().what.find("sealed") != std::string::npos);
  without.access.passphrase = passphrase("other words");
  auto wrong = ledger::Appender::open(without, f.clock);
  CHECK(commit_one(*wrong).error().code == Errc::refused);
}

TEST_CASE("ssh-agent: signs checkpoints, and only while it is there", "[ledger][keys]") {
  if (!has_agent()) {
    WARN("skipped: no ssh-agent");
    return;
  }
  Agent agent;
  REQUIRE(agent.is_good);
  ledger::CreateOptions options{"test.example", {}, {}};
  options.agent_key = agent.key("a");
  KeyFixture f({nullptr, agent.socket, {}}, options);
  CHECK_FALSE(fs::exists(f.files.keys + "/epoch-0.key"));
  CHECK(fs::exists(f.files.keys + "/epoch-0.agent"));
  auto appender = f.appender();
  auto first = commit_one(appender);
  REQUIRE(first);
  // Anybody checks it like any other signature.
  auto key = record::PublicKey::from_bytes(f.created->pin.origin.text(), agent.key("a"));
  REQUIRE(key);
  auto note = record::parse_note(first->checkpoint_note);
  CHECK(record::verify_note(*note, std::span(&*key, 1)));
  // No rotation by itself: which key of the agent comes next is not the writer's to say.
  f.clock.advance_ms(std::int64_t{30} * 24 * 3600 * 1000);
  REQUIRE(commit_one(appender));
  CHECK(fs::exists(f.files.keys + "/epoch-0.agent"));
  // To another of its keys, and back to a file.
  REQUIRE(appender.rotate_to_agent(agent.key("b")));
  CHECK(fs::exists(f.files.keys + "/epoch-1.agent"));
  CHECK_FALSE(fs::exists(f.files.keys + "/epoch-0.agent"));
  REQUIRE(commit_one(appender));
  CHECK_FALSE(appender.rotate_to_agent(base::random_bytes<32>()));
  agent.stop();
  auto alone = commit_one(appender);
  REQUIRE_FALSE(alone);
  CHECK(alone.error().what.find("ssh-agent") != std::string::npos);
  auto unset = f.files;
  unset.access.agent_socket.clear();
  auto without = ledger::Appender::open(unset, f.clock);
  CHECK(commit_one(*without).error().what.find("SSH_AUTH_SOCK") != std::string::npos);
}

TEST_CASE("ssh-agent: keys of other kinds and odd agents are refused", "[ledger][keys]") {
  CHECK(ledger::parse_ssh_public_key(
      "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl me"));
  CHECK(ledger::parse_ssh_public_key("ssh-rsa AAAAB3NzaC1yc2E= me").error().code ==
        Errc::unsupported);
  for (const char* line : {"", "ssh-ed25519", "ssh-ed25519 !!!", "ssh-ed25519 AAAA",
                           "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMq"}) {
    CAPTURE(line);
    CHECK_FALSE(ledger::parse_ssh_public_key(line));
  }
  CHECK_FALSE(ledger::sign_by_agent("/nowhere/agent", {}, {}));
  CHECK(ledger::sign_by_agent("", {}, {}).error().code == Errc::not_found);
}

TEST_CASE("revoke: by the offline root key, in three steps", "[ledger][keys][revoke]") {
  const KeyFixture f;
  auto appender = f.appender();
  for (int i = 0; i < 4; ++i) REQUIRE(commit_one(appender));
  auto root = ledger::read_secret_key(f.files.root_key(), nullptr);
  REQUIRE(root);
  auto revocation = ledger::prepare_revocation(f.files, 3, f.clock);
  REQUIRE(revocation);
  const std::string text = ledger::encode_revocation(*revocation);
  auto again = ledger::parse_revocation(text);
  REQUIRE(again);
  CHECK(ledger::encode_revocation(*again) == text);
  auto note = ledger::sign_revocation(*again, *root);
  REQUIRE(note);
  // Preparing changes nothing: the present key still signs.
  REQUIRE(commit_one(appender));

  SECTION("recorded: the new key alone signs, the old one is removed") {
    // The present secret is not needed: it may be lost.
    fs::remove(f.files.keys + "/epoch-0.key");
    auto done = ledger::revoke(f.files, f.clock, *note);
    REQUIRE(done);
    auto reader = ledger::LedgerReader::open(f.files);
    CHECK(reader->size() == 8);
    auto signed_note = record::parse_note(reader->tail().note);
    REQUIRE(signed_note->signatures.size() == 1);
    CHECK(record::verify_note(*signed_note, std::span(&revocation->next, 1)));
    auto last = record::parse_record(*reader->record_bytes(7));
    CHECK(*last->body.find_string("reason") == "revoked");
    CHECK(*last->body.find_string("vkey") == revocation->next.text());
    auto before = record::parse_record(*reader->record_bytes(6));
    CHECK(*before->body.find_string("note") == *note);
    CHECK(fs::exists(f.files.keys + "/epoch-1.key"));
    REQUIRE(commit_one(appender));
    // The same note does not revoke twice.
    CHECK(ledger::revoke(f.files, f.clock, *note).error().code == Errc::mismatch);
  }
  SECTION("refused: another key signed, other bytes, another ledger, an old preparation") {
    auto other = record::SigningKey::generate(root->public_key().name());
    auto forged = ledger::sign_revocation(*again, *other);
    CHECK_FALSE(ledger::revoke(f.files, f.clock, *forged));
    std::string changed = *note;
    changed.replace(changed.find("\n3\n"), 3, "\n4\n");
    CHECK(ledger::revoke(f.files, f.clock, changed).error().code == Errc::mismatch);
    const KeyFixture another;
    CHECK_FALSE(ledger::revoke(another.files, another.clock, *note));
    CHECK_FALSE(ledger::sign_revocation(
        *again, *ledger::read_secret_key(another.files.root_key(), nullptr)));
    REQUIRE(ledger::prepare_revocation(f.files, {}, f.clock));
    CHECK(ledger::revoke(f.files, f.clock, *note).error().code == Errc::mismatch);
    CHECK(ledger::prepare_revocation(f.files, 99, f.clock).error().code == Errc::usage);
    CHECK(ledger::LedgerReader::open(f.files)->size() == 6);
    REQUIRE(commit_one(appender));
  }
}

TEST_CASE("revocation text: every line counts", "[ledger][keys][revoke]") {
  const std::string good = slurp(std::string(ETHOS_TEST_DATA) + "/ledger/example.revoke");
  auto note = record::parse_note(good);
  REQUIRE(note);
  auto parsed = ledger::parse_revocation(note->text);
  REQUIRE(parsed);
  CHECK(ledger::encode_revocation(*parsed) == note->text);
  std::vector<std::string> lines;
  std::istringstream in(note->text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  const auto joined = [](const std::vector<std::string>& parts) {
    std::string out;
    for (const std::string& part : parts) out += part + "\n";
    return out;
  };
  for (std::size_t i = 0; i < lines.size(); ++i) {
    auto missing = lines;
    missing.erase(missing.begin() + static_cast<std::ptrdiff_t>(i));
    CHECK_FALSE(ledger::parse_revocation(joined(missing)));
    auto empty = lines;
    empty[i].clear();
    CHECK_FALSE(ledger::parse_revocation(joined(empty)));
    auto longer = lines;
    longer[i] += "x";
    CHECK_FALSE(ledger::parse_revocation(joined(longer)));
  }
  auto same = lines;
  same[3] = same[2];
  CHECK_FALSE(ledger::parse_revocation(joined(same)));
  CHECK_FALSE(ledger::parse_revocation(note->text + "more\n"));
}

TEST_CASE("seal: the end; nothing comes after it", "[ledger][keys][seal]") {
  LedgerFixture f;
  auto appender = f.appender();
  auto run = new_run();
  ledger::CommitRequest open;
  open.records.push_back(pending("run.open", &run));
  REQUIRE(appender.commit(open));
  auto refused = ledger::seal(appender, {"moved", "ops"}, ledger::OpenRuns::refuse);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == Errc::refused);
  CHECK(refused.error().what.find(run.id.text()) != std::string::npos);
  ledger::CommitRequest close;
  close.records.push_back(pending("run.close", &run));
  REQUIRE(appender.commit(close));
  REQUIRE(commit_one(appender));
  CHECK(ledger::seal(appender, {"", "ops"}, ledger::OpenRuns::accept).error().code == Errc::usage);
  auto sealed = ledger::seal(appender, {"moved", "ops"}, ledger::OpenRuns::accept);
  REQUIRE(sealed);
  auto last = record::parse_record(f.records().back());
  CHECK(last->header.type == "ledger.seal");
  CHECK(last->body.find("closed")->as_integer() == 1);
  CHECK(last->body.find("open")->as_integer() == 1);
  for (const auto& tried : {commit_one(appender), appender.rotate(ledger::RotateReason::command)}) {
    REQUIRE_FALSE(tried);
    CHECK(tried.error().code == Errc::refused);
    CHECK(tried.error().what.find("sealed") != std::string::npos);
  }
}

TEST_CASE("fork: two signed notes convict; what is not signed proves nothing",
          "[ledger][keys][fork]") {
  LedgerFixture f;
  auto appender = f.appender();
  for (int i = 0; i < 3; ++i) REQUIRE(commit_one(appender));
  // The same ledger goes on in two places: an honest operator never does that.
  const TempDir elsewhere;
  const std::string copy = elsewhere.file("ledger.db");
  for (const char* suffix : {"", "-wal", ".keys"})
    if (fs::exists(f.files.database + suffix))
      fs::copy(f.files.database + suffix, copy + suffix, fs::copy_options::recursive);
  const auto other_files = ledger::LedgerFiles::at(copy);
  auto other = ledger::Appender::open(other_files, f.clock);
  REQUIRE(other);
  const std::string common = f.reader().tail().note;
  auto here = commit_one(appender);
  auto there = commit_one(*other);
  REQUIRE(here);
  REQUIRE(there);
  using Outcome = ledger::Comparison::Outcome;
  CHECK(ledger::compare_checkpoint(f.reader(), common)->outcome == Outcome::consistent);
  CHECK(ledger::compare_checkpoint(f.reader(), here->checkpoint_note)->outcome ==
        Outcome::consistent);
  auto fork = ledger::compare_checkpoint(f.reader(), there->checkpoint_note);
  REQUIRE(fork);
  CHECK(fork->outcome == Outcome::fork);
  CHECK(fork->ours == here->checkpoint_note);
  auto further = commit_one(*other);
  CHECK(ledger::compare_checkpoint(f.reader(), further->checkpoint_note)->outcome ==
        Outcome::ahead);
  // After a rotation the old key speaks for the old sizes only.
  REQUIRE(appender.rotate(ledger::RotateReason::command));
  REQUIRE(commit_one(appender));
  CHECK(ledger::compare_checkpoint(f.reader(), there->checkpoint_note)->outcome == Outcome::fork);
  const auto reader = f.reader();
  CHECK(ledger::compare_checkpoint(reader, reader.tail().note)->outcome == Outcome::consistent);
  auto handover = reader.checkpoint_at(6);
  REQUIRE(*handover);
  CHECK(ledger::compare_checkpoint(reader, (*handover)->note)->outcome == Outcome::consistent);
  // Signed by nobody we know, of another ledger, no note at all.
  auto stranger = record::SigningKey::generate(reader.tail().checkpoint.origin);
  const std::array<const record::SigningKey*, 1> signers{&*stranger};
  auto forged = record::sign_note(
      record::encode_checkpoint({reader.tail().checkpoint.origin, 4, {}}), signers);
  CHECK_FALSE(ledger::compare_checkpoint(reader, *forged));
  const LedgerFixture another;
  CHECK(ledger::compare_checkpoint(another.reader(), common).error().code == Errc::mismatch);
  CHECK_FALSE(ledger::compare_checkpoint(reader, "no note\n"));
  // The command prints both.
  const std::string file = elsewhere.file("note");
  std::ofstream(file) << there->checkpoint_note;
  const auto told = call({"fork", "--ledger", f.files.database, file});
  CHECK(told.status == 3);
  CHECK(told.out == there->checkpoint_note + "\n" + here->checkpoint_note);
  std::ofstream(file) << further->checkpoint_note;
  CHECK(call({"fork", "--ledger", copy, file}).status == 0);
}

TEST_CASE("init --continues: a restored backup is a new ledger that names the old one",
          "[ledger][keys][cli]") {
  LedgerFixture f;
  auto appender = f.appender();
  REQUIRE(commit_one(appender));
  const auto tail = f.reader().tail().checkpoint;
  const std::string fresh = f.dir.file("next.db");
  const auto made = call(
      {"init", "--ledger", fresh, "--origin", "test.example", "--continues", f.files.database});
  REQUIRE(made.status == 0);
  auto reader = ledger::LedgerReader::open(ledger::LedgerFiles::at(fresh));
  auto genesis = record::parse_record(*reader->record_bytes(0));
  const record::Json* previous = genesis->body.find("previous");
  REQUIRE(previous != nullptr);
  CHECK(*previous->find_string("origin") == tail.origin);
  CHECK(*previous->find_string("root") == tail.root.base64());
  CHECK(previous->find("size")->as_integer() == static_cast<std::int64_t>(tail.size));
  CHECK(reader->tail().checkpoint.origin != tail.origin);
  CHECK(
      call({"init", "--ledger", f.dir.file("x.db"), "--continues", f.dir.file("none.db")}).status ==
      3);
}

TEST_CASE("ethos-ledger: the life of keys as commands", "[ledger][keys][cli][slow]") {
  const TempDir dir;
  const std::string words = dir.file("words");
  std::ofstream(words) << "correct horse\nnot this line\n";
  const std::string root = dir.file("root.key");
  const auto made = call({"new-root", "--origin", "ci.example.com", "-o", root});
  REQUIRE(made.status == 0);
  const std::string vkey = made.out.substr(0, made.out.size() - 1);
  CHECK(call({"new-root", "--origin", "ci.example.com", "-o", root}).status == 3);  // never twice
  const std::string db = dir.file("l.db");
  const auto init = call({"init", "--ledger", db, "--root-vkey", vkey});
  REQUIRE(init.status == 0);
  CHECK(init.err.find("root key online") == std::string::npos);
  CHECK_FALSE(fs::exists(db + ".root.key"));
  CHECK(call({"seal-key", root}).status == 2);
  REQUIRE(call({"seal-key", root, "--passphrase-file", words}).status == 0);
  CHECK(record::is_sealed_key(slurp(root)));
  CHECK(call({"seal-key", root, "--passphrase-file", words}).status == 3);  // sealed already
  const std::string text = dir.file("text");
  const std::string note = dir.file("note");
  REQUIRE(call({"revoke", "--prepare", "--ledger", db, "-o", text}).status == 0);
  CHECK(call({"sign-revocation", "--root-key", root, text, "-o", note}).status == 3);
  REQUIRE(
      call({"sign-revocation", "--root-key", root, text, "-o", note, "--passphrase-file", words})
          .status == 0);
  const auto revoked = call({"revoke", "--note", note, "--ledger", db});
  CHECK(revoked.status == 0);
  CHECK(revoked.out.starts_with("epoch 1 began with record 2\n"));
  CHECK(call({"revoke", "--ledger", db}).status == 2);
  REQUIRE(call({"unseal-key", root, "--passphrase-file", words}).status == 0);
  const auto once = call({"revoke", "--root-key", root, "--ledger", db, "--last-trusted", "2"});
  CHECK(once.status == 0);
  CHECK(call({"rotate", "--ledger", db}).status == 0);
  CHECK(
      call({"rotate", "--ledger", db, "--passphrase-file", words, "--passphrase-fd", "0"}).status ==
      2);
  const auto sealed =
      call({"seal", "--ledger", db, "--reason", "moved", "--authority", "operations"});
  CHECK(sealed.status == 0);
  CHECK(record::parse_note(sealed.out));
  CHECK(call({"rotate", "--ledger", db}).status == 3);
}
