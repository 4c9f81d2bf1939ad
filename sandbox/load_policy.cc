// SPDX-License-Identifier: Apache-2.0
#include "sandbox/load_policy.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>

#include "ledger/base/file_io.h"
#include "ledger/base/paths.h"
#include "ledger/record/digest.h"
#include "sandbox/git_object.h"

namespace ethos::sandbox {
namespace {

using base::Errc;
using base::fail;
using base::Result;
using base::UniqueFd;

constexpr std::size_t kMaxFile = 262'144 + 1;  // one more, so that the parser says "too large"
constexpr const char* kDeclarationName = "ethos.json";

struct Opened {
  std::string path;  // absolute
  std::string bytes;
  uid_t owner = 0;
  mode_t mode = 0;
};

Result<Opened> read_open(const UniqueFd& fd, std::string path) {
  struct stat st {};
  if (::fstat(fd.get(), &st) != 0) return base::fail_errno(path, errno);
  if (!S_ISREG(st.st_mode)) return fail(Errc::refused, path + " is no regular file");
  auto bytes = base::read_fd(fd, kMaxFile, path);
  if (!bytes) return base::Unexpected(std::move(bytes).error());
  return Opened{std::move(path), std::move(*bytes), st.st_uid, st.st_mode};
}

// A file the caller names. Inside the workspace no link is followed: its parents may be hostile.
Result<Opened> read_named(const Workspace& workspace, const std::string& name) {
  auto path = base::absolute_path(name);
  if (!path) return base::Unexpected(std::move(path).error());
  int fd = -1;
  if (const auto inside = relative_to(workspace, *path)) {
    fd = open_granted(workspace, *inside, O_RDONLY | O_NONBLOCK);
    if (fd < 0) return base::fail_errno(name, -fd);
  } else {
    fd = ::open(path->c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return base::fail_errno(name, errno);
    // Where it really lies decides whether the tool could reach it.
    if (auto real = real_path(*path)) path = std::move(real);
  }
  return read_open(UniqueFd(fd), std::move(*path));
}

Refusal refusal(const char* rule, const std::string& on, const std::string& cause,
                const std::string& fix) {
  Refusal r;
  r.rule = rule;
  r.on = on;
  r.cause = cause;
  r.fix = fix;
  r.key = rule;
  return r;
}

class Loader {
 public:
  Loader(const Workspace& workspace, const PolicyRequest& request)
      : workspace_(workspace), request_(request) {}

  Result<Policy> run() {
    policy_.tool = request_.tool ? *request_.tool : tool_name_of(request_.program);
    if (auto r = host_ceiling(); !r) return base::Unexpected(std::move(r).error());
    if (auto r = find_declaration(); !r) return base::Unexpected(std::move(r).error());
    if (auto r = named_ceiling(); !r) return base::Unexpected(std::move(r).error());
    const bool is_trusted = policy_.origin == Origin::pinned || policy_.origin == Origin::revision;
    if (!is_trusted) policy_.ceilings.insert(policy_.ceilings.begin(), workspace_ceiling());
    if (policy_.refusal) return std::move(policy_);
    assert(policy_.declaration);
    auto normal =
        build_normal(*policy_.declaration, policy_.origin, policy_.ceilings, workspace_.path);
    if (!normal) {
      policy_.refusal = refusal("declaration", "declaration:" + policy_.tool, normal.error().what,
                                "correct the declaration or the option");
      return std::move(policy_);
    }
    if (request_.tool && !request_.options.is_empty()) {
      normal = narrow(std::move(*normal), request_.options, workspace_.path);
      if (!normal) return base::Unexpected(std::move(normal).error());
    }
    policy_.normal = std::move(*normal);
    return std::move(policy_);
  }

 private:
  // --- ceilings ---------------------------------------------------------------------------------

  // Denials are recorded, and a record must not name somebody's home.
  std::string shown(const std::string& path) const {
    return relative_to(workspace_, path).value_or(base::split_path(path).name);
  }

  void take_ceiling(const Opened& file) {
    auto ceiling = parse_ceiling(file.bytes);
    if (ceiling) {
      policy_.ceilings.push_back(std::move(*ceiling));
    } else if (!policy_.refusal) {
      policy_.refusal =
          refusal("ceiling", "ceiling:" + shown(file.path),
                  shown(file.path) + ": " + ceiling.error().what, "correct the ceiling");
    }
    policy_.files.push_back(file.path);
  }

  Result<void> host_ceiling() {
    UniqueFd fd(
        ::open(request_.host_ceiling.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    const bool is_absent = !fd.is_open() && (errno == ENOENT || errno == ENOTDIR);
    if (is_absent && !request_.is_host_ceiling_required) return {};
    if (!fd.is_open()) return base::fail_errno(request_.host_ceiling, errno);
    auto file = read_open(fd, request_.host_ceiling);
    if (!file) return base::Unexpected(std::move(file).error());
    // What somebody else can write is nobody's ceiling, and ignoring it would lift a limit.
    if (file->owner != 0 || (file->mode & (S_IWGRP | S_IWOTH)) != 0) {
      policy_.refusal =
          refusal("ceiling", "ceiling:" + file->path, file->path + " does not belong to root alone",
                  "chown root it, chmod 0644");
      return {};
    }
    const std::size_t before = policy_.ceilings.size();
    take_ceiling(*file);
    if (policy_.ceilings.size() > before) {
      pinned_ = policy_.ceilings.back().pinned;
      policy_.decision_keys = policy_.ceilings.back().decision_keys;
    }
    return {};
  }

  Result<void> named_ceiling() {
    if (!request_.ceiling) return {};
    auto file = read_named(workspace_, *request_.ceiling);
    if (!file) return base::Unexpected(std::move(file).error().with_context("--ceiling"));
    take_ceiling(*file);
    return {};
  }

  // --- declaration ------------------------------------------------------------------------------

  Result<void> find_declaration() {
    if (!request_.tool) {
      if (request_.config || request_.config_revision)
        return fail(Errc::refused,
                    "--config and --config-rev go with a tool's name, not with a command after --");
      auto declared = declare(request_.options, request_.program);
      if (!declared) return base::Unexpected(std::move(declared).error());
      policy_.declaration = std::move(*declared);
      policy_.source_name = "options";
      return {};
    }
    if (request_.config_revision) return from_revision();
    if (request_.config) {
      auto file = read_named(workspace_, *request_.config);
      if (!file) return base::Unexpected(std::move(file).error().with_context("--config"));
      return from_file(std::move(*file), true);
    }
    UniqueFd fd(open_granted(workspace_, kDeclarationName, O_RDONLY | O_NONBLOCK));
    if (!fd.is_open()) {
      const int error = -open_granted(workspace_, kDeclarationName, O_PATH);
      if (error != ENOENT)
        return base::fail_errno(std::string(kDeclarationName), error > 0 ? error : EACCES);
      return from_catalog(false);
    }
    auto file = read_open(fd, workspace_.path + "/" + kDeclarationName);
    if (!file) return base::Unexpected(std::move(file).error());
    return from_file(std::move(*file), false);
  }

  bool is_pinned(const std::string& bytes) const {
    return std::ranges::find(pinned_, record::sha256(base::as_bytes(bytes)).text()) !=
           pinned_.end();
  }

  // A malformed declaration denies the run; a tool it does not have is a mistake of the caller.
  Result<void> from_file(Opened file, bool is_named) {
    policy_.origin = request_.is_made_up     ? Origin::learn
                     : is_pinned(file.bytes) ? Origin::pinned
                                             : Origin::workspace;
    policy_.files.push_back(file.path);
    policy_.source_name = file.path;
    auto parsed = parse_declaration(file.bytes);
    if (!parsed) {
      refuse_declaration(shown(file.path), parsed.error().what);
    } else if (const ToolDeclaration* tool = parsed->find(*request_.tool)) {
      policy_.declaration = *tool;
    } else if (is_named) {
      return fail(Errc::not_found, file.path + " declares no tool \"" + *request_.tool + "\"");
    } else {
      return from_catalog(true);
    }
    policy_.source = std::move(file.bytes);
    return {};
  }

  void refuse_declaration(const std::string& name, const std::string& why) {
    if (!policy_.refusal)
      policy_.refusal = refusal("declaration", "declaration:" + policy_.tool, name + ": " + why,
                                "correct the declaration");
  }

  Result<void> from_catalog(bool has_file) {
    const auto catalog = parse_declaration(catalog_text());
    assert(catalog);
    const ToolDeclaration* tool = catalog->find(*request_.tool);
    if (tool == nullptr) {
      const std::string where =
          has_file ? "neither ethos.json nor the shipped catalog declares"
                   : "there is no ethos.json, and the shipped catalog does not declare";
      return fail(Errc::not_found,
                  where + " a tool \"" + *request_.tool +
                      "\"; to run a command of your own: ethos-run [OPTIONS] -- COMMAND");
    }
    policy_.origin = Origin::catalog;
    policy_.declaration = *tool;
    policy_.source = std::string(catalog_text());
    policy_.source_name = "catalog";
    return {};
  }

  Result<void> from_revision() {
    const std::string name = request_.config.value_or(kDeclarationName);
    auto path = base::absolute_path(name);
    if (!path) return base::Unexpected(std::move(path).error());
    // A relative name means the same file as in the work tree.
    const auto inside = request_.config ? relative_to(workspace_, *path)
                                        : std::optional<std::string>(kDeclarationName);
    if (!inside)
      return fail(Errc::refused,
                  "--config " + name + " lies outside the workspace, so no commit has it");
    auto file = read_git_file(workspace_, *request_.config_revision, *inside, kMaxFile,
                              Abbreviations::refused);
    if (!file) return base::Unexpected(std::move(file).error().with_context("--config-rev"));
    policy_.origin = Origin::revision;
    policy_.source_revision = file->commit;
    policy_.source_name = file->commit + ":" + *inside;
    auto parsed = parse_declaration(file->bytes);
    if (!parsed) {
      refuse_declaration(policy_.source_name, parsed.error().what);
    } else if (const ToolDeclaration* tool = parsed->find(*request_.tool)) {
      policy_.declaration = *tool;
    } else {
      return fail(Errc::not_found,
                  policy_.source_name + " declares no tool \"" + *request_.tool + "\"");
    }
    policy_.source = std::move(file->bytes);
    return {};
  }

  const Workspace& workspace_;
  const PolicyRequest& request_;
  std::vector<std::string> pinned_;
  Policy policy_;
};

}  // namespace

Result<Policy> load_policy(const Workspace& workspace, const PolicyRequest& request) {
  return Loader(workspace, request).run();
}

}  // namespace ethos::sandbox
