// SPDX-License-Identifier: Apache-2.0
#include "sandbox/learn.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <ostream>

#include "ledger/base/file_io.h"
#include "ledger/base/paths.h"
#include "sandbox/declaration_text.h"
#include "sandbox/drift.h"
#include "sandbox/exit_status.h"
#include "sandbox/learner.h"
#include "sandbox/load_policy.h"
#include "sandbox/output_files.h"
#include "sandbox/path_text.h"
#include "sandbox/regular_file.h"
#include "sandbox/run_command.h"
#include "sandbox/shown_text.h"

namespace ethos::sandbox {
namespace {

using base::Errc;
using base::Result;

constexpr std::size_t kMaxFile = 262'145;

// Of a command without a declaration: the arguments are the last words that name something here.
void split_words(const std::vector<std::string>& words, std::vector<std::string>& command,
                 std::vector<std::string>& arguments) {
  std::size_t at = words.size();
  while (at > 1 && !words[at - 1].starts_with('-') &&
         look_at_host(words[at - 1]) != HostNode::absent)
    --at;
  command.assign(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(at));
  arguments.assign(words.begin() + static_cast<std::ptrdiff_t>(at), words.end());
}

class LearnCommand {
 public:
  LearnCommand(const RunOptions& options, std::ostream& out, std::ostream& err)
      : options_(options), out_(out), err_(err) {}

  int go() {
    if (auto checked = check_output_file(); !checked) return wrong(checked.error());
    if (auto found = find_present(); !found) return wrong(found.error());
    if (auto joined = join(); !joined) return wrong(joined.error());
    if (options_.learn.is_diff && !present_)
      return wrong(base::Error{Errc::not_found,
                               "--diff: there is no declaration of it to compare with; name a "
                               "declared tool or --join one"});
    auto site = LearnSite::make(options_, arguments_);
    if (!site) return complain(site.error().message(), code(ExitStatus::runner_failed));
    frame_.cwd = site->cwd();
    Learner learner(*site, frame_, needs_, err_, options_.is_quiet);
    if (!learner.observe(options_.learn.runs)) return complain(learner.failure(), learner.status());
    if (!learner.confirm()) return complain(learner.failure(), learner.status());
    if (!learner.failure().empty()) learner.report().reasons.push_back(learner.failure());
    return print(learner);
  }

 private:
  int complain(const std::string& text, int status) {
    err_ << "ethos-run: learn: " << shown_word(text, kShownMessage) << '\n';
    return status;
  }
  int wrong(const base::Error& error) { return complain(error.message(), code(ExitStatus::usage)); }

  // Before anything runs: a file that is there is not touched.
  Result<void> check_output_file() {
    if (!options_.learn.output || *options_.learn.output == "-") return {};
    const auto path = base::absolute_path(*options_.learn.output);
    if (!path) return base::Unexpected(base::Error(path.error()));
    if (has_git_component(*path))
      return base::fail(Errc::refused, "--output " + *path + " lies in .git");
    if (look_at_host(*path) != HostNode::absent)
      return base::fail(Errc::exists, "--output " + *path +
                                          " is there already; learn overwrites "
                                          "no declaration");
    return {};
  }

  Result<void> find_present() {
    auto cwd = current_directory();
    if (!cwd) return base::Unexpected(std::move(cwd).error());
    auto workspace = open_workspace(options_.workspace, *cwd);
    if (!workspace) return base::Unexpected(std::move(workspace).error());
    workspace_ = workspace->path;
    ToolDeclaration& base = frame_.base;
    if (options_.tool) {
      PolicyRequest request;
      request.tool = options_.tool;
      request.config = options_.config;
      request.config_revision = options_.config_revision;
      request.ceiling = options_.ceiling;
      auto policy = load_policy(*workspace, request);
      if (!policy) return base::Unexpected(std::move(policy).error());
      if (policy->refusal) return base::fail(Errc::malformed, policy->refusal->cause);
      present_ = policy->declaration;
      present_name_ = policy->source_name;
      base = *policy->declaration;
      arguments_ = options_.words;
    } else {
      split_words(options_.words, base.command, arguments_);
      base.name = tool_name_of(base.command.front());
      base.hide = {".env", ".env.*", "*.pem", "*.key"};
    }
    return take_options();
  }

  Result<void> take_options() {
    ToolDeclaration& base = frame_.base;
    const GrantOptions& grants = options_.grants;
    base.hide.insert(base.hide.end(), grants.hide.begin(), grants.hide.end());
    for (const std::string& text : grants.env) {
      auto entry = parse_env_entry(text);
      if (!entry) return base::Unexpected(std::move(entry).error().with_context("--env"));
      std::erase_if(base.env, [&](const EnvEntry& e) { return e.name == entry->name; });
      base.env.push_back(std::move(*entry));
    }
    ToolDeclaration limits;
    for (const auto* list : {&grants.limits, &grants.enforce})
      for (const std::string& text : *list) {
        const std::size_t equals = std::min(text.find('='), text.size());
        const std::string value = equals == text.size() ? "" : text.substr(equals + 1);
        auto set = list == &grants.limits ? set_limit(limits, text.substr(0, equals), value)
                                          : set_enforce(base, text.substr(0, equals), {value});
        if (!set) return base::Unexpected(std::move(set).error());
      }
    frame_.fixed = std::move(limits.limits);
    if (grants.profile) {
      if (!is_profile(*grants.profile))
        return base::fail(Errc::malformed,
                          "--profile is one of " + std::string(allowed_words("profile")));
      base.profile = *grants.profile;
    }
    return {};
  }

  Result<void> join() {
    for (const std::string& path : options_.learn.join) {
      auto text = read_regular_file(path, kMaxFile);
      if (!text) return base::Unexpected(std::move(text).error().with_context("--join"));
      auto parsed = parse_declaration(*text);
      if (!parsed)
        return base::Unexpected(std::move(parsed).error().with_context("--join " + path));
      const ToolDeclaration* tool = parsed->find(frame_.base.name);
      if (tool == nullptr)
        return base::fail(Errc::not_found,
                          "--join " + path + " declares no tool \"" + frame_.base.name + "\"");
      if (!present_ && !options_.tool) {
        present_ = *tool;
        present_name_ = path;
      }
      take_declaration(*tool, workspace_, needs_, frame_.least);
    }
    return {};
  }

  int print(Learner& learner) {
    LearnReport& report = learner.report();
    const ToolDeclaration& proposal = learner.proposal();
    report.command = proposal.name + (arguments_.empty() ? "" : " --");
    for (const std::string& word : arguments_) report.command += " " + word;
    if (present_) {
      report.present = present_name_;
      auto drifts = compare_declarations(Declaration{{*present_}}, Declaration{{proposal}});
      if (!drifts) return wrong(drifts.error());
      report.drifts = std::move(*drifts);
    }
    const int status = code(report.is_confirmed ? ExitStatus::ok : ExitStatus::finding);
    std::string text;
    if (options_.learn.is_diff) {
      const std::string format = options_.format.value_or("text");
      text = format == "json"       ? drift_json(report.drifts)
             : format == "markdown" ? drift_markdown(report.drifts)
                                    : drift_text(report.drifts);
      if (!report.is_confirmed)
        for (const std::string& reason : report.reasons) complain(reason, status);
    } else {
      text = declaration_text(proposal, report_lines(report));
    }
    if (!options_.learn.output || *options_.learn.output == "-") {
      out_ << text;
      return status;
    }
    auto written = write_new(*options_.learn.output, text);
    return written ? status : wrong(written.error());
  }

  // In the workspace no link is followed on the way.
  Result<void> write_new(const std::string& name, const std::string& text) const {
    constexpr mode_t kMode = 0644;
    auto path = base::absolute_path(name);
    if (!path) return base::Unexpected(std::move(path).error());
    auto workspace = open_workspace(workspace_, workspace_);
    if (!workspace) return base::Unexpected(std::move(workspace).error());
    const auto inside = relative_to(*workspace, *path);
    if (!inside) return base::create_file(*path, base::as_bytes(text), kMode);
    const auto [parent, last] = base::split_path(*inside);
    const base::UniqueFd fd(open_granted(*workspace, parent, O_PATH | O_DIRECTORY));
    if (!fd.is_open()) return base::fail(Errc::refused, "--output " + name + ": no such directory");
    return base::create_file("/proc/self/fd/" + std::to_string(fd.get()) + "/" + last,
                             base::as_bytes(text), kMode);
  }

  const RunOptions& options_;
  std::ostream& out_;
  std::ostream& err_;
  LearnFrame frame_;
  Needs needs_;
  std::vector<std::string> arguments_;
  std::string workspace_;
  std::optional<ToolDeclaration> present_;
  std::string present_name_;
};

}  // namespace

int run_learn(const RunOptions& options, std::ostream& out, std::ostream& err) {
  return LearnCommand(options, out, err).go();
}

}  // namespace ethos::sandbox
