// SPDX-License-Identifier: Apache-2.0
#include "tests/support/cage_plan.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "sandbox/based_path.h"
#include "sandbox/sha256.h"

namespace ethos::support {

namespace fs = std::filesystem;
using namespace ethos::sandbox;  // NOLINT(google-build-using-namespace): a test helper

ScratchDir::ScratchDir(const std::string& parent) {
  std::string pattern = parent + "/ethos-cage-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) std::abort();
  path_ = pattern;
  chmod(path_.c_str(), 0755);
}

ScratchDir::~ScratchDir() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void ScratchDir::write(const std::string& name, const std::string& content) const {
  fs::create_directories(fs::path(path_ + "/" + name).parent_path());
  std::ofstream(path_ + "/" + name, std::ios::binary) << content;
}

std::string ScratchDir::read(const std::string& name) const {
  std::ifstream in(path_ + "/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

bool ScratchDir::exists(const std::string& name) const {
  return fs::exists(fs::symlink_status(path_ + "/" + name));
}

std::string ScratchDir::snapshot() const {
  std::vector<std::string> lines;
  for (const auto& entry : fs::recursive_directory_iterator(path_)) {
    struct stat found {};
    if (lstat(entry.path().c_str(), &found) != 0) continue;
    std::string line = entry.path().string() + " " + std::to_string(found.st_mode) + " " +
                       std::to_string(found.st_uid) + " ";
    if (S_ISREG(found.st_mode)) {
      std::ifstream in(entry.path(), std::ios::binary);
      const std::string content{std::istreambuf_iterator<char>(in), {}};
      line += std::to_string(content.size()) + " " +
              std::to_string(static_cast<int>(sha256(content)[0])) +
              std::to_string(static_cast<int>(sha256(content)[1]));
    }
    lines.push_back(std::move(line));
  }
  std::sort(lines.begin(), lines.end());
  std::string out;
  for (const auto& line : lines) out += line + "\n";
  return out;
}

namespace {

Mount make(const Plan& plan, MountKind kind, const std::string& at) {
  Mount m;
  m.kind = kind;
  m.at = at;
  m.where = based_path(at, plan.workspace);
  return m;
}

void rule(Plan& plan, const std::string& at, Access access, NodeType type) {
  plan.landlock.push_back({at, based_path(at, plan.workspace), type, access});
}

void add_device(Plan& plan, const std::string& path) {
  Mount m = make(plan, MountKind::bind, path);
  m.source = path;
  m.type = NodeType::file;
  m.read_only = false;
  m.no_dev = false;
  plan.mounts.push_back(std::move(m));
  rule(plan, path, Access::device, NodeType::file);
}

void add_usr(Plan& plan) {
  add_bind(plan, "/usr", NodeType::directory, true, false);
  rule(plan, "/usr", Access::read_exec, NodeType::directory);
  for (const char* name : {"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"}) {
    std::error_code error;
    const fs::path target = fs::read_symlink(name, error);
    if (!error) plan.links.push_back({name, target.string()});
  }
  for (const char* name : {"/etc/alternatives", "/etc/ld.so.cache"}) {
    if (!fs::exists(name)) continue;
    const bool is_dir = fs::is_directory(name);
    add_bind(plan, name, is_dir ? NodeType::directory : NodeType::file, true, true);
  }
  rule(plan, "/etc", Access::read, NodeType::directory);
  plan.files.push_back({"/etc/passwd", "user:x:1000:1000::/tmp/home:/bin/sh\n"});
}

void add_tmpfs_kinds(Plan& plan) {
  Mount root = make(plan, MountKind::root, "/");
  root.no_exec = false;
  plan.mounts.push_back(root);
  Mount dev = make(plan, MountKind::dev, "/dev");
  dev.no_dev = false;
  plan.mounts.push_back(dev);
  Mount proc = make(plan, MountKind::proc, "/proc");
  proc.read_only = false;
  plan.mounts.push_back(proc);
  Mount shm = make(plan, MountKind::scratch, "/dev/shm");
  shm.read_only = false;
  plan.mounts.push_back(shm);
  Mount tmp = make(plan, MountKind::scratch, "/tmp");
  tmp.read_only = false;
  tmp.size_bytes = 16U << 20;
  tmp.inodes = 1000;
  plan.mounts.push_back(tmp);
  rule(plan, "/dev", Access::read, NodeType::directory);
  rule(plan, "/dev/shm", Access::write, NodeType::directory);
  rule(plan, "/tmp", Access::write, NodeType::directory);
  rule(plan, "/proc", Access::read, NodeType::directory);
}

}  // namespace

void add_bind(Plan& plan, const std::string& path, NodeType type, bool read_only, bool no_exec) {
  struct stat found {};
  if (stat(path.c_str(), &found) != 0) std::abort();
  Mount m = make(plan, MountKind::bind, path);
  m.source = path;
  m.type = type;
  m.device = found.st_dev;
  m.inode = found.st_ino;
  m.read_only = read_only;
  m.no_exec = no_exec;
  plan.mounts.push_back(std::move(m));
}

Plan base_plan(const std::string& workspace, std::vector<std::string> argv) {
  Plan plan;
  plan.tool = "test";
  plan.workspace = workspace;
  plan.cwd = workspace;
  plan.argv = std::move(argv);
  add_tmpfs_kinds(plan);
  for (const char* name : {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"})
    add_device(plan, name);
  add_usr(plan);
  plan.directories = {workspace, "/tmp/home"};
  add_bind(plan, workspace, NodeType::directory, true, true);
  rule(plan, workspace, Access::read, NodeType::directory);
  plan.env = {
      {"HOME", "/tmp/home"}, {"LANG", "C.UTF-8"}, {"PATH", "/usr/bin:/bin"}, {"TMPDIR", "/tmp"}};
  plan.never_write = {{Base::workspace, ".git"}, {Base::workspace, "ethos.json"}};
  set_limit(plan, "wall_ms", 60'000, Enforcer::supervisor);
  set_limit(plan, "open_files", 256, Enforcer::rlimit);
  set_limit(plan, "file_bytes", 64U << 20, Enforcer::rlimit);
  set_limit(plan, "memory_bytes", 512U << 20, Enforcer::rlimit);
  set_limit(plan, "pids", 64, Enforcer::supervisor);
  set_limit(plan, "output_bytes", 1U << 20, Enforcer::supervisor);
  struct stat found {};
  if (stat(workspace.c_str(), &found) != 0) std::abort();
  Identity& id = plan.identity;
  id.is_mapped_by_root = geteuid() == 0;
  id.inside_uid = id.is_mapped_by_root ? found.st_uid : geteuid();
  id.inside_gid = id.is_mapped_by_root ? found.st_gid : getegid();
  id.host_uid =
      id.is_mapped_by_root ? 1900000000U + static_cast<unsigned>(getpid()) % 65536U : geteuid();
  id.host_gid = id.is_mapped_by_root ? id.host_uid : getegid();
  return plan;
}

void grant_write(Plan& plan, const std::string& name, bool allow_delete) {
  const std::string path = name == "." ? plan.workspace : plan.workspace + "/" + name;
  struct stat found {};
  if (stat(path.c_str(), &found) != 0) std::abort();
  const bool is_dir = S_ISDIR(found.st_mode);
  std::erase_if(plan.mounts, [&](const Mount& m) { return m.at == path; });
  std::erase_if(plan.landlock, [&](const LandlockRule& r) { return r.at == path; });
  Mount m = make(plan, is_dir ? MountKind::staged : MountKind::bind, path);
  m.source = path;
  m.type = is_dir ? NodeType::directory : NodeType::file;
  m.device = found.st_dev;
  m.inode = found.st_ino;
  m.read_only = false;
  m.allow_delete = allow_delete;
  m.size_bytes = 4U << 20;
  m.inodes = 500;
  plan.mounts.push_back(std::move(m));
  rule(plan, path, Access::write, is_dir ? NodeType::directory : NodeType::file);
}

void hide(Plan& plan, const std::string& name, bool is_git) {
  Mount m = make(plan, MountKind::mask, plan.workspace + "/" + name);
  m.type = fs::is_directory(m.at) ? NodeType::directory : NodeType::file;
  m.is_git_mask = is_git;
  plan.mounts.push_back(std::move(m));
}

void set_limit(Plan& plan, const std::string& name, std::uint64_t value, Enforcer by) {
  for (Limit& limit : plan.limits) {
    if (limit.name != name) continue;
    limit.value = value;
    limit.by = by;
    return;
  }
  plan.limits.push_back({name, value, by});
}

bool KeepingSink::on_barrier(const Enforced& e) {
  barriers.push_back(e);
  return accepts_barrier;
}
bool KeepingSink::on_exec(const ExecEvent& e) {
  execs.push_back(e);
  return true;
}
bool KeepingSink::on_denial(const Denial& d) {
  denials.push_back(d);
  return accepts_denials;
}
bool KeepingSink::on_limit(const LimitEvent& e) {
  limits.push_back(e);
  return true;
}
bool KeepingSink::on_gap(const Gap& g) {
  gaps.push_back(g);
  return true;
}

const Denial* KeepingSink::find(const std::string& operation, const std::string& object) const {
  for (const Denial& d : denials)
    if (d.operation == operation && d.object.find(object) != std::string::npos) return &d;
  return nullptr;
}

std::string KeepingSink::text() const {
  std::string out;
  for (const auto& d : denials)
    out += "denial " + d.operation + " [" + d.object + "] errno " + std::to_string(d.error) + " x" +
           std::to_string(d.count) + " " + d.rule + "\n";
  for (const auto& l : limits)
    out += "limit " + l.name + " " + action_name(l.action) + " by " + l.source + " observed " +
           std::to_string(l.observed) + " x" + std::to_string(l.count) + "\n";
  for (const auto& g : gaps) out += "gap " + g.reason + " " + std::to_string(g.count) + "\n";
  for (const auto& e : execs) out += "exec " + e.path + " x" + std::to_string(e.count) + "\n";
  return out;
}

const RunResult* CageRun::result() const { return std::get_if<RunResult>(&outcome); }
const SetupDenial* CageRun::refusal() const { return std::get_if<SetupDenial>(&outcome); }
std::string CageRun::out() const { return result() != nullptr ? result()->out.kept : ""; }
std::string CageRun::err() const { return result() != nullptr ? result()->err.kept : ""; }

std::string CageRun::text() const {
  std::string out;
  if (const auto* r = result()) {
    out = "ending " + std::to_string(static_cast<int>(r->ending)) + " status " +
          std::to_string(r->status) + " limit " + r->limit + " " + r->detail + " setup_us " +
          std::to_string(r->setup_ns / 1000) + " run_us " +
          std::to_string((r->ended_ns - r->started_ns) / 1000) + " teardown_us " +
          std::to_string(r->teardown_ns / 1000) + "\nout: " + r->out.kept +
          "\nerr: " + r->err.kept + "\n";
  } else if (const auto* d = refusal()) {
    out = "refused at " + d->step + " errno " + std::to_string(d->error) + " object " + d->object +
          ": " + d->cause + " / " + d->fix + "\n";
    for (const auto& m : d->mismatches)
      out += "  " + m.what + ": expected " + m.expected + ", found " + m.found + "\n";
  } else {
    const auto& f = std::get<RunnerFailure>(outcome);
    out = "runner failed: " + f.what + " errno " + std::to_string(f.error) + "\n";
  }
  return out + sink.text();
}

void run(CageRun& into, const Plan& plan, LaunchOptions options) {
  options.stdout_fd = options.stderr_fd = -1;
  options.keep_stdout = options.keep_stderr = true;
  into.outcome = run_cage(plan, options, into.sink);
}

std::string why_no_cage() {
  static const std::string reason = [] {
    const ScratchDir dir;
    CageRun probe{};
    run(probe, base_plan(dir.path(), {"/bin/true"}), {});
    return probe.result() != nullptr ? std::string() : probe.text();
  }();
  return reason;
}

}  // namespace ethos::support
