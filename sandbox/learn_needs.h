// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sandbox/declaration.h"
#include "sandbox/learn_paths.h"
#include "sandbox/observation.h"

// What a tool was seen to need, over one or more runs; pure but for the looks through HostLook.
namespace ethos::sandbox {

// What stands on the host at an absolute path, its last component not followed.
enum class HostNode { absent, file, linked_file, directory, link, other };  // linked: several names
using HostLook = std::function<HostNode(const std::string&)>;
[[nodiscard]] HostNode look_at_host(const std::string& path);
// Whether a file is one that programs map as code: its name says so, or it is an ELF object that is
// no program of its own.
using LibraryLook = std::function<bool(const std::string&)>;
[[nodiscard]] bool looks_like_library(const std::string& path);

struct Needs {
  PathNeeds read;
  PathNeeds write;
  PathNeeds exec;
  std::set<std::string> removes;    // names below the workspace that a run took away
  std::set<std::string> new_trees;  // directories that a run made; also in write.whole
  bool git = false;
  bool loopback = false;
  bool code_in_memory = false;
  bool code_in_scratch = false;
  std::map<std::string, std::uint64_t> most;  // normal limit name -> most that was measured

  friend bool operator==(const Needs& a, const Needs& b) {
    const auto same = [](const PathNeeds& x, const PathNeeds& y) {
      return x.places == y.places && x.whole == y.whole;
    };
    return same(a.read, b.read) && same(a.write, b.write) && same(a.exec, b.exec) &&
           a.removes == b.removes && a.git == b.git && a.loopback == b.loopback &&
           a.code_in_memory == b.code_in_memory && a.code_in_scratch == b.code_in_scratch;
  }
};

class NeedsReader {
 public:
  NeedsReader(std::string workspace, HostLook look, LibraryLook is_library)
      : workspace_(std::move(workspace)),
        look_(std::move(look)),
        is_library_(std::move(is_library)) {}

  // What the run used of its grants. `granted` are its declaration's entries: of places outside the
  // workspace only what they cover is taken.
  void take_uses(const Observation& seen, const ToolDeclaration& granted, Needs& needs) const;
  // What the run was denied and a declaration could grant. False: this is nothing to be granted.
  bool take_denial(const Denial& denial, Needs& needs) const;
  // Names in the workspace that were looked for and are not there.
  [[nodiscard]] std::set<std::string> absent_names(const Observation& seen) const;

 private:
  void take_place(const std::string& path, const Observation::Place& place,
                  const ToolDeclaration& granted, Needs& needs) const;
  static void take_repository(const std::string& at, Needs& needs);
  void take_read(const std::string& at, std::uint32_t uses, Needs& needs) const;
  void take_write(const std::string& at, const Observation::Place& place, Needs& needs) const;
  void take_new(const std::string& at, bool is_directory, Needs& needs) const;
  void take_exec(const std::string& at, Needs& needs) const;
  void take_denied_read(const std::string& at, Needs& needs) const;
  [[nodiscard]] std::string absolute(const std::string& at) const;
  [[nodiscard]] std::string nameable(std::string at, bool& is_shortened) const;

  std::string workspace_;
  HostLook look_;
  LibraryLook is_library_;
};

// The largest figures of a finished run, into `needs.most`.
void take_figures(const RunResult& result, Needs& needs);

// Everything `tool` grants is needed from now on: for joining proposals. `limits` as figures that
// must not be undercut.
void take_declaration(const ToolDeclaration& tool, const std::string& workspace, Needs& needs,
                      std::map<std::string, std::uint64_t>& limits);

}  // namespace ethos::sandbox
