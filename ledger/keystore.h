// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ledger/base/result.h"
#include "ledger/base/unique_fd.h"
#include "ledger/epoch_signer.h"
#include "ledger/ledger_files.h"
#include "ledger/record/secret_bytes.h"
#include "ledger/record/vkey.h"

namespace ethos::ledger {

// Reads one secret (docs/formats/keys.md K-3, K-12). Refuses, each with its own message: a symbolic
// link, anything but a regular file, another owner, bits for group or others, a second name (hard
// link), more than 4,096 bytes, a text that is not exactly one key line. Messages never repeat
// content. A sealed one needs its passphrase: Errc::refused without.
base::Result<record::SigningKey> read_secret_key(const base::UniqueFd& directory,
                                                 const std::string& name,
                                                 const std::string& shown_path,
                                                 const record::SecretBytes* passphrase = nullptr,
                                                 const record::KeyMark* known = nullptr);
// The same by its path. Nothing in between may be written to by others, as for the key directory.
base::Result<record::SigningKey> read_secret_key(const std::string& path,
                                                 const record::SecretBytes* passphrase);
// What is written to a secret's file: sealed when there is a passphrase.
base::Result<record::SecretBytes> secret_file_text(const record::SigningKey& key,
                                                   const KeyAccess& access);

// The directory with the epoch secrets of one ledger: `epoch-<n>.key`, or `epoch-<n>.agent` for a
// key that an ssh-agent holds.
class Keystore {
 public:
  // Errc::not_found; Errc::refused for a link, no directory, another owner, or one that group or
  // others may write to.
  static base::Result<Keystore> open(const std::string& path, KeyAccess access = {});
  // Makes the directory (mode 0700), which must not exist.
  static base::Result<Keystore> create(const std::string& path, KeyAccess access = {});

  // The secret of an epoch; it must be that of the public key with this text. `known`: of the key
  // that was loaded before.
  [[nodiscard]] base::Result<EpochSigner> load(std::uint64_t epoch, std::string_view vkey,
                                               const record::KeyMark* known = nullptr) const;
  // Writes and syncs the secret of an epoch; a file left by a crash before its commit is replaced.
  base::Result<void> save(std::uint64_t epoch, const record::SigningKey& key) const;
  // Says that an ssh-agent holds the secret of an epoch.
  base::Result<void> save_agent(std::uint64_t epoch, const record::PublicKey& key) const;
  // Overwrites and removes the secrets of all epochs before this one: a crash may have left any of
  // them. Nothing to do is no failure; one that cannot be removed leaves the others no longer.
  // Looks once: as long as this object lives, under the ledger's lock, only its owner adds secrets.
  base::Result<void> retire_before(std::uint64_t epoch) const;

  static std::string file_name(std::uint64_t epoch);
  static std::string agent_name(std::uint64_t epoch);

 private:
  Keystore(base::UniqueFd directory, std::string path, KeyAccess access)
      : directory_(std::move(directory)), path_(std::move(path)), access_(std::move(access)) {}
  base::Result<void> write(const std::string& name, base::ByteSpan bytes) const;
  [[nodiscard]] base::Result<std::vector<std::uint64_t>> epochs_before(std::uint64_t epoch) const;
  base::Result<void> retire(std::uint64_t epoch) const;
  [[nodiscard]] std::string shown(std::uint64_t epoch) const {
    return path_ + "/" + file_name(epoch);
  }
  base::UniqueFd directory_;
  std::string path_;
  mutable std::uint64_t retired_before_ = 0;  // all of these are gone
  KeyAccess access_;
};

}  // namespace ethos::ledger
