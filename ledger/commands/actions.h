// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "ledger/base/result.h"
#include "ledger/ledger_files.h"
#include "ledger/ssh_agent.h"

namespace ethos::ledger {

// Where a subcommand writes: facts to `out`, words for people to `err` unless quiet.
struct Console {
  std::ostream& out;
  std::ostream& err;
  bool is_quiet = false;
  // One line "ethos-ledger: ..." on err.
  void say(const std::string& text) const;
};

struct InitOptions {
  LedgerFiles files;
  std::string origin;     // a name, or a whole origin; empty: the host's name
  std::string root_vkey;  // made elsewhere; empty: make one here
  std::string agent_key;  // an OpenSSH public key file; empty: a key in a file
  std::string continues;  // an older ledger that this one goes on from
  std::string out;        // a file for the pin; empty or -: standard output
};
base::Result<void> init(const InitOptions& options, const Console& console);

// The pin of a ledger that is there; with_minimum adds its size and root of now.
struct PinOptions {
  LedgerFiles files;
  bool with_minimum = false;
  std::string out;  // as InitOptions::out
};
base::Result<void> pin(const PinOptions& options, const Console& console);

struct ShowOptions {
  LedgerFiles files;
  std::string run;   // a run id or a beginning of one; empty: all
  std::string type;  // empty: all
  std::uint64_t from = 0;
  std::optional<std::uint64_t> to;  // exclusive
  bool as_json = false;             // exact record bytes, one a line
};
base::Result<void> show(const ShowOptions& options, const Console& console);

// One line a run; as JSON one object a line.
base::Result<void> runs(const LedgerFiles& files, bool as_json, const Console& console);

struct RotateCommand {
  LedgerFiles files;
  std::string agent_key;  // an OpenSSH public key file; empty: a new key in a file
  bool as_json = false;
};
base::Result<void> rotate(const RotateCommand& command, const Console& console);

// docs/formats/keys.md K-14 to K-17.
struct RevokeCommand {
  LedgerFiles files;
  bool prepares = false;
  std::string note;
  std::string root_key;
  std::optional<std::uint64_t> last_trusted;
  std::string out;
};
base::Result<void> revoke(const RevokeCommand& command, const Console& console);

struct SignCommand {
  LedgerFiles files;
  std::string root_key;
  std::string in = "-";
  std::string out;
};
base::Result<void> sign_revocation(const SignCommand& command, const Console& console);

struct NewRootCommand {
  LedgerFiles files;
  std::string origin;
  std::string out;
};
base::Result<void> new_root(const NewRootCommand& command, const Console& console);

struct SealKeyCommand {
  LedgerFiles files;
  std::string key_file;
  bool unseals = false;
};
base::Result<void> seal_key(const SealKeyCommand& command, const Console& console);

struct SealCommand {
  LedgerFiles files;
  std::string reason;
  std::string authority;
  bool with_open_runs = false;
};
base::Result<void> seal(const SealCommand& command, const Console& console);

struct ForkCommand {
  LedgerFiles files;
  std::string note;
};
// Both notes on standard output when there are two histories.
base::Result<void> fork(const ForkCommand& command, const Console& console);

// The Ed25519 key of an OpenSSH public key file.
base::Result<RawPublicKey> read_ssh_key(const std::string& path);

// Writes run.abort for runs that died without an end.
base::Result<void> recover(const LedgerFiles& files, const Console& console);

struct BundleCommand {
  LedgerFiles files;
  std::string run;  // a run id or a beginning of one; empty: a range
  std::uint64_t from = 0;
  std::optional<std::uint64_t> to;
  std::string disclose;  // evidence, none, all, or kinds with commas between
  std::string out;
  bool as_json = false;
  bool is_cosigned = false;
  std::optional<std::uint64_t> since;
};
// Evidence for somebody else (docs/formats/bundle.md).
base::Result<void> bundle(const BundleCommand& command, const Console& console);

struct TilesCommand {
  LedgerFiles files;
  std::string directory;
  bool drops_partials = false;
  bool as_json = false;
};
// Brings a C2SP tlog-tiles directory up to the ledger (docs/formats/tiles.md).
base::Result<void> tiles(const TilesCommand& command, const Console& console);

struct ProofCommand {
  LedgerFiles files;
  std::uint64_t seq = 0;
  bool from_first = false;  // in the first checkpoint that covers it
  std::string tiles;        // a tiles directory to take it from; empty: the ledger
  std::string out;          // empty: standard output
};
base::Result<void> proof(const ProofCommand& command, const Console& console);

struct ExportCommand {
  LedgerFiles files;
  std::string format;  // dsse or ocsf
  std::string run;     // a run id or a beginning of one; empty: all
  std::uint64_t from = 0;
  std::optional<std::uint64_t> to;
  std::string key;  // dsse: secret key of the signer
  std::string out;  // empty or -: standard output
};
// Records in formats of others, one JSON object a line (docs/formats/export.md).
base::Result<void> export_records(const ExportCommand& command, const Console& console);

struct AnchorCommand {
  LedgerFiles files;
  std::string tsa;      // URL to ask
  std::string prepare;  // or: only write a request there
  std::string request;  // or: that was answered by `response`
  std::string response;
  std::string ca;
  std::string intermediates;
  std::uint32_t timeout_seconds = 30;
};
// RFC 3161 time stamps over the last checkpoint (docs/formats/anchors.md).
base::Result<void> anchor(const AnchorCommand& command, const Console& console);

struct CosignCommand {
  LedgerFiles files;
  std::string policy;
  std::uint32_t timeout_seconds = 30;
};
// Witnesses' cosignatures over it; Errc::refused when the policy's quorum is not met.
base::Result<void> cosign(const CosignCommand& command, const Console& console);

struct ServeCommand {
  LedgerFiles files;
  std::string socket;        // empty: `<ledger>.sock`
  std::string socket_group;  // a name or number; empty: the process's own
  std::vector<std::string> users;
  std::vector<std::string> groups;
  std::vector<std::string> cage_users;
  std::vector<std::string> cage_groups;
  std::string cage_ceiling;
  std::uint32_t absence_seconds = 10;
  std::uint32_t idle_exit_seconds = 0;
};
// The group-commit service (docs/formats/service.md); ends with SIGTERM.
base::Result<void> serve(const ServeCommand& command, const Console& console);

struct EraseCommand {
  LedgerFiles files;
  std::string run;  // a run id or a beginning of one; empty: any
  std::optional<std::uint64_t> seq;
  std::vector<std::string> kinds;  // each may hold several with commas between
  std::vector<std::string> commitments;
  std::string subject;
  std::string subject_file;
  std::string reason;
  std::string authority;
  bool is_dry_run = false;
  bool finishes = false;
  bool as_json = false;
};
base::Result<void> erase(const EraseCommand& command, const Console& console);

struct PruneCommand {
  LedgerFiles files;
  std::optional<std::uint64_t> below;
  std::string before;  // a day, e.g. 2026-12-31
  std::string reason;
  std::string authority;
  bool is_dry_run = false;
  bool as_json = false;
};
// Drops the bytes of old runs, keeps their hashes, and records it.
base::Result<void> prune(const PruneCommand& command, const Console& console);

struct HoldCommand {
  LedgerFiles files;
  std::string name;  // empty: list
  std::vector<std::string> runs;
  bool is_whole = false;
  bool releases = false;
  std::string reason;
  std::string authority;
};
base::Result<void> hold(const HoldCommand& command, const Console& console);

}  // namespace ethos::ledger
