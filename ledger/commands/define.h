// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>

#include "ledger/base/result.h"
#include "ledger/commands/actions.h"
#include "ledger/commands/passphrase.h"
#include "ledger/ledger_files.h"

namespace ethos::ledger {

// A subcommand with its options bound.
using Action = std::function<base::Result<void>(const LedgerFiles& files, const Console& console)>;

// What the command line asked for. The options of a subcommand live in its definition.
struct Parsed {
  std::optional<std::string> ledger;
  std::optional<std::string> keys;
  bool is_quiet = false;
  PassphraseSource passphrase;
  Action action;  // of the subcommand that was named
  bool needs_ledger = true;
  std::function<bool()> writes;  // asked once the command line is read; empty: no
};

// A subcommand with the options that all of them share.
CLI::App* add_command(CLI::App& app, Parsed& parsed, const char* name, const char* text);
// `action` is done when this subcommand was named. `no_ledger`: it does its work without one, and
// the files it gets are nobody's.
enum class Needs { ledger, no_ledger };
void set_action(CLI::App& command, Parsed& parsed, Action action, Needs needs = Needs::ledger);
// The same for one that writes as a direct writer, when `writes` says so: a service that writes the
// ledger stands aside until it is done.
void set_writer(
    CLI::App& command, Parsed& parsed, Action action,
    std::function<bool()> writes = [] { return true; });

// The options that say where a passphrase comes from; `fresh`: something new is sealed with it.
enum class Passphrase { known, fresh };
void add_passphrase(CLI::App& command, Parsed& parsed, Passphrase kind = Passphrase::known);

// Making and reading a ledger: init, pin, show, runs, recover.
void define_basic(CLI::App& app, Parsed& parsed);
// Evidence for others: bundle, tiles, proof, export.
void define_evidence(CLI::App& app, Parsed& parsed);
// Erasure: erase, prune, hold, release.
void define_erasure(CLI::App& app, Parsed& parsed);
// What outsiders vouch for: anchor, cosign.
void define_anchors(CLI::App& app, Parsed& parsed);
// The service: serve.
void define_service(CLI::App& app, Parsed& parsed);
// Keys: rotate, revoke, sign-revocation, new-root, seal-key, unseal-key; seal and fork.
void define_keys(CLI::App& app, Parsed& parsed);

}  // namespace ethos::ledger
