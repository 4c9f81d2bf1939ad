// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/base/result.h"
#include "sandbox/declaration.h"
#include "sandbox/normal.h"

// The grant options of the command line: alone they make an ad hoc declaration, together with a
// declared tool they may only narrow it (docs/formats/plan.md N-14).
namespace ethos::sandbox {

struct GrantOptions {
  std::vector<std::string> read;
  std::vector<std::string> write;
  std::vector<std::string> write_delete;  // what was there before may be removed, too
  std::vector<std::string> exec;
  std::vector<std::string> hide;
  std::vector<std::string> env;
  std::vector<std::string> limits;   // "memory=1GiB"
  std::vector<std::string> enforce;  // "memory=rlimit" or "memory=cgroup,rlimit"
  std::optional<std::string> network;
  std::optional<std::string> git;
  std::optional<std::string> observe;
  std::optional<std::string> profile;  // ad hoc only

  [[nodiscard]] bool is_empty() const;
  friend bool operator==(const GrantOptions&, const GrantOptions&) = default;
};

// The declaration that options amount to for the first word of a command line; the other words are
// extra arguments. Errc::malformed names the option.
[[nodiscard]] base::Result<ToolDeclaration> declare(const GrantOptions& options,
                                                    const std::string& program);

// "a tool's name" for an ad hoc command: its last component, other bytes as '_', at most 64.
[[nodiscard]] std::string tool_name_of(std::string_view command);

// `normal` with the narrower values of `options`; `narrowed` names the keys that changed.
// Errc::refused when an option would widen; Errc::malformed when it is none.
[[nodiscard]] base::Result<Normal> narrow(Normal normal, const GrantOptions& options,
                                          std::string_view workspace);

}  // namespace ethos::sandbox
