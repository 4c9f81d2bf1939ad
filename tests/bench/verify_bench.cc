// SPDX-License-Identifier: Apache-2.0
// Verification against a plain loop that reads the rows of the same file and hashes them.
//
//   verify_bench [RECORDS [RECORDS_PER_CHECKPOINT [DIRECTORY_TO_KEEP_THE_LEDGERS_IN]]]
//
// Prints records a second of both, and their ratio, for two ledgers: `long` (a few long runs: what
// hashing, scanning and signatures cost) and `short` (many short runs with all their documents:
// what recomputing the policy costs). Exit 1 when the ratio of `long` is below 0.4.
#include <openssl/evp.h>
#include <sqlite3.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>

#include "tests/verify/support/ledger_maker.h"
#include "tests/verify/support/verify_run.h"

using namespace ethos::support;

namespace {

using Clock = std::chrono::steady_clock;

// Processor time of all threads: what is left to compare when the machine is busy with other
// things.
double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string run_id(std::size_t n) {
  const std::string alphabet = "abcdefghijklmnopqrstuvwxyz234567";
  std::string out(26, 'a');
  for (std::size_t i = 0; i < 8; ++i, n /= 32) out[i] = alphabet[n % 32];
  return out;
}

LedgerMaker long_runs(std::size_t records, std::size_t per_checkpoint) {
  LedgerMaker ledger;
  ledger.is_large = true;
  std::size_t run = 0;
  while (ledger.records.size() < records) {
    RunChoices choices;
    choices.run = run_id(run++);
    choices.close = false;
    add_run(ledger, choices);
    const int denials = 5000;
    int acts = 0;
    for (int i = 0; i < denials; ++i) {
      // No two are alike, so that nothing can be won by knowing the one before.
      const int count = 1 + i % 7;
      acts += count;
      ledger.add("runtime.sandbox_denial",
                 {{"count", count},
                  {"errno", 13},
                  {"mark", "A"},
                  {"object",
                   {{"base", "workspace"}, {"path", "some/directory/and/a/file" + std::to_string(i) + ".txt"}}},
                  {"operation", "openat"},
                  {"outcome", "denied"},
                  {"phase", "run"},
                  {"rule", "outside-grants"},
                  {"source", "seccomp"},
                  {"syscall", {{"arch", "x86_64"}, {"nr", 257}}}},
                 choices.run);
      if (ledger.records.size() % per_checkpoint == 0) ledger.checkpoint();
    }
    const Json execs = {{{"count", "1"}, {"path", {{"base", "system"}, {"path", "usr/bin/true"}}}}};
    ledger.add("run.close",
               {{"denials", {{"acts", std::to_string(acts)}, {"records", denials}}},
                {"duration_ms", 12},
                {"ended_by", "tool"},
                {"execs", {{"list", ledger.commit("execs", execs.dump())}, {"total", "1"}}},
                {"exit", {{"code", 0}}},
                {"gaps", 0},
                {"limits", Json::array()},
                {"records", Json::parse(ledger.records.back().bytes).at("run_seq").get<int>() + 2},
                {"status", 0},
                {"teardown", {{"cgroup", "removed"}, {"processes_left", 0}, {"scratch", "gone"}}},
                {"usage", {{"cpu_ms", 3}, {"max_rss_bytes", "1000"}}}},
               choices.run);
  }
  ledger.checkpoint();
  return ledger;
}

LedgerMaker short_runs(std::size_t records) {
  LedgerMaker ledger;
  ledger.is_large = true;
  std::size_t run = 0;
  while (ledger.records.size() < records) {
    RunChoices choices;
    choices.vector = "02-linter";
    choices.run = run_id(run++);
    add_run(ledger, choices);
  }
  return ledger;
}

// Reads every row and hashes its bytes; nothing is compared.
double plain_loop(const std::string& path) {
  const auto start = Clock::now();
  sqlite3* db = nullptr;
  sqlite3_open_v2(("file:" + path + "?immutable=1").c_str(), &db,
                  SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr);
  sqlite3_stmt* rows = nullptr;
  sqlite3_prepare_v2(db, "SELECT bytes FROM leaf", -1, &rows, nullptr);
  EVP_MD* method = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  EVP_DigestInit_ex(context, method, nullptr);
  unsigned char out[32];
  const unsigned char zero = 0;
  while (sqlite3_step(rows) == SQLITE_ROW) {
    EVP_DigestInit_ex(context, nullptr, nullptr);
    EVP_DigestUpdate(context, &zero, 1);
    EVP_DigestUpdate(context, sqlite3_column_blob(rows, 0),
                     static_cast<std::size_t>(sqlite3_column_bytes(rows, 0)));
    EVP_DigestFinal_ex(context, out, nullptr);
  }
  sqlite3_finalize(rows);
  sqlite3_close(db);
  EVP_MD_CTX_free(context);
  EVP_MD_free(method);
  return seconds_since(start);
}

double measure(const char* name, const LedgerMaker& ledger, const std::string& keep) {
  const TempDir dir;
  const std::string base = keep.empty() ? dir.file(name) : keep + "/" + name;
  const std::string path = base + ".db";
  const std::string pin = base + ".pin";
  ledger.write(path);
  save(pin, ledger.pin());
  double plain = 1e9;
  double verify = 1e9;
  double plain_cpu = 1e9;
  double verify_cpu = 1e9;
  plain_loop(path);  // fills the page cache
  for (int round = 0; round < 5; ++round) {
    const double before = cpu_seconds();
    plain = std::min(plain, plain_loop(path));
    const double between = cpu_seconds();
    plain_cpu = std::min(plain_cpu, between - before);
    const auto start = Clock::now();
    const Outcome r = verify_with({"--pin", pin, path});
    verify = std::min(verify, seconds_since(start));
    verify_cpu = std::min(verify_cpu, cpu_seconds() - between);
    if (r.status != 0) {
      std::printf("%s: not verified:\n%s%s", name, r.out.c_str(), r.err.c_str());
      std::exit(2);
    }
  }
  const auto n = static_cast<double>(ledger.records.size());
  std::printf(
      "%-6s %8.0f records, %6zu checkpoints: plain %9.0f/s, verify %9.0f/s, ratio %.2f; processor "
      "time: %9.0f/s, "
      "%9.0f/s, %.2f\n",
      name, n, ledger.checkpoints.size(), n / plain, n / verify, plain / verify, n / plain_cpu,
      n / verify_cpu, plain_cpu / verify_cpu);
  return plain / verify;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t records = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 200'000;
  const std::size_t per_checkpoint = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 1000;
  const std::string keep = argc > 3 ? argv[3] : "";
  const double ratio = measure("long", long_runs(records, per_checkpoint), keep);
  measure("short", short_runs(std::min<std::size_t>(records / 10, 50'000)), keep);
  return ratio >= 0.4 ? 0 : 1;
}
