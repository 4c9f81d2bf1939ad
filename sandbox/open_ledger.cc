// SPDX-License-Identifier: Apache-2.0
#include "sandbox/open_ledger.h"

#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "ledger/create.h"

namespace ethos::sandbox {

using base::Errc;
using base::Result;

namespace {

using ledger::service::Client;

// A service that was asked for must answer. One that only might be there is given a moment when its
// socket is there and nobody answers: it may be starting again, and a run that begins without it
// could not go on once it is back.
Result<std::optional<Client>> find_service(const ledger::LedgerFiles& files,
                                           const std::optional<std::string>& named) {
  constexpr auto kPause = std::chrono::milliseconds(50);
  constexpr int kTries = 20;
  // Most ledgers have none, and to ask takes fifteen times as long as to look.
  struct stat st {};
  if (!named && ::lstat(files.socket().c_str(), &st) != 0 && errno == ENOENT)
    return std::optional<Client>();
  for (int i = 0;; ++i) {
    auto client = Client::connect(named.value_or(files.socket()));
    if (client) return std::optional<Client>(std::move(*client));
    const Errc code = client.error().code;
    if (!named && code == Errc::not_found) return std::optional<Client>();
    if (code != Errc::busy) return base::Unexpected(std::move(client).error());
    if (i == kTries) {
      if (named) return base::Unexpected(std::move(client).error());
      return std::optional<Client>();
    }
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace

Result<ReadyLedger> ready_ledger(const ledger::LedgerChoice& choice,
                                 const std::optional<std::string>& service, bool may_make,
                                 const base::Clock& clock) {
  ReadyLedger out{choice.files, std::nullopt, std::nullopt};
  auto found = find_service(choice.files, service);
  if (!found) return base::Unexpected(std::move(found).error());
  if (*found) {
    out.service = std::move(*found);
    return out;
  }
  struct stat st {};
  const bool is_there = ::stat(choice.files.database.c_str(), &st) == 0;
  // What is written last when a ledger is made: without it another first run may be at it, which
  // create_default_ledger waits for.
  const bool is_whole = is_there && ::stat(choice.files.high_water().c_str(), &st) == 0;
  if (is_whole || (is_there && (!choice.is_default_place || !may_make))) return out;
  if (!choice.is_default_place || !may_make)
    return base::fail(Errc::not_found, "there is no ledger " + choice.files.database +
                                           "; make one: ethos-ledger init --ledger " +
                                           choice.files.database);
  auto made = ledger::create_default_ledger(choice.files, clock);
  if (!made) return base::Unexpected(std::move(made).error().with_context("make the ledger"));
  if (*made)
    out.note = "made the ledger " + choice.files.database +
               "; keep its pin elsewhere (ethos-ledger pin), and move away " +
               (*made)->root_key_file.value_or("the root key");
  return out;
}

}  // namespace ethos::sandbox
