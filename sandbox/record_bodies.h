// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ledger/record/digest.h"
#include "sandbox/cage.h"
#include "sandbox/committer.h"
#include "sandbox/grants.h"
#include "sandbox/json_value.h"

// Bodies of a run's records from what happened: docs/formats/events.md. No file, no clock.
namespace ethos::sandbox {

// One measured program file.
struct ProgramFile {
  BasedPath path;
  record::Digest sha256;
  std::uint64_t size = 0;
};

struct DecisionFact {
  bool is_authenticated = false;
  std::string document;  // exact bytes
  std::string policy;
  std::string verdict;
};

// What `run.open` says. Texts that may be missing are empty.
struct OpenFacts {
  std::string tool;
  std::string origin;
  std::string profile;
  std::string observe;
  std::string isolation = "namespace";
  std::string product;
  std::vector<std::string> argv;
  std::uint32_t caller_uid = 0;
  std::uint32_t caller_gid = 0;
  std::int64_t caller_pid = 0;
  std::optional<std::uint32_t> login_uid;
  std::vector<std::pair<std::string, record::Digest>> ceilings;
  std::optional<std::string> actor;
  std::optional<std::string> task;
  std::optional<DecisionFact> decision;
  std::optional<ProgramFile> program;
  std::vector<ProgramFile> interpreters;  // at most five, each read by the next
  std::optional<std::string> source;
  std::optional<std::string> source_revision;
  std::string normal_bytes;  // empty: none, as in a run refused before there was one
  std::string facts_bytes;
  std::string plan_bytes;
  std::string arch;
  std::string cgroup;  // v2, hybrid, v1, none
  std::string kernel;
  int landlock_abi = 0;
  std::optional<std::string> git_layout;
  std::optional<std::string> git_revision;
  std::string workspace;
  std::uint64_t workspace_device = 0;
  std::uint64_t workspace_inode = 0;
};

[[nodiscard]] Json open_body(const OpenFacts& open, Committer& committer);
[[nodiscard]] Json denial_body(const Denial& denial, Committer& committer);
// Phase `setup`, source `plan`: what the policy refused.
[[nodiscard]] Json refusal_body(const Refusal& refusal, Committer& committer);
// Phase `setup`, source `launcher`: a step of building the cage that failed.
[[nodiscard]] Json setup_denial_body(const SetupDenial& denial, const std::string& workspace,
                                     Committer& committer);
[[nodiscard]] Json limit_body(const LimitEvent& event);
[[nodiscard]] Json gap_body(const Gap& gap);
[[nodiscard]] Json artifact_body(const Artifact& artifact, Committer& committer);

struct OutputFact {
  std::string stream;  // stdout, stderr
  std::uint64_t bytes = 0;
  bool is_truncated = false;
  Json data;  // commitment of kind `output`
};
[[nodiscard]] Json output_body(const OutputFact& output);

struct CloseFacts {
  std::uint64_t denied_acts = 0;
  std::int64_t denial_records = 0;
  std::int64_t gaps = 0;
  std::vector<std::string> limits;  // that were hit
  std::int64_t records = 0;         // this one included
  int status = 0;
  const RunResult* result = nullptr;  // null: refused
  bool has_cgroup = false;
  std::optional<Json> execs;
};
[[nodiscard]] Json close_body(const CloseFacts& close);

// Valid UTF-8 of at most `most` bytes without control characters: for texts from the system.
[[nodiscard]] std::string bounded_text(std::string_view text, std::size_t most);

}  // namespace ethos::sandbox
