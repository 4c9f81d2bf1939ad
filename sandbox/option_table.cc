// SPDX-License-Identifier: Apache-2.0
#include "sandbox/option_table.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace ethos::sandbox {
namespace {

using Text = std::optional<std::string>;
using List = std::vector<std::string>;

constexpr OptionRow text(const char* name, OptionUse use, Text& (*to)(RunOptions&),
                         const char* about, const char* kind = "F") {
  return {name, use, about, kind, to, nullptr, nullptr};
}
constexpr OptionRow list(const char* name, List& (*to)(RunOptions&), const char* about,
                         const char* kind) {
  return {name, OptionUse::both, about, kind, nullptr, to, nullptr};
}
constexpr OptionRow flag(const char* name, OptionUse use, bool& (*to)(RunOptions&),
                         const char* about) {
  return {name, use, about, "", nullptr, nullptr, to};
}

using O = RunOptions;
using enum OptionUse;

// In the order of the help text.
constexpr auto kTable = std::to_array<OptionRow>({
    text(
        "--workspace", both, [](O& o) -> Text& { return o.workspace; },
        "the directory to work on (default: top of the Git repository, else the current one)",
        "DIR"),
    text(
        "--config", both, [](O& o) -> Text& { return o.config; },
        "declaration file (default: ethos.json at the workspace's root, then the catalog)"),
    text(
        "--config-rev", both, [](O& o) -> Text& { return o.config_revision; },
        "take the declaration from this commit instead of the work tree", "REV"),
    text(
        "--ceiling", both, [](O& o) -> Text& { return o.ceiling; },
        "one more ceiling; it can only narrow"),
    list(
        "--read", [](O& o) -> List& { return o.grants.read; }, "grant reading", "PATH"),
    list(
        "--write", [](O& o) -> List& { return o.grants.write; }, "grant writing", "PATH"),
    list(
        "--write-delete", [](O& o) -> List& { return o.grants.write_delete; },
        "grant writing, and removing what was there before", "PATH"),
    list(
        "--exec", [](O& o) -> List& { return o.grants.exec; },
        "grant starting files (@memory, @scratch)", "PATH"),
    list(
        "--hide", [](O& o) -> List& { return o.grants.hide; }, "hide what matches", "PATTERN"),
    list(
        "--env", [](O& o) -> List& { return o.grants.env; }, "pass or set an environment variable",
        "NAME[=VALUE]"),
    list(
        "--limit", [](O& o) -> List& { return o.grants.limits; },
        "set a limit, e.g. wall=60s, memory=1GiB", "NAME=VALUE"),
    list(
        "--enforce", [](O& o) -> List& { return o.grants.enforce; },
        "what may enforce a limit, e.g. memory=rlimit", "NAME=LIST"),
    text(
        "--network", both, [](O& o) -> Text& { return o.grants.network; }, "none or loopback",
        "MODE"),
    text(
        "--git", both, [](O& o) -> Text& { return o.grants.git; }, "none or read", "MODE"),
    text(
        "--observe", both, [](O& o) -> Text& { return o.grants.observe; }, "off, writes or all",
        "MODE"),
    text(
        "--profile", both, [](O& o) -> Text& { return o.grants.profile; },
        "lint-offline, build-offline or no-proc (with a command after --)", "NAME"),
    text(
        "--ledger", both, [](O& o) -> Text& { return o.ledger; },
        "the ledger (default: $ETHOS_LEDGER, then the state directory)"),
    text(
        "--keys", both, [](O& o) -> Text& { return o.keys; },
        "directory of the ledger's keys (default: beside it)", "DIR"),
    text(
        "--service", run, [](O& o) -> Text& { return o.service; },
        "socket of the service that writes the ledger (default: $ETHOS_SERVICE, then one beside "
        "the ledger)",
        "SOCKET"),
    flag(
        "--by-service", run, [](O& o) -> bool& { return o.is_by_service; },
        "have that service build the cage too: the caller holds no key"),
    text(
        "--cgroup-parent", both, [](O& o) -> Text& { return o.cgroup_parent; },
        "cgroup v2 directory to make the cage's group in", "DIR"),
    flag(
        "--quiet", both, [](O& o) -> bool& { return o.is_quiet; }, "say nothing but errors"),
    flag(
        "--json", plan, [](O& o) -> bool& { return o.is_json; }, "print the exact evidence bytes"),
    text(
        "--sarif", run, [](O& o) -> Text& { return o.sarif; },
        "write findings and evidence as SARIF 2.1.0"),
    text(
        "--run-id-file", run, [](O& o) -> Text& { return o.run_id_file; },
        "write the run's id here"),
    text(
        "--status-json", run, [](O& o) -> Text& { return o.status_json; },
        "write how it ended here"),
    text(
        "--decision", run, [](O& o) -> Text& { return o.decision; },
        "the control plane's decision that allowed this run"),
    text(
        "--task", run, [](O& o) -> Text& { return o.task; }, "what the run is for", "TEXT"),
    text(
        "--actor", run, [](O& o) -> Text& { return o.actor; }, "who asked for it", "TEXT"),
    text(
        "--audit", run, [](O& o) -> Text& { return o.audit; },
        "auto, off, require or enable: the kernel's audit as a source of denials", "MODE"),
    text(
        "--stdin", run, [](O& o) -> Text& { return o.standard_input; },
        "none, inherit or a file (default: a pipe or file is inherited, a terminal never)", "WHAT"),
    flag(
        "--keep-output", run, [](O& o) -> bool& { return o.keeps_output; },
        "keep the tool's output in the ledger"),
    flag(
        "--fail-on-denial", run, [](O& o) -> bool& { return o.fails_on_denial; },
        "exit 122 when an act of the tool was denied"),
    flag(
        "--no-init", run, [](O& o) -> bool& { return o.has_no_init; }, "never make a ledger"),
});

// Characters to which no command-line parser gives a meaning inside a value.
bool is_plain(std::string_view value) {
  return !value.empty() && value.front() != '-' && std::ranges::all_of(value, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' ||
           c == '.' || c == '_' || c == '-' || c == '=' || c == '@' || c == ':' || c == '+';
  });
}

// Takes args[at] and the value behind it, if it needs one; false: not plain.
bool take(const std::vector<std::string>& args, std::size_t& at, RunOptions& o) {
  const std::string_view arg = args[at];
  const std::size_t equals = arg.find('=');
  const std::string_view name = arg.substr(0, equals);
  const auto row = std::ranges::find_if(kTable, [&](const OptionRow& r) { return r.name == name; });
  if (row == kTable.end() || !applies_to(*row, o.command)) return false;
  if (row->flag != nullptr) {
    if (equals != std::string_view::npos) return false;
    return std::exchange(row->flag(o), true) == false;
  }
  if (equals == std::string_view::npos && ++at == args.size()) return false;
  const std::string_view value =
      equals == std::string_view::npos ? std::string_view(args[at]) : arg.substr(equals + 1);
  if (!is_plain(value)) return false;
  if (row->list != nullptr) {
    row->list(o).emplace_back(value);
    return true;
  }
  auto& into = row->text(o);
  if (into) return false;
  into = value;
  return true;
}

}  // namespace

std::span<const OptionRow> option_table() { return kTable; }

bool applies_to(const OptionRow& row, Command command) {
  if (row.use == both) return true;
  return (row.use == OptionUse::plan) == (command == Command::plan);
}

std::optional<RunOptions> read_plain_options(const std::vector<std::string>& args,
                                             RunOptions start) {
  for (std::size_t at = 0; at < args.size(); ++at) {
    if (args[at].starts_with('-')) {
      if (!take(args, at, start)) return std::nullopt;
    } else {
      if (start.tool || !is_plain(args[at])) return std::nullopt;
      start.tool = args[at];
    }
  }
  return start;
}

}  // namespace ethos::sandbox
