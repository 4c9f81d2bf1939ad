// SPDX-License-Identifier: Apache-2.0
// What the ledger costs beside the disk under it. Prints numbers and judges nothing.
//
//   ledger_bench append DIR [ROUNDS]              durable groups of 10, 100 and 1000 records:
//   signed commits
//                                                 against raw append + fdatasync of the same bytes
//   ledger_bench service DIR [PRODUCERS [SECS]]   acknowledged records a second and delays through
//   serve ledger_bench open DIR [RECORDS]               a ledger of so many records: opening it, a
//   proof, memory
//
// DIR must not exist and is left there. Ways alternate in each round; medians and paired ratios.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "ledger/appender.h"
#include "ledger/base/clock.h"
#include "ledger/create.h"
#include "ledger/reader.h"
#include "ledger/service/client.h"
#include "ledger/tile_tree.h"
#include "ledger/tlog_proof.h"

extern char** environ;

namespace {

using namespace ethos;
using Clock = std::chrono::steady_clock;

double since_ms(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
}

[[noreturn]] void stop(const std::string& why) {
  std::fprintf(stderr, "ledger_bench: %s\n", why.c_str());
  std::exit(2);
}

// About what a denial is: 500 bytes a record with its envelope.
const std::string kBody =
    R"({"count":1,"errno":13,"mark":"A","object":{"base":"workspace","path":"src/secret/file.txt"},"operation":"openat","outcome":"denied","phase":"run"})";

ledger::LedgerFiles make_ledger(const std::string& dir, const base::Clock& clock) {
  const auto files = ledger::LedgerFiles::at(dir + "/ledger.db");
  auto made = ledger::create_ledger(files, {"bench.example", std::nullopt, std::nullopt}, clock);
  if (!made) stop(made.error().message());
  return files;
}

// Records of one run of which only the first commit has the run.open.
ledger::CommitRequest group(ledger::RunChain& run, std::size_t count, bool is_first,
                            const base::Clock& clock) {
  ledger::CommitRequest request;
  request.records.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    request.records.push_back(
        {is_first && i == 0 ? "run.open" : "run.gap", &run, kBody, clock.now()});
  }
  return request;
}

void bench_append(const std::string& dir, int rounds) {
  auto clock = base::SystemClock::open();
  const auto files = make_ledger(dir, *clock);
  const std::string raw_path = dir + "/raw";
  const int raw = ::open(raw_path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  std::vector<double> syncs;
  for (int i = 0; i < 200; ++i) {
    const char byte = 'x';
    const auto begin = Clock::now();
    if (::write(raw, &byte, 1) != 1 || ::fdatasync(raw) != 0) stop("raw file");
    syncs.push_back(since_ms(begin));
  }
  std::printf("fdatasync of one byte: median %.3f ms, p99 %.3f ms\n", quantile(syncs, 0.5),
              quantile(syncs, 0.99));
  for (const std::size_t size : {std::size_t{10}, std::size_t{100}, std::size_t{1000}}) {
    auto appender = ledger::Appender::open(files, *clock);
    if (!appender) stop(appender.error().message());
    appender->keep_connection();
    ledger::RunChain run{record::RunId::random(), 0, {}};
    std::vector<double> ours, theirs, ratios;
    const std::string bytes(size * 500, 'r');
    for (int i = 0; i < rounds; ++i) {
      auto request = group(run, size, i == 0, *clock);
      const auto begin = Clock::now();
      auto done = appender->commit(request);
      const double commit_ms = since_ms(begin);
      if (!done) stop(done.error().message());
      const auto raw_begin = Clock::now();
      for (std::size_t r = 0; r < size; ++r) {
        if (::write(raw, bytes.data() + r * 500, 500) != 500) stop("raw file");
      }
      if (::fdatasync(raw) != 0) stop("raw file");
      const double raw_ms = since_ms(raw_begin);
      if (i < 3) continue;  // files and caches
      ours.push_back(commit_ms);
      theirs.push_back(raw_ms);
      ratios.push_back(raw_ms / commit_ms);
    }
    const double ms = quantile(ours, 0.5);
    std::printf(
        "group %4zu: commit %.3f ms (%.0f records/s, p99 %.3f ms), raw append + fdatasync %.3f ms, "
        "ratio %.2f\n",
        size, ms, static_cast<double>(size) / ms * 1000, quantile(ours, 0.99),
        quantile(theirs, 0.5), quantile(ratios, 0.5));
  }
}

pid_t start_service(const std::string& database) {
  std::vector<std::string> args{ETHOS_BIN "/ethos-ledger", "serve", "--ledger", database, "-q"};
  std::vector<char*> raw;
  for (std::string& arg : args) raw.push_back(arg.data());
  raw.push_back(nullptr);
  pid_t pid = -1;
  if (::posix_spawn(&pid, raw[0], nullptr, nullptr, raw.data(), environ) != 0) stop("serve");
  return pid;
}

void bench_service(const std::string& dir, int producers, int seconds) {
  auto clock = base::SystemClock::open();
  const auto files = make_ledger(dir, *clock);
  const pid_t service = start_service(files.database);
  std::atomic<bool> is_over = false;
  std::vector<std::vector<double>> delays(static_cast<std::size_t>(producers));
  std::vector<std::jthread> threads;
  constexpr std::size_t kGroup = 20;
  const auto begin = Clock::now();
  for (int p = 0; p < producers; ++p) {
    threads.emplace_back([&, p] {
      auto client = ledger::service::Client::connect(files.socket());
      for (int i = 0; !client && i < 500; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        client = ledger::service::Client::connect(files.socket());
      }
      if (!client) stop(client.error().message());
      auto id = client->begin_run();
      if (!id) stop(id.error().message());
      ledger::RunChain run{*id, 0, {}};
      for (bool is_first = true; !is_over; is_first = false) {
        const auto asked = Clock::now();
        auto done = client->commit(group(run, kGroup, is_first, *clock));
        if (!done) stop(done.error().message());
        delays[static_cast<std::size_t>(p)].push_back(since_ms(asked));
      }
      ledger::CommitRequest end;
      end.records.push_back({"run.close", &run, "{}", clock->now()});
      if (!client->commit(end) || !client->finish_run()) stop("end of a run");
    });
  }
  std::this_thread::sleep_for(std::chrono::seconds(seconds));
  is_over = true;
  threads.clear();
  const double took_ms = since_ms(begin);
  ::kill(service, SIGTERM);
  int status = 0;
  rusage usage{};
  ::wait4(service, &status, 0, &usage);
  std::vector<double> all;
  for (const auto& one : delays) all.insert(all.end(), one.begin(), one.end());
  std::printf(
      "%d producers, requests of %zu records: %.0f acknowledged records/s, median %.1f ms, p99 "
      "%.1f "
      "ms; service at most %.1f MiB\n",
      producers, kGroup, static_cast<double>(all.size() * kGroup) / took_ms * 1000,
      quantile(all, 0.5), quantile(all, 0.99), static_cast<double>(usage.ru_maxrss) / 1024);
}

void bench_open(const std::string& dir, std::uint64_t records) {
  auto clock = base::SystemClock::open();
  const auto files = make_ledger(dir, *clock);
  auto appender = ledger::Appender::open(files, *clock);
  if (!appender) stop(appender.error().message());
  constexpr std::size_t kGroup = 5000;
  ledger::RunChain run{record::RunId::random(), 0, {}};
  const auto begin = Clock::now();
  for (std::uint64_t n = 0; n < records; n += kGroup) {
    ledger::CommitRequest request;
    for (std::size_t i = 0; i < kGroup; ++i)
      request.records.push_back({n + i == 0 ? "run.open" : "run.gap", &run, "{}", std::nullopt});
    auto done = appender->commit(request);
    if (!done) stop(done.error().message());
  }
  std::printf("%llu records written in %.0f s\n", static_cast<unsigned long long>(records),
              since_ms(begin) / 1000);
  std::vector<double> opening, committing;
  for (int i = 0; i < 41; ++i) {
    const auto opened = Clock::now();
    auto reader = ledger::LedgerReader::open(files);
    if (!reader) stop(reader.error().message());
    opening.push_back(since_ms(opened));
    // A writer's whole turn: lock, checks, one signed record, durable.
    const auto asked = Clock::now();
    auto fresh = ledger::Appender::open(files, *clock);
    ledger::RunChain one{record::RunId::random(), 0, {}};
    if (!fresh || !fresh->commit(group(one, 1, true, *clock))) stop("commit");
    committing.push_back(since_ms(asked));
  }
  std::printf(
      "open for reading: median %.2f ms; open, check and commit one record: median %.2f ms\n",
      quantile(opening, 0.5), quantile(committing, 0.5));
  const auto reader = ledger::LedgerReader::open(files);
  const auto source = ledger::tile_source(*reader);
  if (!source) stop(source.error().message());
  const auto building = Clock::now();
  auto tiles = ledger::update_tiles(*source, dir + "/www", ledger::Partials::keep);
  if (!tiles) stop(tiles.error().message());
  std::printf("tiles of %llu records in %.1f s\n", static_cast<unsigned long long>(tiles->size),
              since_ms(building) / 1000);
  std::vector<double> proving;
  std::size_t bytes = 0;
  for (std::uint64_t i = 0; i < 500; ++i) {
    const auto asked = Clock::now();
    auto proof = ledger::prove_from_tiles(dir + "/www", i * (tiles->size / 500));
    if (!proof) stop(proof.error().message());
    proving.push_back(since_ms(asked));
    bytes = std::max(bytes, ledger::encode_tlog_proof(*proof).size());
  }
  std::printf("one proof from tiles: median %.3f ms, p99 %.3f ms, at most %zu bytes\n",
              quantile(proving, 0.5), quantile(proving, 0.99), bytes);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 2 ? argv[1] : "";
  const std::string dir = argc > 2 ? argv[2] : "";
  const auto number = [&](int at, int usual) { return argc > at ? std::atoi(argv[at]) : usual; };
  if ((what != "append" && what != "service" && what != "open") || std::filesystem::exists(dir)) {
    std::fprintf(stderr, "usage: ledger_bench append|service|open NEW-DIRECTORY [...]\n");
    return 2;
  }
  std::filesystem::create_directories(dir);
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  if (what == "append") bench_append(dir, number(3, 101));
  if (what == "service") bench_service(dir, number(3, 64), number(4, 10));
  if (what == "open") bench_open(dir, static_cast<std::uint64_t>(number(3, 1'000'000)));
  return 0;
}
