// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "ledger/base/result.h"
#include "ledger/base/unique_fd.h"
#include "ledger/record/vkey.h"

namespace ethos::ledger {

// Reads one secret (docs/formats/keys.md K-3, K-12). Refuses, each with its own message: a symbolic
// link, anything but a regular file, another owner, bits for group or others, a second name (hard
// link), more than 4,096 bytes, a text that is not exactly one key line. Messages never repeat
// content.
base::Result<record::SigningKey> read_secret_key(const base::UniqueFd& directory,
                                                 const std::string& name,
                                                 const std::string& shown_path);

// The directory with the epoch secrets of one ledger, `epoch-<n>.key` each.
class Keystore {
 public:
  // Errc::not_found; Errc::refused for a link, no directory, another owner, or one that group or
  // others may write to.
  static base::Result<Keystore> open(const std::string& path);
  // Makes the directory (mode 0700), which must not exist.
  static base::Result<Keystore> create(const std::string& path);

  // The secret of an epoch; it must be that of the public key with this text.
  [[nodiscard]] base::Result<record::SigningKey> load(std::uint64_t epoch,
                                                      std::string_view vkey) const;
  // Writes and syncs the secret of an epoch; a file left by a crash before its commit is replaced.
  base::Result<void> save(std::uint64_t epoch, const record::SigningKey& key) const;
  // Overwrites and removes the secret of an epoch that is over. Nothing to do is no failure.
  base::Result<void> retire(std::uint64_t epoch) const;

  static std::string file_name(std::uint64_t epoch);

 private:
  Keystore(base::UniqueFd directory, std::string path)
      : directory_(std::move(directory)), path_(std::move(path)) {}
  [[nodiscard]] std::string shown(std::uint64_t epoch) const {
    return path_ + "/" + file_name(epoch);
  }
  base::UniqueFd directory_;
  std::string path_;
};

}  // namespace ethos::ledger
