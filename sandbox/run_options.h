// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sandbox/narrow.h"

// The command line of ethos-run.
namespace ethos::sandbox {

enum class Command { run, plan, doctor, drift, learn };

// Of `ethos-run learn` alone.
struct LearnOptions {
  int runs = 1;
  std::optional<std::string> output;
  std::vector<std::string> join;
  bool is_diff = false;
  friend bool operator==(const LearnOptions&, const LearnOptions&) = default;
};

struct RunOptions {
  Command command = Command::run;
  std::optional<std::string> tool;  // absent: ad hoc, `words` is the whole command line
  std::vector<std::string> words;   // what stood after "--"
  GrantOptions grants;
  std::optional<std::string> ledger;
  std::optional<std::string> keys;
  std::optional<std::string> service;
  std::optional<std::string> config;
  std::optional<std::string> config_revision;
  std::optional<std::string> ceiling;
  std::optional<std::string> workspace;
  std::optional<std::string> sarif;
  std::optional<std::string> run_id_file;
  std::optional<std::string> status_json;
  std::optional<std::string> decision;
  std::optional<std::string> task;
  std::optional<std::string> actor;
  std::optional<std::string>
      standard_input;  // none, inherit or a file; absent: inherit a pipe or file
  std::optional<std::string> cgroup_parent;
  std::optional<std::string> audit;  // auto, off, require, enable
  bool has_no_init = false;
  bool keeps_output = false;
  bool fails_on_denial = false;
  bool is_quiet = false;
  bool is_by_service = false;               // the service builds the cage
  std::optional<std::string> host_ceiling;  // not an option: of the service that builds the cage
  bool is_learning = false;  // not an option: `config` is a declaration that `learn` made up
  bool is_json = false;
  std::vector<std::string> drift_files;  // drift: two
  std::optional<std::string> format;     // drift, learn --diff: text, json, markdown
  LearnOptions learn;

  friend bool operator==(const RunOptions&, const RunOptions&) = default;
};

// The command line was answered (help, version) or is wrong: print and leave with `status`.
struct Answer {
  int status = 0;
  std::string out;  // for stdout
  std::string err;  // for stderr, one line without prefix
};

// `args` without the program's name.
[[nodiscard]] std::variant<RunOptions, Answer> parse_run_options(
    const std::vector<std::string>& args);

}  // namespace ethos::sandbox
