// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>

#include "verify/edwards25519.h"
#include "verify/vkey.h"

namespace ethos::verify {

// Ed25519 signatures of which very many are by the same few keys: a checkpoint has one, and a
// ledger thousands of checkpoints. Each answer is that of verify_ed25519: of a key that signed
// often, multiples are kept, with which the very same equation costs a tenth, and whatever does not
// hold there is asked of verify_ed25519 itself. No signature's answer depends on another one, as it
// may in a batch with random factors. May be called by several threads.
class SignatureChecker {
 public:
  struct Question {
    const Vkey* key = nullptr;
    std::string_view text;
    std::string_view signature;
    bool is_right = false;  // the answer
  };
  void check(std::span<Question> questions);

 private:
  using Key = std::array<unsigned char, 32>;
  using Table = std::shared_ptr<const PointMultiples>;
  struct Known {
    std::uint64_t uses = 0;
    bool is_odd = false;  // no table of it is made
    Table table;
  };
  static constexpr std::uint64_t kWorthwhile =
      24;  // making a table takes as long as some five signatures
  static constexpr std::size_t kMostKeys = 1024;
  static constexpr std::size_t kMostTables = 4;

  Table table_of(const Vkey& key, std::uint64_t uses);
  static void check_by_table(std::span<Question*> questions, const PointMultiples& base,
                             const PointMultiples& key);

  std::mutex mutex_;
  std::map<Key, Known> keys_;
  std::list<Key> with_table_;  // the last one made first
  Table base_;
};

}  // namespace ethos::verify
