// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace ethos::support {

using Json = nlohmann::json;

// An Ed25519 key with its vkey text.
struct TestKey {
  std::string name;
  std::string seed;    // 32 bytes
  std::string secret;  // libsodium's 64 bytes
  std::string public_key;
  std::string id;      // 4 bytes
  std::string vkey;

  static TestKey make(const std::string& name, char seed_byte);
  // A signature line of a signed note.
  [[nodiscard]] std::string line(const std::string& text) const;
};

// Writes ledgers from docs/formats, sharing code neither with ledger/ nor with verify/: a third
// party that both can be held against. Everything stays open to tampering before write().
class LedgerMaker {
 public:
  struct Record {
    std::string bytes;
    std::string hash;  // 32 bytes, as it will be stored
  };
  struct Disclosure {
    std::string kind;
    std::string salt;
    std::string bytes;
  };

  LedgerMaker();

  std::string origin = "ci.example.com/ethos/aaaqeayeaudaocajbifqydiob4";
  TestKey root;
  std::vector<TestKey> epochs;
  std::int64_t epoch_seq = 0;
  std::vector<Record> records;
  std::map<std::int64_t, std::string> checkpoints;
  std::map<std::string, Disclosure> disclosures;  // by the 32 bytes of c
  std::map<std::string, std::string> blobs;       // by the 32 bytes of sha256

  // Adds a record and returns its number. `run`: empty for the ledger's own.
  std::size_t add(const std::string& type, const Json& body, const std::string& run = "");
  // The run goes on behind that record of it, as if the later ones were not there.
  void go_on_behind(const std::string& run, std::size_t seq);
  // Signs a checkpoint over all records so far with the key of the epoch.
  void checkpoint();
  // Lets time go by before the next record; returns the wall clock then.
  std::int64_t wait(std::int64_t ms) { return 1790000000000 + (clock_ += ms); }
  // key.epoch and the checkpoint signed by both keys.
  void rotate(const std::string& reason = "command");
  // key.revoke by the root key, key.epoch `revoked`, checkpoint.
  void revoke(std::int64_t last_trusted);

  // Roots by a running frontier instead of the definition: for ledgers too large for the latter, and
  // only while no record is changed afterwards.
  bool is_large = false;

  // A commitment object; its bytes go to `disclosures` unless withheld.
  Json commit(const std::string& kind, const std::string& bytes, bool disclose = true);
  // `sha256:...`; the bytes go to `blobs`.
  std::string blob(const std::string& bytes);

  [[nodiscard]] std::string checkpoint_text(std::int64_t size, const std::string& root_hash) const;
  [[nodiscard]] std::string root_of(std::size_t size) const;
  [[nodiscard]] std::string pin(std::optional<std::int64_t> min = std::nullopt) const;
  // As `ethos-ledger pin --min` makes it now: version 2, with the records that no order may drop.
  [[nodiscard]] std::string marked_pin() const;
  // Rebuilds hashes, prev, run_prev and checkpoints after records were changed: what someone with
  // the key would do.
  void rehash_and_resign();

  // The database; `extra_sql` runs at the end.
  int store_version = 2;  // of store.md; 1 is what older programs made
  void write(const std::string& path, const std::string& extra_sql = "") const;

 private:
  struct Link {
    std::int64_t next = 0;
    std::string hash = std::string(32, '\0');
  };
  [[nodiscard]] std::string current_root() const;

  std::vector<std::string> frontier_;
  std::map<std::string, Link> runs_;
  std::int64_t clock_ = 0;
  int salts_ = 0;
};

std::string sha256(const std::string& bytes);
std::string base64(const std::string& bytes);
std::string hex(const std::string& bytes);
// The text of the example: member `name` of a policy vector, exact bytes.
std::string policy_member(const std::string& file, const std::string& name);

struct RunChoices {
  std::string vector = "01-defaults";  // of tests/data/policy
  std::string run = "caireeyuculbogazdinryhi6d4";
  bool close = true;
  bool abort = false;
  bool disclose = true;
  int denials = 0;
  bool has_outputs = true;  // of those that end: a record of each stream of which `more` has none
  std::vector<std::pair<std::string, Json>> more;  // further records before the end
  // Changes to what a good run would write, keyed by record type.
  std::map<std::string, Json> patch;  // merged into the body (merge patch, RFC 7396)
  std::string filter;                 // bytes of the seccomp program; empty: a good one
  Json mounts;                        // null: the planned table
  std::vector<std::string> skip_grants;
  std::map<std::string, std::string> members;  // `facts`, `grants`, `plan`, `normal`: in place of the vector's
};

// A complete run as ethos-run would record it, two commits, from one of the policy vectors.
void add_run(LedgerMaker& ledger, const RunChoices& choices = {});
// A refused run.
void add_refused_run(LedgerMaker& ledger, const std::string& run);

// A seccomp program that stops what it must; `also_allow`: this number is let through.
std::string good_filter(int also_allow = -1);

}  // namespace ethos::support
