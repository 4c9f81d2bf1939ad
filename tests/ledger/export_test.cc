// SPDX-License-Identifier: Apache-2.0
// Exports: envelopes that DSSE readers take, events that lead back to their records.
#include <filesystem>
#include <map>
#include <sstream>

#include "ledger/base/base64.h"
#include "ledger/base/file_io.h"
#include "ledger/base/hex.h"
#include "ledger/commands/commands.h"
#include "ledger/record/canonical_json.h"
#include "ledger/record/dsse.h"
#include "ledger/record/json_document.h"
#include "ledger/record/json_text.h"
#include "ledger/record/sha256.h"
#include "tests/ledger/ledger_fixture.h"

using namespace ethos;
using namespace ethos::support;
using record::Json;
namespace fs = std::filesystem;

namespace {

struct Outcome {
  int status;
  std::string out;
  std::string err;
};

Outcome call(std::vector<std::string> args) {
  std::ostringstream out;
  std::ostringstream err;
  const int status = ledger::run(args, out, err, [](const std::string&) { return std::nullopt; });
  return {status, out.str(), err.str()};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

Json parse(const std::string& text) {
  auto json = record::parse_document(text);
  REQUIRE(json);
  return std::move(*json);
}

const Json& at(const Json& json, std::initializer_list<const char*> path) {
  const Json* here = &json;
  for (const char* key : path) {
    here = here->find(key);
    CAPTURE(key);
    REQUIRE(here != nullptr);
  }
  return *here;
}

// Two runs that interleave: one clean with a file, one with a denial and exit code 3; and one open.
struct Story {
  LedgerFixture f;
  ledger::RunChain clean = new_run();
  ledger::RunChain denied = new_run();
  ledger::RunChain open = new_run();
  std::string key = f.dir.file("signer.key");
  std::optional<record::SigningKey> signer;

  Story() {
    auto appender = f.appender();
    const std::string opening =
        R"({"caller":{"gid":5,"pid":7,"uid":1000},"exe":{"path":{"base":"system","path":"usr/bin/tool"},"sha256":"sha256:)" +
        std::string(64, 'a') + R"("},"product":"9.9","tool":"tool"})";
    ledger::CommitRequest request;
    request.records = {
        pending("run.open", &clean, opening),
        pending("run.open", &denied, opening),
        pending("capability.grant", &clean, R"({"cap":"network","mode":"none"})"),
        pending(
            "artifact.exported", &clean,
            R"({"action":"created","path":{"base":"workspace","path":"out/f"},"sha256":"sha256:)" +
                std::string(64, 'b') + R"(","size":"3","type":"file"})"),
        pending(
            "runtime.sandbox_denial", &denied,
            R"({"count":2,"object":{"address":"192.0.2.1:443"},"operation":"connect","outcome":"denied"})"),
        pending(
            "runtime.sandbox_denial", &denied,
            R"({"count":1,"object":{"base":"host","path":{"c":"TH9a1Ur8ahqxqYSvgPanngHzKJvQL/OjiD8M1sR9V8I=","kind":"path","n":26}},"operation":"openat","outcome":"attempt"})"),
        pending("run.close", &denied, R"({"ended_by":"tool","exit":{"code":3}})"),
        pending("run.close", &clean, R"({"ended_by":"tool","exit":{"code":0}})"),
        pending("run.open", &open, opening)};
    REQUIRE(appender.commit(request));
    signer.emplace(*record::SigningKey::generate("signer.example"));
    const record::SecretBytes text = signer->file_text();
    REQUIRE(base::create_file(key, text.bytes(), 0600));
  }
};

}  // namespace

TEST_CASE("export: two signed statements a run that ended", "[ledger][export]") {
  const Story s;
  const auto done = call({"export", "--format", "dsse", "--key", s.key, "--ledger",
                          s.f.files.database, "-o", s.f.dir.file("out")});
  CAPTURE(done.err);
  REQUIRE(done.status == 0);
  CHECK(done.err.find("4 envelopes; go on with --from 10") != std::string::npos);
  const auto lines = lines_of(read_text(s.f.dir.file("out")));
  REQUIRE(lines.size() == 4);
  const auto records = s.f.records();
  std::vector<Json> statements;
  for (const std::string& line : lines) {
    auto body = record::open_envelope(line, record::kInTotoType, s.signer->public_key());
    REQUIRE(body);
    statements.push_back(parse(*body));
    CHECK(*statements.back().find_string("_type") == "https://in-toto.io/Statement/v1");
    // Any flipped bit of the payload, and any other key, is noticed.
    const auto other = record::SigningKey::generate("signer.example");
    CHECK_FALSE(record::open_envelope(line, record::kInTotoType, other->public_key()));
    CHECK_FALSE(record::open_envelope(line, "text/plain", s.signer->public_key()));
    std::string changed = line;
    changed[line.find("\"payload\":\"") + 15] ^= 1;
    CHECK_FALSE(record::open_envelope(changed, record::kInTotoType, s.signer->public_key()));
  }
  // The run that ended first comes first.
  CHECK(at(statements[0], {"predicate", "monitoredProcess", "event"}).as_string() ==
        s.denied.id.text());
  CHECK(*statements[0].find_string("predicateType") ==
        "https://in-toto.io/attestation/runtime-trace/v0.1");
  CHECK(*statements[1].find_string("predicateType") ==
        "https://in-toto.io/attestation/test-result/v0.1");
  CHECK(at(statements[1], {"predicate", "result"}).as_string() == "FAILED");
  CHECK(at(statements[3], {"predicate", "result"}).as_string() == "PASSED");
  CHECK(at(statements[1], {"predicate", "warnedTests"}).items().size() == 1);
  const Json& network = at(statements[0], {"predicate", "monitorLog", "network"});
  REQUIRE(network.items().size() == 1);
  CHECK(*network.items()[0].find_string("address") == "192.0.2.1:443");
  // Subjects: the record that ends the run, and what it brought out.
  const Json& subjects = at(statements[2], {"subject"});
  REQUIRE(subjects.items().size() == 2);
  record::Sha256 hash;
  hash.update(base::as_bytes(records[8]));
  CHECK(at(subjects.items()[0], {"digest", "sha256"}).as_string() == hash.finish().hex());
  CHECK(*subjects.items()[1].find_string("name") == "workspace:out/f");
  CHECK(at(subjects.items()[1], {"digest", "sha256"}).as_string() == std::string(64, 'b'));
  const Json& place = at(statements[2], {"predicate", "monitor", "configSource", "annotations"});
  CHECK(at(place, {"tree_size"}).as_integer() == 10);
  CHECK(at(place, {"root_hash"}).as_string() == s.f.reader().tail().checkpoint.root.base64());
  CHECK(at(place, {"last_leaf_hash"}).as_string() ==
        record::leaf_hash(base::as_bytes(records[8])).base64());
  CHECK(at(statements[2], {"predicate", "monitor", "tracePolicy", "grants"}).items().size() == 1);
}

TEST_CASE("export: only keys that are not the ledger's sign statements", "[ledger][export]") {
  const Story s;
  const auto with = [&](const std::string& key) {
    return call({"export", "--format", "dsse", "--key", key, "--ledger", s.f.files.database});
  };
  for (const std::string& key :
       {s.f.files.keys + "/epoch-0.key", s.f.files.database + ".root.key"}) {
    const auto refused = with(key);
    CAPTURE(key, refused.err);
    CHECK(refused.status == 3);
    CHECK(refused.out.empty());
    CHECK(refused.err.find("signs nothing but checkpoints") != std::string::npos);
  }
  fs::permissions(s.key, fs::perms::group_read, fs::perm_options::add);
  CHECK(with(s.key).status == 3);
  CHECK(with(s.f.dir.file("none")).status == 3);
  CHECK(call({"export", "--format", "dsse", "--ledger", s.f.files.database}).status == 2);
  CHECK(call({"export", "--format", "csv", "--ledger", s.f.files.database}).status == 2);
  CHECK(call({"export", "--ledger", s.f.files.database}).status == 2);
}

TEST_CASE("export: each event leads back to its record", "[ledger][export]") {
  const Story s;
  const auto done = call({"export", "--format", "ocsf", "--ledger", s.f.files.database});
  REQUIRE(done.status == 0);
  const auto lines = lines_of(done.out);
  const auto records = s.f.records();
  REQUIRE(lines.size() == records.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    CAPTURE(lines[i]);
    const Json event = parse(lines[i]);
    CHECK(*event.find_string("raw_data") == records[i]);
    const Json& place = at(event, {"unmapped", "ethos"});
    CHECK(at(place, {"seq"}).as_integer() == static_cast<std::int64_t>(i));
    CHECK(*place.find_string("leaf_hash") ==
          record::leaf_hash(base::as_bytes(records[i])).base64());
    CHECK(*place.find_string("origin") == s.f.reader().tail().checkpoint.origin);
    const std::int64_t class_uid = at(event, {"class_uid"}).as_integer();
    CHECK(at(event, {"type_uid"}).as_integer() ==
          class_uid * 100 + at(event, {"activity_id"}).as_integer());
    CHECK(at(event, {"category_uid"}).as_integer() == class_uid / 1000);
    for (const char* key : {"time", "severity_id", "metadata"}) CHECK(event.find(key) != nullptr);
    // What these classes require.
    if (class_uid != 0) CHECK((event.find("actor") != nullptr && event.find("device") != nullptr));
    if (class_uid == 1001) CHECK(event.find("file") != nullptr);
    if (class_uid == 1007) CHECK(event.find("process") != nullptr);
  }
  CHECK(at(parse(lines[5]), {"class_uid"}).as_integer() == 4001);
  CHECK(at(parse(lines[5]), {"disposition_id"}).as_integer() == 2);
  CHECK(at(parse(lines[6]), {"file", "path"}).as_string() == "host:(withheld)");
  CHECK(at(parse(lines[6]), {"disposition_id"}).as_integer() == 0);
  CHECK(at(parse(lines[7]), {"exit_code"}).as_integer() == 3);
  const auto one = call(
      {"export", "--format", "ocsf", "--run", s.clean.id.text(), "--ledger", s.f.files.database});
  CHECK(lines_of(one.out).size() == 4);
  const auto later =
      call({"export", "--format", "ocsf", "--from", "8", "--ledger", s.f.files.database});
  CHECK(later.out == lines[8] + "\n" + lines[9] + "\n");
}

TEST_CASE("export: exports that follow each other tell each run once", "[ledger][export]") {
  const Story s;
  const auto range = [&](const std::string& from, const std::string& to) {
    const auto done = call({"export", "--format", "dsse", "--key", s.key, "--from", from, "--to",
                            to, "--ledger", s.f.files.database});
    REQUIRE(done.status == 0);
    return done.out;
  };
  const std::string whole = range("0", "10");
  REQUIRE(lines_of(whole).size() == 4);
  for (std::uint64_t cut = 1; cut < 10; ++cut) {
    CAPTURE(cut);
    const std::string at = std::to_string(cut);
    CHECK(range("0", at) + range(at, "10") == whole);
  }
}

TEST_CASE("DSSE: published vectors", "[record][dsse]") {
  const std::string shared = shared_data();
  if (shared.empty()) {
    WARN("skipped: shared data not present");
    return;
  }
  const Json vectors = parse(read_text(shared + "/vectors/dsse/vectors.json"));
  CHECK(record::pre_authentication(at(vectors, {"official", "payloadType"}).as_string(),
                                   at(vectors, {"official", "body"}).as_string()) ==
        at(vectors, {"official", "pae"}).as_string());
  // Of the second set those with one key and a threshold of one.
  const Json set = parse(read_text(shared + "/schemas/dsse/vectors.json"));
  int accepted = 0;
  int refused = 0;
  for (const Json& vector : at(set, {"vectors"}).items()) {
    CAPTURE(*vector.find_string("id"));
    const Json& keys = at(vector, {"trustedKeys"});
    const Json* threshold = vector.find("threshold");
    if (keys.items().size() != 1 || threshold == nullptr || threshold->as_integer() != 1) continue;
    const Json& key = at(set, {"keys", keys.items()[0].as_string().c_str()});
    if (*key.find_string("algorithm") != "ed25519") continue;
    auto bytes = base::decode_hex(*key.find_string("public"));
    REQUIRE(bytes);
    auto signer = record::PublicKey::from_bytes("k", *bytes);
    REQUIRE(signer);
    const Json& types = at(vector, {"supportedPayloadTypes"});
    const auto body = record::open_envelope(record::json_text(at(vector, {"envelope"})),
                                            types.items()[0].as_string(), *signer);
    const bool is_good = *vector.find_string("expect") == "accept";
    CHECK(body.has_value() == is_good);
    (is_good ? accepted : refused) += 1;
  }
  CHECK(accepted > 0);
  CHECK(refused > 0);
}
