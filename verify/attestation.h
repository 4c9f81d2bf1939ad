// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "verify/report_json.h"
#include "verify/result.h"
#include "verify/session_inputs.h"

namespace ethos::verify {

// The key that signs statements: a secret of the form keys.md K-3, of the auditor's own.
class StatementKey {
 public:
  // Refused like the writer's secrets (K-12): links, other owners, any right for group or others.
  static Result<StatementKey> read(const std::string& path);
  StatementKey(StatementKey&& other) noexcept;
  StatementKey(const StatementKey&) = delete;
  StatementKey& operator=(const StatementKey&) = delete;
  ~StatementKey();

  [[nodiscard]] const Vkey& vkey() const { return vkey_; }
  [[nodiscard]] std::string sign(std::string_view message) const;

 private:
  StatementKey() = default;
  static Result<StatementKey> parse(std::string_view line);
  Vkey vkey_;
  std::array<unsigned char, 64> secret_{};
};

enum class StatementType { svr, vsa };

// An in-toto Statement v1 about the checkpoint that was verified: a Simple Verification Result v0.2 lists what
// passed; a SLSA Verification Summary v1 says PASSED or FAILED.
std::string verification_statement(StatementType type, const AuditReport& report, const ReportContext& context,
                                   const SessionInputs& inputs, std::int64_t now_ms);

// DSSE (one line of JSON): the statement with one signature.
std::string sign_statement(const std::string& statement, const StatementKey& key);

}  // namespace ethos::verify
