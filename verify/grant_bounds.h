// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "verify/json.h"
#include "verify/result.h"

namespace ethos::verify {

// What a list of grants (plan.md G-*) or a declared tool gives, in the terms in which two of them
// can be compared.
struct GrantBounds {
  struct Write {
    std::string path;
    bool may_delete = false;
  };
  std::vector<std::string> read;  // text form: relative in the workspace, else absolute
  std::vector<Write> write;
  std::vector<std::string> exec;
  bool exec_memory = false;
  bool exec_scratch = false;
  std::set<std::string> hides;  // patterns
  std::string network = "none";
  std::string git = "none";
  std::set<std::string> env_fixed;
  std::set<std::string> env_pass;
  std::map<std::string, std::uint64_t> limits;

  static GrantBounds of_grants(const std::vector<Value>& grants);
  static GrantBounds of_normal(const Value& normal);
};

// The first grant that goes beyond bounds. `place`: its index in the list; -1 when what is wrong is
// that one is missing.
struct BeyondBounds {
  std::int64_t place = -1;
  std::string text;
  bool is_closed = false;  // a value is committed and not disclosed: nobody can say
};

// FILE of `grants subset of FILE`: a declaration, whose tool of the run's name counts, or a list of
// grants, which counts for every run.
class GrantFile {
 public:
  static constexpr std::uint64_t kMaxBytes = std::uint64_t{8} << 20U;
  // Errors: malformed, too_long; a declaration must be good in all its tools.
  static Result<GrantFile> parse(std::string bytes);

  // `grants`: bodies of a run's capability.grant records, commitments replaced where they are
  // disclosed. `workspace`: its absolute path, when it is disclosed. Nothing: no grant goes beyond.
  // A declaration says which command, too. It is no grant: whether it is the same is told beside the answer.
  [[nodiscard]] bool is_declaration() const { return !bounds_; }
  // The command that it declares for that tool; empty where it does not.
  [[nodiscard]] std::vector<std::string> command(const std::string& tool,
                                                 const std::optional<std::string>& workspace);

  [[nodiscard]] std::optional<BeyondBounds> beyond(const std::string& tool,
                                                   const std::optional<std::string>& workspace,
                                                   const std::vector<Value>& grants);

 private:
  // What the declaration gives that tool; else why it gives none.
  struct Given {
    std::optional<GrantBounds> bounds;
    std::string why;
    std::vector<std::string> command;
  };
  const Given& given(const std::string& tool, const std::optional<std::string>& workspace);

  static constexpr std::size_t kMostGiven = 64;
  std::string declaration_;             // empty: a list of grants
  std::optional<GrantBounds> bounds_;   // of that list
  std::map<std::string, Given> given_;  // by tool and workspace
};

}  // namespace ethos::verify
