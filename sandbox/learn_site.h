// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ledger/base/result.h"
#include "sandbox/declaration.h"
#include "sandbox/observation.h"
#include "sandbox/prepare.h"
#include "sandbox/run_options.h"

namespace ethos::sandbox {

// Where `ethos-run learn` makes its runs: a private directory outside the workspace for the
// declarations that it tries, and for a ledger when the caller named none. Removed at the end.
class LearnSite {
 public:
  // `words`: the tool's arguments.
  static base::Result<LearnSite> make(const RunOptions& options, std::vector<std::string> words);
  LearnSite(LearnSite&& other) noexcept;
  LearnSite(const LearnSite&) = delete;
  LearnSite& operator=(LearnSite&&) = delete;
  LearnSite& operator=(const LearnSite&) = delete;
  ~LearnSite();

  // `tool` without what the ceilings, or the host, do not allow; what was taken away, as
  // "read:/etc/x" with the reason. An error when nothing of that helps.
  struct Settled {
    ToolDeclaration tool;
    std::vector<std::pair<std::string, std::string>> dropped;
  };
  base::Result<Settled> settle(ToolDeclaration tool);

  // Runs the tool; its exit status is ethos-run's. Directories that only its grants made are gone
  // again afterwards.
  int run(const ToolDeclaration& tool, Observation& seen, std::ostream& err);

  [[nodiscard]] const std::string& workspace() const { return workspace_; }
  [[nodiscard]] const std::string& cwd() const { return cwd_; }  // in normal form; "." outside

 private:
  LearnSite() = default;
  base::Result<void> make_ledger();
  base::Result<void> write_declaration(const ToolDeclaration& tool) const;
  base::Result<Prepared> prepare_for(const ToolDeclaration& tool);

  RunOptions options_;  // of each run
  std::string workspace_;
  std::string cwd_ = ".";
  std::string directory_;  // empty when moved from
  bool has_own_ledger_ = false;
};

}  // namespace ethos::sandbox
