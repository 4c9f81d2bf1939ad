// SPDX-License-Identifier: Apache-2.0
#include "sandbox/blueprint.h"

#include <linux/mount.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <string_view>

#include "sandbox/based_path.h"
#include "sandbox/child.h"
#include "sandbox/mask_index.h"

namespace ethos::sandbox {
namespace {

std::uint64_t attributes_of(const Mount& mount) {
  std::uint64_t out = 0;
  if (mount.read_only) out |= MOUNT_ATTR_RDONLY;
  if (mount.no_suid) out |= MOUNT_ATTR_NOSUID;
  if (mount.no_dev) out |= MOUNT_ATTR_NODEV;
  if (mount.no_exec) out |= MOUNT_ATTR_NOEXEC;
  return out;
}

std::string below_root(const std::string& at) { return at == "/" ? std::string() : at.substr(1); }

bool is_own_tmpfs(MountKind kind) {
  return kind == MountKind::root || kind == MountKind::scratch || kind == MountKind::dev;
}

// Builds the list; remembers what exists so that every mount point is made exactly once.
class Flattener {
 public:
  explicit Flattener(const Plan& plan) : plan_(plan) {
    order_.reserve(plan.mounts.size());
    for (std::size_t i = 0; i < plan.mounts.size(); ++i) order_.push_back(static_cast<int>(i));
    // A parent path sorts before what lies below it; equal paths keep the plan's order.
    std::stable_sort(order_.begin(), order_.end(),
                     [&](int a, int b) { return mount(a).at < mount(b).at; });
  }

  Blueprint run() {
    for (const int index : order_) add_mount(index);
    for (const auto& path : plan_.directories)
      need(path, NodeType::directory, path == "/tmp/home" ? 0700 : 0755);
    add_dev_links();
    for (const auto& link : plan_.links) add_link(link);
    for (const auto& file : plan_.files) add_file(file);
    add_seals();
    out_.masks = MaskIndex(plan_).masks();
    return std::move(out_);
  }

 private:
  const Mount& mount(int index) const { return plan_.mounts[static_cast<std::size_t>(index)]; }

  // The mount that holds `path`, which may be a mount point itself: the nearest above it; of
  // several in one place the last.
  const Mount* holder(std::string_view path) const {
    while (path.size() > 1) {
      const std::size_t slash = path.rfind('/');
      path = path.substr(0, slash == 0 ? 1 : slash);
      const auto behind =
          std::upper_bound(order_.begin(), order_.end(), path,
                           [this](std::string_view at, int index) { return at < mount(index).at; });
      if (behind != order_.begin() && mount(*std::prev(behind)).at == path)
        return &mount(*std::prev(behind));
    }
    return nullptr;
  }

  // Makes `path` and its missing parents when they stand on a tmpfs of ours; below a bind they
  // exist already, since the plan was made from what is there.
  void need(const std::string& path, NodeType type, mode_t mode) {
    if (path == "/" || !exists_.insert(path).second) return;
    const Mount* on = holder(path);
    if (on == nullptr || !is_own_tmpfs(on->kind)) return;
    const std::size_t slash = path.rfind('/');
    if (slash > 0) {
      const std::string parent = path.substr(0, slash);
      if (parent != on->at) need(parent, NodeType::directory, 0755);
    }
    BuildOp op;
    op.kind = type == NodeType::directory ? BuildKind::directory : BuildKind::file;
    op.step = Step::tree;
    op.at = below_root(path);
    op.mode = type == NodeType::directory ? mode : 0444;
    out_.ops.push_back(std::move(op));
  }

  void add_mount(int index) {
    const Mount& m = mount(index);
    if (m.kind != MountKind::root) need(m.at, m.type, 0755);
    BuildOp op;
    op.at = below_root(m.at);
    op.mount = index;
    op.type = m.type;
    op.attributes = attributes_of(m);
    const Mount* on = holder(m.at);
    op.is_on_ours = on != nullptr && (is_own_tmpfs(on->kind) || on->kind == MountKind::proc);
    switch (m.kind) {
      case MountKind::root:
        set_tmpfs(op, m, Step::mount_root, "ethos-root", 0755);
        break;
      case MountKind::dev:
        set_tmpfs(op, m, Step::mount_dev, "ethos-dev", 0755);
        break;
      case MountKind::scratch:
        set_scratch(op, m, index);
        break;
      case MountKind::bind:
        op.kind = is_within(m.at, "/proc") ? BuildKind::own_bind : BuildKind::bind;
        op.step = op.kind == BuildKind::bind ? Step::mount_bind : Step::mount_mask;
        op.may_be_absent = op.kind == BuildKind::own_bind;
        break;
      case MountKind::staged:
        op.kind = BuildKind::staged;
        op.step = Step::mount_staged;
        op.slot = out_.staged_count++;
        set_sizes(op, m);
        break;
      case MountKind::proc:
        op.kind = BuildKind::proc;
        op.step = Step::mount_proc;
        break;
      case MountKind::mask:
        set_mask(op, m);
        break;
    }
    out_.ops.push_back(std::move(op));
    if (m.kind == MountKind::proc) add_proc_masks(m.at);
  }

  // A tmpfs without a size could take half of the machine's memory.
  static void set_sizes(BuildOp& op, const Mount& m) {
    constexpr std::uint64_t kDefaultBytes = 8U << 20;
    constexpr std::uint64_t kDefaultInodes = 8192;
    op.size = std::to_string(m.size_bytes != 0 ? m.size_bytes : kDefaultBytes);
    op.inodes = std::to_string(m.inodes != 0 ? m.inodes : kDefaultInodes);
  }

  void set_tmpfs(BuildOp& op, const Mount& m, Step step, const char* source, mode_t mode) {
    op.kind = BuildKind::tmpfs;
    op.step = step;
    op.text = source;
    op.mode = mode;
    set_sizes(op, m);
    if (m.read_only) {
      seals_.push_back(op);
      op.attributes &= ~static_cast<std::uint64_t>(MOUNT_ATTR_RDONLY);
    }
  }

  // All scratch mounts are directories of one tmpfs, so that one quota covers them.
  void set_scratch(BuildOp& op, const Mount& m, int index) {
    op.kind = BuildKind::scratch_view;
    op.step = Step::mount_scratch;
    op.text = std::to_string(index);
    op.mode = 01777;
    if (out_.scratch_mount < 0) out_.scratch_mount = index;
    // The first one makes the file system: whichever of them names the quota.
    const auto sized = std::find_if(plan_.mounts.begin(), plan_.mounts.end(), [](const Mount& s) {
      return s.kind == MountKind::scratch && s.size_bytes != 0;
    });
    set_sizes(op, sized == plan_.mounts.end() ? m : *sized);
  }

  static void set_mask(BuildOp& op, const Mount& m) {
    op.kind = BuildKind::mask;
    op.step = Step::mount_mask;
    op.text = m.type == NodeType::directory ? (m.is_git_mask ? "dg" : "d0")
                                            : (m.is_git_mask ? "fg" : "f0");
    op.may_be_absent = is_within(m.at, "/proc");
  }

  // Unless the plan lists something over /proc itself, every mask and the read-only /proc/sys.
  void add_proc_masks(const std::string& proc) {
    const bool is_listed =
        std::any_of(plan_.mounts.begin(), plan_.mounts.end(),
                    [&](const auto& m) { return m.at != proc && is_within(m.at, proc); });
    if (is_listed) return;
    for (const auto& path : proc_masks()) {
      BuildOp op;
      op.kind = path == "/proc/sys" ? BuildKind::own_bind : BuildKind::mask;
      op.step = Step::mount_mask;
      op.at = below_root(path);
      op.text = "f0";  // the child takes "d0" when it finds a directory
      op.attributes = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC;
      op.may_be_absent = op.is_on_ours = true;
      out_.ops.push_back(std::move(op));
    }
  }

  // What every program expects beside the device nodes.
  void add_dev_links() {
    const bool has_dev = std::any_of(plan_.mounts.begin(), plan_.mounts.end(),
                                     [](const Mount& m) { return m.kind == MountKind::dev; });
    if (!has_dev || !plan_.has_proc) return;
    const Link links[] = {{"/dev/fd", "/proc/self/fd"},
                          {"/dev/stdin", "/proc/self/fd/0"},
                          {"/dev/stdout", "/proc/self/fd/1"},
                          {"/dev/stderr", "/proc/self/fd/2"}};
    for (const Link& ours : links) {
      const bool is_listed = std::any_of(plan_.links.begin(), plan_.links.end(),
                                         [&](const Link& link) { return link.at == ours.at; });
      if (!is_listed) add_link(ours);
    }
  }

  void add_link(const Link& link) {
    const std::size_t slash = link.at.rfind('/');
    if (slash > 0) need(link.at.substr(0, slash), NodeType::directory, 0755);
    BuildOp op;
    op.kind = BuildKind::link;
    op.at = below_root(link.at);
    op.text = link.target;
    out_.ops.push_back(std::move(op));
  }

  void add_file(const SyntheticFile& file) {
    const std::size_t slash = file.at.rfind('/');
    if (slash > 0) need(file.at.substr(0, slash), NodeType::directory, 0755);
    BuildOp op;
    op.kind = BuildKind::file;
    op.at = below_root(file.at);
    op.text = file.content;
    op.mode = 0444;
    out_.ops.push_back(std::move(op));
  }

  // /dev before the root: nothing is created after these.
  void add_seals() {
    for (auto it = seals_.rbegin(); it != seals_.rend(); ++it) {
      it->kind = BuildKind::seal;
      it->step = Step::read_only;
      out_.ops.push_back(*it);
    }
  }

  const Plan& plan_;
  std::vector<int> order_;
  std::set<std::string> exists_;
  std::vector<BuildOp> seals_;
  Blueprint out_;
};

// Limits that are process limits by nature or by the plan's choice. Soft equals hard.
std::vector<RlimitRequest> make_rlimits(const Plan& plan) {
  // Pending signals and message queues count for the caller too: a share of what is usual.
  constexpr std::uint64_t kPendingSignals = 2048;
  constexpr std::uint64_t kQueueBytes = 204'800;
  // One byte: no file is that short, and it is the one value that keeps the kernel from handing the
  // dump to the host's own collector (core(5), "Piping core dumps to a program").
  constexpr std::uint64_t kNoDump = 1;
  std::vector<RlimitRequest> out = {
      {RLIMIT_CORE, kNoDump}, {RLIMIT_SIGPENDING, kPendingSignals}, {RLIMIT_MSGQUEUE, kQueueBytes}};
  if (const auto memory = plan.limit("memory_bytes"); memory && memory->by == Enforcer::rlimit)
    out.push_back({RLIMIT_DATA, memory->value});  // not AS: node's WebAssembly and Java need room
  if (const auto size = plan.limit("file_bytes"); size) out.push_back({RLIMIT_FSIZE, size->value});
  if (const auto files = plan.limit("open_files"); files)
    out.push_back({RLIMIT_NOFILE, files->value});
  // Behind the supervisor's count, which cannot see forks that it let through a moment ago. Exact
  // too: the kernel counts per user namespace and uid, and both are this run's own.
  if (const auto pids = plan.limit("pids"); pids && pids->by != Enforcer::cgroup)
    out.push_back({RLIMIT_NPROC, pids->value});
  return out;
}

std::string check_mount(const Mount& m) {
  if (!m.at.starts_with('/') || plain_path(m.at) != m.at) return "mount point " + m.at;
  if ((m.kind == MountKind::root) != (m.at == "/")) return "root mount at " + m.at;
  if (m.kind == MountKind::staged && m.type != NodeType::directory) return "staged file " + m.at;
  const bool needs_source =
      m.kind == MountKind::staged || (m.kind == MountKind::bind && !is_within(m.at, "/proc"));
  if (needs_source && !m.source.starts_with('/')) return "no source for " + m.at;
  return {};
}

}  // namespace

const std::vector<std::string>& proc_masks() {
  static const std::vector<std::string> masks = {
      "/proc/sys",        "/proc/kcore",       "/proc/keys",
      "/proc/key-users",  "/proc/kallsyms",    "/proc/sysrq-trigger",
      "/proc/timer_list", "/proc/sched_debug", "/proc/kmsg",
      "/proc/acpi",       "/proc/scsi",        "/proc/fs",
      "/proc/irq",        "/proc/bus"};
  return masks;
}

std::string check_plan(const Plan& plan) {
  const auto roots = std::count_if(plan.mounts.begin(), plan.mounts.end(),
                                   [](const Mount& m) { return m.kind == MountKind::root; });
  if (roots != 1) return "the plan needs exactly one root mount";
  const auto staged = std::count_if(plan.mounts.begin(), plan.mounts.end(),
                                    [](const Mount& m) { return m.kind == MountKind::staged; });
  if (static_cast<std::size_t>(staged) > kMaxStaged) return "more than 64 write grants";
  for (const auto& m : plan.mounts)
    if (std::string wrong = check_mount(m); !wrong.empty()) return wrong;
  for (const auto& link : plan.links)
    if (!link.at.starts_with('/')) return "link " + link.at;
  for (const auto& file : plan.files)
    if (!file.at.starts_with('/')) return "file " + file.at;
  if (plan.argv.empty() || !plan.argv[0].starts_with('/')) return "argv[0] is not an absolute path";
  if (!plan.cwd.starts_with('/')) return "cwd is not absolute";
  return {};
}

Blueprint make_blueprint(const Plan& plan) {
  Blueprint out = Flattener(plan).run();
  out.rlimits = make_rlimits(plan);
  for (const auto& arg : plan.argv) out.argv.push_back(arg.c_str());
  out.argv.push_back(nullptr);
  out.env_text.reserve(plan.env.size());
  for (const auto& var : plan.env) out.env_text.push_back(var.name + "=" + var.value);
  for (const auto& text : out.env_text) out.envp.push_back(text.c_str());
  out.envp.push_back(nullptr);
  return out;
}

}  // namespace ethos::sandbox
