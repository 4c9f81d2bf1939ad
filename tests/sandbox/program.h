// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sandbox/jsonc.h"

// Starts the real programs in a directory of their own, as root or as an ordinary user.
namespace ethos::support {

struct Ended {
  int status = 0;  // exit code, or 128 + signal
  std::string out;
  std::string err;
};

struct Started {
  pid_t pid = -1;
  int out = -1;
  int err = -1;
};

// A workspace, a home and a ledger at its default place, removed at the end. With `uid`, everything
// belongs to that user and programs run as it; needs root.
class Site {
 public:
  explicit Site(std::optional<uid_t> uid = std::nullopt);
  ~Site();
  Site(const Site&) = delete;
  Site& operator=(const Site&) = delete;

  [[nodiscard]] std::string root() const { return root_.string(); }
  [[nodiscard]] std::string workspace() const { return (root_ / "work").string(); }
  [[nodiscard]] std::string ledger() const {
    return (root_ / "home/.local/state/ethos/ledger.db").string();
  }
  [[nodiscard]] std::string path(const std::string& below) const {
    return (root_ / below).string();
  }
  void file(const std::string& below_workspace, const std::string& content,
            mode_t mode = 0644) const;
  [[nodiscard]] std::string read(const std::string& below) const;
  [[nodiscard]] bool has(const std::string& below) const {
    return std::filesystem::exists(root_ / below);
  }

  // ethos-run with these words, in the workspace. `input` is given through a pipe.
  Ended run(const std::vector<std::string>& words,
            const std::optional<std::string>& input = std::nullopt) const;
  Ended program(const std::string& name, const std::vector<std::string>& words,
                const std::optional<std::string>& input = std::nullopt) const;
  Started start(const std::string& name, const std::vector<std::string>& words,
                int input = -1) const;
  static Ended wait(Started started);
  void set(const std::string& variable, const std::string& value) {
    environment_.push_back(variable + "=" + value);
  }

  // All records of the ledger as values, oldest first; with `type`, those of that type.
  [[nodiscard]] std::vector<sandbox::JsonNode> records(const std::string& type = "") const;

 private:
  std::filesystem::path root_;
  std::optional<uid_t> uid_;
  std::vector<std::string> environment_;
};

// node["a"]["b"] as text ("" when missing), numbers as written, true and false as such.
std::string text_at(const sandbox::JsonNode& node, std::initializer_list<const char*> keys);

}  // namespace ethos::support
