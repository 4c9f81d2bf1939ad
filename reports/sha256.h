// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

namespace ethos::reports {

using Hash = std::array<std::uint8_t, 32>;

// SHA-256 (FIPS 180-4), piece by piece. One context is used again after finish().
class Sha256 {
 public:
  Sha256();
  Sha256& add(std::string_view bytes);
  [[nodiscard]] Hash finish();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

Hash sha256(std::string_view bytes);
std::string hex(const Hash& hash);                // 64 lower-case digits
std::string sha256_text(std::string_view bytes);  // "sha256:" and 64 digits

}  // namespace ethos::reports
