// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "verify/documents.h"
#include "verify/json.h"
#include "verify/run.h"

namespace ethos::verify {

// What one run was started as, used, started and left, as far as it is recorded and disclosed.
struct Used {
  struct Artifact {
    std::int64_t seq = -1;
    std::string action;
    std::string path;
    std::string type;
    std::string size;
    std::string sha256;  // "" for what is deleted, and directories
  };
  struct Program {
    std::string path;
    std::string count;
  };

  // Nothing: not disclosed, or, with `command_bytes`, too long to be shown.
  std::optional<std::vector<std::string>> command;
  std::size_t command_bytes = 0;
  std::vector<std::string> declared;  // the command of the declaration, when that is disclosed
  std::int64_t argc = -1;             // words of the command; -1: not recorded
  bool has_end = false;               // files are brought out at the end only
  bool is_cut = false;                // a tool started, and the run has no end of its own
  std::string exe;                    // the program's file; "" when it is not recorded
  std::string exe_sha256;
  std::int64_t duration_ms = -1;  // these four: -1 or "" without a run.close
  std::int64_t cpu_ms = -1;
  std::string max_rss_bytes;
  std::string programs_started;
  std::optional<std::vector<Program>> programs;  // nothing: not disclosed; the first kMaxPrograms
  bool has_more_programs = false;
  std::uint64_t output_bytes = 0;
  std::uint64_t artifacts_total = 0;
  std::vector<Artifact> artifacts;  // the first RunEvidence::kMaxArtifacts
  // What the facts say that no grant does; nothing when they are not disclosed.
  bool has_facts = false;
  std::vector<std::string> hidden;   // places that were hidden, the first kMaxHidden
  std::uint64_t hidden_total = 0;
  std::vector<std::string> runtime;  // directories of the base runtime, which could be read and started from
  std::vector<std::string> etc;      // files of /etc in it, which could be read

  static constexpr std::size_t kMaxPrograms = 50;
  static constexpr std::size_t kMaxHidden = 50;
};

// The command of the run's declaration; empty when that is not disclosed.
std::vector<std::string> declared_command(const RunEvidence& run, DocumentReader& reader);

// Words as a shell would read them, and no longer than can be shown.
std::string command_text(const std::vector<std::string>& words);

Used used_of(const RunEvidence& run, DocumentReader& reader);
Value used_json(const Used& used);
// In sentences, one a line.
std::vector<std::string> used_words(const Used& used);

}  // namespace ethos::verify
