// SPDX-License-Identifier: Apache-2.0
// The short cuts give what the long way gives.
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "tests/verify/support/ledger_maker.h"
#include "verify/batch.h"
#include "verify/hash_many.h"
#include "verify/quick_record.h"
#include "verify/schema.h"
#include "verify/tree.h"

using namespace ethos::verify;
using ethos::support::Json;
using ethos::support::LedgerMaker;
using ethos::support::RunChoices;

namespace {

bool same(const Envelope& a, const Envelope& b) {
  return a.body == b.body && a.ledger == b.ledger && a.prev == b.prev && a.run == b.run && a.run_prev == b.run_prev &&
         a.boot == b.boot && a.type_name == b.type_name && a.seq == b.seq && a.run_seq == b.run_seq &&
         a.wall_ms == b.wall_ms && a.mono_ns == b.mono_ns && a.type == b.type && a.writer == b.writer;
}

// A yes of the quick reader is a yes of the two slow ones; says whether it was one.
bool agrees(const std::string& bytes, const Envelope& before) {
  Envelope quick;
  BodyFacts facts;
  if (!quick_record(bytes, before, quick, facts)) return false;
  CAPTURE(bytes);
  const RecordScan slow = scan_record(bytes);
  REQUIRE(slow.fault == RecordFault::none);
  CHECK(same(quick, slow.envelope));
  const BodyFacts slow_facts = facts_of(quick.type, View(quick.body));
  CHECK(facts.acts == slow_facts.acts);
  CHECK(facts.is_setup == slow_facts.is_setup);
  CHECK(facts.is_refused == slow_facts.is_refused);
  CHECK(facts.is_audit == slow_facts.is_audit);
  CHECK(facts.call == slow_facts.call);
  CHECK(facts.contradiction == slow_facts.contradiction);
  std::size_t commitments = 0;
  for_each_commitment(View(quick.body), [&](const View&) { ++commitments; });
  CHECK((commitments == 0 || !facts.has_no_commitment));
  CHECK_FALSE(check_body(quick.type, View(quick.body), quick.ledger).any());
  return true;
}

// One run with a record of each type that comes after the start.
std::vector<std::string> run_records(const std::string& vector) {
  LedgerMaker ledger;
  RunChoices choices;
  choices.vector = vector;
  choices.close = false;
  choices.denials = 2;
  add_run(ledger, choices);
  const Json place = {{"base", "workspace"}, {"path", "out/report.txt"}};
  const Json odd = {{"base", "workspace"}, {"path_b64", "/w=="}};
  const auto add = [&](const char* type, const Json& body) { ledger.add(type, body, choices.run); };
  add("runtime.sandbox_denial", {{"cause", "no \"grant\""}, {"count", 3}, {"errno", 13}, {"mark", "A"}, {"object", odd},
                                 {"operation", "openat"}, {"outcome", "denied"}, {"phase", "run"}, {"source", "seccomp"},
                                 {"syscall", {{"arch", "x86_64"}, {"nr", 257}}}});
  add("runtime.sandbox_denial", {{"count", 1}, {"errno", 1}, {"mark", "K"}, {"object", {{"address", "10.0.0.1:80"}}},
                                 {"operation", "connect"}, {"outcome", "attempt"}, {"phase", "run"}, {"source", "landlock_audit"}});
  add("resource.limit", {{"action", "killed"}, {"enforced_by", "cgroup"}, {"limit", "memory_bytes"}, {"mark", "K"},
                         {"observed", "1048576"}, {"source", "memory.events"}, {"value", "1000000"}});
  add("artifact.exported", {{"action", "created"}, {"grant", place}, {"path", place}, {"size", "12"}, {"type", "file"},
                            {"sha256", "sha256:" + std::string(64, 'a')}});
  add("output.captured", {{"bytes", "5"}, {"data", ledger.commit("output", "hello")}, {"stream", "stdout"}, {"truncated", false}});
  add("run.gap", {{"lost", "7"}, {"reason", "flood"}, {"source", "seccomp"}});
  add("run.abort", {{"reason", "supervisor_gone"}});
  std::vector<std::string> out;
  for (const auto& record : ledger.records) out.push_back(record.bytes);
  return out;
}

}  // namespace

TEST_CASE("quick record: what it accepts is what the slow readers accept", "[verify][property]") {
  std::mt19937 random(20240601);
  const std::string letters = "\"\\{}[],:0123456789-+/=azAZ_nut \x01\x7f\xc3\xa9.";
  std::size_t quick = 0;
  std::size_t changed_and_quick = 0;
  for (const std::string vector : {"01-defaults", "02-linter"}) {
    const std::vector<std::string> records = run_records(vector);
    Envelope before;
    for (std::size_t i = 0; i < records.size(); ++i) {
      const std::string& good = records[i];
      if (agrees(good, before)) ++quick;
      agrees(good, Envelope());
      for (int n = 0; n < 3000; ++n) {
        std::string bad = good;
        const std::size_t at = random() % bad.size();
        switch (random() % 4) {
          case 0: bad[at] = letters[random() % letters.size()]; break;
          case 1: bad.erase(at, 1 + random() % 3); break;
          case 2: bad.insert(at, 1, letters[random() % letters.size()]); break;
          default: bad.insert(at, bad.substr(random() % bad.size(), random() % 12)); break;
        }
        if (agrees(bad, before)) ++changed_and_quick;
      }
      const RecordScan scan = scan_record(good);
      if (scan.fault == RecordFault::none) before = scan.envelope;
    }
  }
  // Both ways were walked: else nothing was compared.
  CHECK(quick > 20);
  CHECK(changed_and_quick > 100);
}

TEST_CASE("quick record: the writer of the record before", "[verify][property]") {
  const std::string writer = R"({"exe":"sha256:)" + std::string(64, '5') + R"(","gid":7,"pid":8,"uid":9})";
  std::vector<std::string> records = run_records("01-defaults");
  for (std::string& record : records) record.insert(record.size() - 1, ",\"writer\":" + writer);
  std::mt19937 random(5);
  std::size_t quick = 0;
  Envelope before;
  for (const std::string& good : records) {
    // Nobody wrote before: the slow way.
    CHECK_FALSE(agrees(good, Envelope()));
    if (!before.writer.empty() && agrees(good, before)) ++quick;
    for (int n = 0; n < 300; ++n) {
      std::string bad = good;
      const std::size_t at = bad.size() - 1 - random() % 200;
      const std::size_t size = 1 + random() % 3;
      if (random() % 2 == 0) bad.erase(at, size); else bad.insert(at, bad.substr(at - size, size));
      agrees(bad, before);
    }
    const RecordScan scan = scan_record(good);
    if (scan.fault == RecordFault::none) before = scan.envelope;
  }
  CHECK(quick > 10);
  // Another one, none, and one too many.
  const std::string& last = records.back();
  std::string other = last;
  other[other.size() - 3] = '8';
  CHECK_FALSE(agrees(other, before));
  CHECK_FALSE(agrees(last + '}', before));
  CHECK_FALSE(agrees(std::string(last).insert(last.size() - 1, ",\"writer\":" + writer), before));
  CHECK(agrees(std::string(last).erase(last.size() - 1 - writer.size() - 10, writer.size() + 10), before));
}

TEST_CASE("quick record: numbers of every length", "[verify]") {
  const std::vector<std::string> records = run_records("01-defaults");
  const auto denial = std::find_if(records.begin(), records.end(), [](const std::string& r) { return r.find("\"nr\":257") != r.npos; });
  REQUIRE(denial != records.end());
  std::size_t quick = 0;
  for (const std::string key : {"\"count\":", "\"errno\":", "\"nr\":", "\"run_seq\":", "\"seq\":", "\"mono_ns\":\"", "\"wall_ms\":"}) {
    const std::size_t at = denial->find(key) + key.size();
    const std::size_t end = denial->find_first_not_of("0123456789", at);
    REQUIRE(end > at);
    for (const std::string digits : {"9007199254740991", "9007199254740992", "12345678901234567890123", "18446744073709551615", "99999999999999999999", "00000000000000000000"}) {
      for (std::size_t n = 0; n <= digits.size(); ++n) {
        for (const std::string tail : {"", "x", ".", "e5", "/", ":", "\xff"}) {
          if (agrees(std::string(*denial).replace(at, end - at, digits.substr(0, n) + tail), Envelope())) ++quick;
        }
      }
    }
  }
  CHECK(quick > 100);
}

TEST_CASE("quick record: paths of every length, with everything that may not stand in one", "[verify]") {
  const std::vector<std::string> records = run_records("01-defaults");
  const auto denial = std::find_if(records.begin(), records.end(), [](const std::string& r) { return r.find("\"path\":\"") != r.npos && r.find("runtime.sandbox_denial") != r.npos; });
  REQUIRE(denial != records.end());
  const std::string key = "\"path\":\"";
  const std::size_t at = denial->find(key) + key.size();
  const std::size_t end = denial->find('"', at);
  const std::size_t base = denial->find("\"base\":\"") + 8;
  const std::size_t base_end = denial->find('"', base);
  std::size_t quick = 0;
  std::size_t refused = 0;
  for (const std::string where : {"workspace", "scratch", "system", "host", "work", ""}) {
    for (std::size_t n = 0; n < 40; ++n) {
      for (const std::string odd : {"", "/", ".", "..", "/.", "/..", "//", "/./", "/../", "/.x", "/..x", "\x7f", "\\n", "\\\"", "\xc3\xa9", "\xff", "\x01", "/a"}) {
        for (const std::string after : {"", "b", "/usr/c"}) {
          std::string bytes = *denial;
          bytes.replace(at, end - at, std::string(n, 'a') + odd + after);
          bytes.replace(base, base_end - base, where);
          ++(agrees(bytes, Envelope()) ? quick : refused);
        }
      }
    }
  }
  CHECK(quick > 2000);
  CHECK(refused > 2000);
}

TEST_CASE("hash many: the same as one by one, for every length and neighbour", "[verify]") {
  Sha256 hash;
  std::mt19937 random(7);
  std::vector<std::string> texts;
  for (std::size_t n = 0; n < 330; ++n) {
    std::string text(n, '\0');
    for (char& c : text) c = static_cast<char>(random());
    texts.push_back(text);
  }
  for (const std::size_t big : {std::size_t{1000}, std::size_t{16384}, std::size_t{5}}) texts.emplace_back(big, 'x');
  for (int round = 0; round < 6; ++round) {
    const bool paired = round % 2 == 0 && can_pair();
    std::shuffle(texts.begin(), texts.end(), random);
    const std::vector<std::string_view> views(texts.begin(), texts.end());
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{2}, views.size()}) {
      std::vector<Digest> out(count);
      hash_leaves(std::span(views).first(count), out, hash, paired);
      for (std::size_t i = 0; i < count; ++i) REQUIRE(out[i] == hash.leaf(views[i]));
      const std::vector<Digest> below(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(count / 2 * 2));
      std::vector<Digest> nodes(count / 2);
      hash_nodes(below, nodes, hash, paired);
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        REQUIRE(nodes[i] == hash.node(below[2 * i], below[2 * i + 1]));
        REQUIRE(nodes[i] == hash_node(below[2 * i], below[2 * i + 1], hash, paired));
      }
    }
  }
}

TEST_CASE("hash text: the same with and without the processor's help", "[verify]") {
  std::mt19937 random(11);
  Digest digest;
  const auto check = [&] {
    const std::string expected = digest.base64();
    for (const bool quick : {false, can_pair()}) {
      const HashText text(digest, quick);
      REQUIRE(std::string(text.chars.begin(), text.chars.end()) == expected);
    }
  };
  // Each byte at each place, so that each character stands at each.
  for (std::size_t at = 0; at < digest.bytes.size(); ++at) {
    for (int value = 0; value < 256; ++value) {
      for (char& c : digest.bytes) c = static_cast<char>(random());
      digest.bytes[at] = static_cast<char>(value);
      check();
    }
  }
  for (const int all : {0x00, 0xff}) {
    digest.bytes.fill(static_cast<char>(all));
    check();
  }
}

TEST_CASE("subtrees: a tree that is given them is the tree that hashes for itself", "[verify][property]") {
  Sha256 hash;
  std::vector<Digest> leaves;
  for (std::size_t i = 0; i < 70; ++i) leaves.push_back(hash.leaf(std::to_string(i)));
  SubtreeHashes known;  // one for all: what an earlier batch left must not show
  for (std::size_t width = 1; width <= leaves.size(); ++width) {
    StreamingTree plain;
    StreamingTree helped;
    for (std::size_t first = 0; first < leaves.size(); first += width) {
      const auto batch = std::span(leaves).subspan(first, std::min(width, leaves.size() - first));
      known.build(first, batch, hash);
      for (const Digest& leaf : batch) {
        plain.append(leaf, hash);
        helped.append(leaf, hash, &known);
        CAPTURE(width, first);
        REQUIRE(helped.root(hash) == plain.root(hash));
      }
    }
  }
}
