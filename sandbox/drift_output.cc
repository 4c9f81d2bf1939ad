// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include <algorithm>
#include <ostream>

#include "ledger/base/file_io.h"
#include "sandbox/drift.h"
#include "sandbox/exit_status.h"
#include "sandbox/git_object.h"
#include "sandbox/json_value.h"
#include "sandbox/regular_file.h"
#include "sandbox/shown_text.h"
#include "sandbox/workspace.h"

namespace ethos::sandbox {
namespace {

constexpr std::size_t kMaxFile = 262'145;  // one more than allowed, so that the parser says it

std::string side(const std::string& text) { return text.empty() ? "(nothing)" : shown(text); }

// A cell of a table: nothing in it may end the cell, the row or the code span.
std::string cell(const std::string& text) {
  if (text.empty()) return "";
  std::string out = "`";
  for (const char c : shown(text)) {
    if (c == '|')
      out += "\\|";
    else
      out += c == '`' ? '\'' : c;
  }
  return out + "`";
}

base::Result<Workspace> workspace_of(const RunOptions& options) {
  auto cwd = current_directory();
  if (!cwd) return base::Unexpected(std::move(cwd).error());
  return open_workspace(options.workspace, *cwd);
}

// "REVISION" or "REVISION:PATH", as git writes it: the path is one of the repository.
base::Result<std::string> read_revision(const RunOptions& options, const std::string& name) {
  const std::size_t colon = name.find(':');
  const std::string path = colon == std::string::npos || colon + 1 == name.size()
                               ? std::string("ethos.json")
                               : name.substr(colon + 1);
  auto workspace = workspace_of(options);
  if (!workspace) return base::Unexpected(std::move(workspace).error());
  auto file =
      read_git_file(*workspace, name.substr(0, colon), path, kMaxFile, Abbreviations::taken);
  if (!file) return base::Unexpected(std::move(file).error());
  return std::move(file->bytes);
}

// What is a file is meant as a file; what looks like one is not looked for in the repository.
base::Result<Declaration> read_declaration(const RunOptions& options, const std::string& name) {
  struct stat st {};
  const bool is_there = ::stat(name.c_str(), &st) == 0;
  const bool looks_like_file =
      name.find(':') == std::string::npos && (name.ends_with(".json") || name.ends_with(".jsonc"));
  const bool is_file = is_there || looks_like_file;
  auto text = is_file ? read_regular_file(name, kMaxFile) : read_revision(options, name);
  if (!text && is_file) return base::Unexpected(std::move(text).error());
  if (!text)
    return base::Unexpected(
        std::move(text).error().with_context(name + " is no file, and as a revision"));
  auto parsed = parse_declaration(*text);
  if (!parsed) return base::Unexpected(std::move(parsed).error().with_context(name));
  return parsed;
}

base::Result<std::string> newer_name(const RunOptions& options) {
  if (options.drift_files.size() > 1) return std::string(options.drift_files[1]);
  auto workspace = workspace_of(options);
  if (!workspace) return base::Unexpected(std::move(workspace).error());
  return workspace->path + "/ethos.json";
}

bool needs_review(const std::vector<Drift>& drifts) {
  return std::ranges::any_of(drifts, [](const Drift& d) { return d.kind != DriftKind::narrowed; });
}

}  // namespace

std::string drift_text(const std::vector<Drift>& drifts) {
  if (drifts.empty()) return "nothing widened, nothing narrowed\n";
  std::string out;
  for (const Drift& d : drifts) {
    std::string kind(drift_kind_name(d.kind));
    kind.resize(9, ' ');
    out +=
        kind + " " + shown(d.tool) + " " + d.key + ": " + side(d.from) + " -> " + side(d.to) + "\n";
  }
  return out;
}

std::string drift_json(const std::vector<Drift>& drifts) {
  Json out;
  Json& changes = out["changes"] = Json::Array{};
  for (const Drift& d : drifts) {
    Json item;
    if (!d.from.empty()) item["from"] = d.from;
    item["key"] = d.key;
    item["kind"] = drift_kind_name(d.kind);
    if (!d.to.empty()) item["to"] = d.to;
    item["tool"] = d.tool;
    changes.push_back(std::move(item));
  }
  out["needs_review"] = needs_review(drifts);
  out["v"] = 1;
  return out.encode() + "\n";
}

std::string drift_markdown(const std::vector<Drift>& drifts) {
  if (drifts.empty()) return "No capability widened or narrowed.\n";
  std::string out = "| | Tool | What | From | To |\n|---|---|---|---|---|\n";
  for (const Drift& d : drifts) {
    const std::string kind(drift_kind_name(d.kind));
    out += "| " + (d.kind == DriftKind::narrowed ? kind : "**" + kind + "**") + " | " +
           cell(d.tool) + " | " + d.key + " | " + cell(d.from) + " | " + cell(d.to) + " |\n";
  }
  return out;
}

int show_drift(const RunOptions& options, std::ostream& out, std::ostream& err) {
  const auto fail = [&](const base::Error& error) {
    err << "ethos-run: " << error.message() << '\n';
    return code(ExitStatus::usage);
  };
  auto older = read_declaration(options, options.drift_files[0]);
  if (!older) return fail(older.error());
  const auto name = newer_name(options);
  if (!name) return fail(name.error());
  auto newer = read_declaration(options, *name);
  if (!newer) return fail(newer.error());
  auto drifts = compare_declarations(*older, *newer);
  if (!drifts) return fail(drifts.error());
  const std::string format = options.format.value_or("text");
  out << (format == "json"       ? drift_json(*drifts)
          : format == "markdown" ? drift_markdown(*drifts)
                                 : drift_text(*drifts));
  return code(needs_review(*drifts) ? ExitStatus::finding : ExitStatus::ok);
}

}  // namespace ethos::sandbox
