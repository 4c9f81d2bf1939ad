// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sandbox/cage.h"
#include "sandbox/plan.h"

// Plans made by hand for tests of the cage, and a sink that keeps everything.
namespace ethos::support {

// A directory that is removed with everything in it; 0755, so that another uid may enter.
class ScratchDir {
 public:
  explicit ScratchDir(const std::string& parent = "/tmp");
  ScratchDir(const ScratchDir&) = delete;
  ScratchDir& operator=(const ScratchDir&) = delete;
  ~ScratchDir();
  [[nodiscard]] const std::string& path() const { return path_; }
  void write(const std::string& name, const std::string& content) const;
  [[nodiscard]] std::string read(const std::string& name) const;
  [[nodiscard]] bool exists(const std::string& name) const;
  // "path mode size hash" of every entry, sorted: equal text means nothing changed.
  [[nodiscard]] std::string snapshot() const;

 private:
  std::string path_;
};

// The base runtime of plan.md M-1 to M-6 and L-1 to L-4, identity by the caller's own uid, default
// limits without a cgroup, the workspace granted for reading.
[[nodiscard]] sandbox::Plan base_plan(const std::string& workspace, std::vector<std::string> argv);

void add_bind(sandbox::Plan& plan, const std::string& path, sandbox::NodeType type, bool read_only,
              bool no_exec);
// Grants workspace/`name`, which must exist, for writing: a directory staged, a file directly.
void grant_write(sandbox::Plan& plan, const std::string& name, bool allow_delete = false);
// Hides workspace/`name`.
void hide(sandbox::Plan& plan, const std::string& name, bool is_git);
void set_limit(sandbox::Plan& plan, const std::string& name, std::uint64_t value,
               sandbox::Enforcer by);

class KeepingSink final : public sandbox::EvidenceSink {
 public:
  bool on_barrier(const sandbox::Enforced& e) override;
  bool on_exec(const sandbox::ExecEvent& e) override;
  bool on_denial(const sandbox::Denial& d) override;
  bool on_limit(const sandbox::LimitEvent& e) override;
  bool on_gap(const sandbox::Gap& g) override;

  bool accepts_barrier = true;
  bool accepts_denials = true;
  std::vector<sandbox::Enforced> barriers;
  std::vector<sandbox::ExecEvent> execs;
  std::vector<sandbox::Denial> denials;
  std::vector<sandbox::LimitEvent> limits;
  std::vector<sandbox::Gap> gaps;

  // The first denial of this operation whose object contains `object`, or null.
  [[nodiscard]] const sandbox::Denial* find(const std::string& operation,
                                            const std::string& object = {}) const;
  [[nodiscard]] std::string text() const;
};

struct CageRun {
  sandbox::CageOutcome outcome;
  KeepingSink sink;
  [[nodiscard]] const sandbox::RunResult* result() const;
  [[nodiscard]] const sandbox::SetupDenial* refusal() const;
  // Everything in words, for CAPTURE.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::string out() const;
  [[nodiscard]] std::string err() const;
};

// Runs with output kept and not passed on.
void run(CageRun& into, const sandbox::Plan& plan, sandbox::LaunchOptions options = {});

// Empty when a cage can be built here; else the reason to skip.
[[nodiscard]] std::string why_no_cage();

}  // namespace ethos::support
