// SPDX-License-Identifier: Apache-2.0
#include "sandbox/staged_commit.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "ledger/base/file_io.h"
#include "ledger/base/paths.h"
#include "sandbox/based_path.h"
#include "sandbox/beneath.h"
#include "sandbox/commit_journal.h"
#include "sandbox/commit_steps.h"
#include "sandbox/copy_base.h"
#include "sandbox/file_attributes.h"
#include "sandbox/file_rights.h"
#include "sandbox/layer_walk.h"
#include "sandbox/staged_file.h"

namespace ethos::sandbox {
namespace {

using base::Result;
using base::UniqueFd;

constexpr std::size_t kMaxRefusals = 64;

std::string make_prefix() {
  std::array<unsigned char, 6> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) < 0) bytes[0] = static_cast<unsigned char>(getpid());
  std::string out(kTemporaryPrefix);
  for (const auto byte : bytes) {
    constexpr char kDigits[] = "0123456789abcdef";
    out += kDigits[byte / 16];
    out += kDigits[byte % 16];
  }
  return out + "-";
}

}  // namespace

class StagedCommit::Work {
 public:
  Work(const Plan& plan, const Mount& mount, const Layer& layer, std::string journal,
       Interruption& interruption)
      : plan_(plan),
        mount_(mount),
        layer_(layer),
        journal_path_(std::move(journal)),
        interruption_(interruption),
        prefix_(make_prefix()) {}

  Result<bool> prepare(const CommitRules& rules, std::uint64_t& quota) {
    auto grant = open_grant(mount_.source, mount_.device, mount_.inode);
    if (!grant) return base::Unexpected(std::move(grant).error());
    grant_ = std::move(grant).value();
    struct stat owner {};
    if (fstat(grant_.get(), &owner) != 0) return base::fail_errno(mount_.source, errno);
    owner_ = owner;
    auto walk =
        walk_upper(layer_, grant_.get(), mount_.at, rules, mount_.allow_delete, interruption_);
    if (!walk) return base::Unexpected(std::move(walk).error());
    check_quota(*walk, quota);
    check_repositories(*walk);
    if (!walk->refused.empty()) {
      refuse_all(walk->refused);
      return false;
    }
    return build_all(walk->changes);
  }

  Result<void> swap() {
    Result<void> done = check_built();
    if (done) done = settle_files();
    if (done) done = write_journal();
    for (auto step = journal_.steps.begin(); done && step != journal_.steps.end(); ++step) {
      if (interruption_.is_over()) {
        done = base::fail(base::Errc::refused, mount_.source + ": given up");
      } else if (is_overtaken(*step)) {
        refuse({step->final, "conflict",
                "the tool and somebody on the host both changed this; run the tool again"});
        done = base::fail(base::Errc::mismatch, step->final + ": changed meanwhile");
      } else if (const int error = apply_step(grant_.get(), *step)) {
        done = base::fail_errno(step->final, error);
      }
    }
    if (done) done = check_merged();
    if (!done) undo();
    return done;
  }

  void undo() {
    if (!is_begun_) return;
    is_begun_ = false;
    out_.artifacts.clear();
    const std::size_t stuck = undo_steps(grant_.get(), journal_.steps);
    if (stuck == 0) return remove_journal();
    stuck_ = undo_error(stuck, journal_.steps.size(), mount_.source);
  }

  // The change is made. From here on a crash only leaves old content to be removed.
  void finish() {
    is_begun_ = false;
    finish_steps(grant_.get(), journal_.steps);
    remove_journal();
  }

  [[nodiscard]] const Mount& mount() const { return mount_; }
  [[nodiscard]] const std::optional<base::Error>& stuck() const { return stuck_; }
  CommitResult take() { return std::move(out_); }

 private:
  struct Item {
    const Change* change = nullptr;
    std::string place;                // where it is built, relative to the grant
    std::optional<std::size_t> step;  // index into steps_; none: inside a new directory
    bool replaces = false;
  };
  // A file or directory as it was made.
  struct Built {
    dev_t device = 0;
    ino_t inode = 0;
  };

  // What would be written, holes and each name of a linked file included: that may be far more than
  // the layer holds.
  static void check_quota(UpperWalk& walk, std::uint64_t& left) {
    if (left == 0) return;
    for (const Change& change : walk.changes) {
      if (change.kind != Change::Kind::file) continue;
      if (change.size > left) {
        walk.refused.push_back(
            {change.path, "quota", "the files of the run together are larger than `staged`"});
        return;
      }
      left -= change.size;
    }
    left = std::max<std::uint64_t>(left, 1);  // used up, and not without a limit
  }

  // What changed in something that `git` takes for a repository. A copied layer holds what was not
  // touched as well.
  void check_repositories(UpperWalk& walk) const {
    if (walk.repositories.empty()) return;
    std::set<std::string_view> told;
    for (const Change& change : walk.changes) {
      const std::string* in = nullptr;
      for (const std::string& repository : walk.repositories)
        if (repository.empty() || is_within("/" + change.path, "/" + repository)) in = &repository;
      if (in == nullptr || told.contains(*in)) continue;
      if (change.kind == Change::Kind::file && is_unchanged(change)) continue;
      told.insert(*in);
      walk.refused.push_back(repository_refusal(*in));
    }
  }

  void refuse(const Refused& refused) {
    Denial denial;
    denial.phase = Phase::commit;
    denial.source = DenialSource::commit;
    denial.operation = "commit";
    denial.operation_mark = Mark::supervisor;
    denial.object = mount_.at + "/" + refused.path;
    denial.object_kind = "path";
    denial.object_mark = Mark::supervisor;
    denial.where = based_path(denial.object, plan_.workspace);
    denial.error = EPERM;
    denial.rule = refused.rule;
    denial.reason = refused.reason;
    out_.refusals.push_back(std::move(denial));
  }

  // A layer full of refused names becomes some records and one that counts the rest.
  void refuse_all(const std::vector<Refused>& refused) {
    const std::size_t shown = std::min(refused.size(), kMaxRefusals);
    for (std::size_t i = 0; i < shown; ++i) refuse(refused[i]);
    if (shown == refused.size()) return;
    refuse({".", "more", "further refused names in this grant"});
    out_.refusals.back().object = mount_.at;
    out_.refusals.back().where = mount_.where;
    out_.refusals.back().count = refused.size() - shown;
  }

  Result<bool> build_all(const std::vector<Change>& changes) {
    const std::vector<Item> items = lay_out(changes);
    if (items.empty()) return false;
    if (!journal_path_.empty() && max_journal_size(journal_) > kMaxJournal) {
      refuse({".", "quota", "more changes than a commit can undo"});
      out_.refusals.back().object = mount_.at;
      out_.refusals.back().where = mount_.where;
      return false;
    }
    if (auto r = write_journal(); !r) return base::Unexpected(std::move(r).error());
    is_begun_ = true;
    Result<void> built = build(items);
    if (built) return true;
    undo();
    return base::Unexpected(std::move(built).error());
  }

  // Temporary names for everything, before anything is made.
  std::vector<Item> lay_out(const std::vector<Change>& changes) {
    journal_.grant_path = mount_.source;
    journal_.device = mount_.device;
    journal_.inode = mount_.inode;
    std::vector<Item> items;
    std::map<std::string, std::string> moved;  // new directory -> where it is built
    std::size_t number = 0;
    for (const Change& change : changes) {
      const base::SplitPath split = base::split_path(change.path);
      const std::string parent = split.parent == "." ? "" : split.parent;
      Item item;
      item.change = &change;
      if (const auto inside = moved.find(parent); inside != moved.end()) {
        item.place = inside->second + "/" + split.name;
      } else {
        item.place = (parent.empty() ? "" : parent + "/") + prefix_ + std::to_string(number++);
        item.step = journal_.steps.size();
        journal_.steps.push_back(make_step(change, item.place));
        item.replaces = journal_.steps.back().kind == CommitStep::Kind::exchange;
      }
      if (change.kind == Change::Kind::directory) moved[change.path] = item.place;
      items.push_back(std::move(item));
    }
    return items;
  }

  CommitStep make_step(const Change& change, const std::string& temp) const {
    CommitStep step;
    step.temp = temp;
    step.final = change.path;
    if (change.kind == Change::Kind::removal) {
      step.kind = CommitStep::Kind::remove;
      step.old_inode = inode_at(grant_.get(), change.path);
      return step;
    }
    const bool is_removed_first = !journal_.steps.empty() &&
                                  journal_.steps.back().kind == CommitStep::Kind::remove &&
                                  journal_.steps.back().final == change.path;
    const std::uint64_t old = is_removed_first ? 0 : inode_at(grant_.get(), change.path);
    step.old_inode = old;
    step.kind = old != 0 ? CommitStep::Kind::exchange : CommitStep::Kind::create;
    return step;
  }

  Result<void> write_journal() {
    if (journal_path_.empty()) return {};
    const std::string text = encode_journal(journal_);
    base::ReplaceOptions options;
    options.mode = 0600;
    options.sync = base::Sync::none;  // against a killed supervisor
    return base::replace_file(journal_path_, std::as_bytes(std::span(text)), options);
  }

  void remove_journal() {
    if (!journal_path_.empty()) unlink(journal_path_.c_str());
  }

  Result<void> build(const std::vector<Item>& items) {
    for (const Item& item : items) {
      if (interruption_.is_over())
        return base::fail(base::Errc::refused, mount_.source + ": given up");
      if (item.replaces && is_unchanged(*item.change)) {
        // Opened for writing, touched or merely copied: nothing to bring out.
        journal_.steps[*item.step].kind = CommitStep::Kind::discard;
        continue;
      }
      Artifact artifact;
      artifact.grant = mount_.where;
      artifact.where = based_path(mount_.at + "/" + item.change->path, plan_.workspace);
      artifact.mode = item.change->mode;
      artifact.is_mode_stripped = item.change->is_mode_stripped;
      Result<void> done;
      switch (item.change->kind) {
        case Change::Kind::removal:
          artifact.action = "deleted";
          break;
        case Change::Kind::directory:
          artifact.action = "directory";
          done = build_directory(item, artifact);
          break;
        case Change::Kind::file:
          artifact.action = item.replaces ? "replaced" : "created";
          done = build_file(item, artifact);
          break;
      }
      if (!done) return done;
      out_.artifacts.push_back(std::move(artifact));
    }
    // Modes of directories last: one without write permission could not be filled.
    for (auto item = items.rbegin(); item != items.rend(); ++item) {
      if (item->change->kind != Change::Kind::directory) continue;
      const UniqueFd dir = open_beneath_dir(grant_.get(), item->place, O_RDONLY | O_DIRECTORY);
      if (!is_same(dir, built_.at(item->place))) return replaced();
      const auto mode = mode_of_directory(item->change->path, item->change->mode);
      if (!mode) return base::Unexpected(mode.error());
      if (fchmod(dir.get(), *mode) != 0) return base::fail_errno(item->change->path, errno);
    }
    return {};
  }

  Result<void> build_directory(const Item& item, Artifact& artifact) {
    const base::SplitPath split = base::split_path(item.place);
    const UniqueFd parent = open_beneath_dir(grant_.get(), split.parent, O_RDONLY | O_DIRECTORY);
    if (!parent.is_open() || mkdirat(parent.get(), split.name.c_str(), 0700) != 0)
      return base::fail_errno(item.change->path, errno);
    const UniqueFd dir = open_beneath_dir(parent.get(), split.name, O_RDONLY | O_DIRECTORY);
    if (!dir.is_open() || !remember(item, dir.get()) || !give_to_owner(dir.get()))
      return base::fail_errno(item.change->path, errno);
    const auto mode = mode_of_directory(item.change->path, item.change->mode);
    if (!mode) return base::Unexpected(mode.error());
    artifact.mode = *mode;
    return {};
  }

  bool remember(const Item& item, int fd) {
    struct stat made {};
    if (fstat(fd, &made) != 0) return false;
    built_[item.place] = {made.st_dev, made.st_ino};
    if (item.step) journal_.steps[*item.step].new_inode = made.st_ino;
    return true;
  }

  // Is each of them still what lies under its name?
  Result<void> check_built() const {
    for (const auto& [place, built] : built_) {
      const UniqueFd fd = open_beneath_dir(grant_.get(), place, O_PATH | O_NOFOLLOW);
      if (!is_same(fd, built)) return replaced();
    }
    return {};
  }

  // A rename may be on the disk before the bytes of what it puts in place: after a power cut there
  // would be an empty file where the ledger has the digest of a full one. All were handed to the
  // disk as they were written, so that one wait is for all of them.
  Result<void> settle_files() const {
    for (const std::string& place : unsettled_) {
      const UniqueFd fd =
          open_beneath_dir(grant_.get(), place, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
      if (!is_same(fd, built_.at(place))) return replaced();
      if (auto done = settle(fd, place); !done) return done;
    }
    return {};
  }

  static Result<void> settle(const UniqueFd& fd, const std::string& path) {
    while (fdatasync(fd.get()) != 0) {
      // A file system that has nothing to wait for says that it cannot.
      if (errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP) return {};
      if (errno != EINTR) return base::fail_errno(path, errno);
    }
    return {};
  }

  // Changed on the host since the walk compared it, in place: then the inode says nothing.
  [[nodiscard]] bool is_overtaken(const CommitStep& step) const {
    const bool touches_old =
        step.kind == CommitStep::Kind::exchange || step.kind == CommitStep::Kind::remove;
    return layer_.base != nullptr && touches_old &&
           !layer_.base->is_host_as_then(grant_.get(), step.final);
  }

  // The walk saw the layer, and the host as it was then. Another run, or a grant inside this one,
  // may have added its part of a repository since; whoever is second sees the whole.
  Result<void> check_merged() {
    std::set<std::string> directories;
    for (const CommitStep& step : journal_.steps) {
      if (step.kind == CommitStep::Kind::discard) continue;
      std::string at = step.final;
      for (;;) {
        directories.insert(at);
        if (at.empty()) break;
        const std::size_t slash = at.rfind('/');
        at.resize(slash == std::string::npos ? 0 : slash);
      }
    }
    for (const std::string& at : directories) {
      const UniqueFd dir =
          open_beneath_dir(grant_.get(), at.empty() ? "." : at, O_PATH | O_DIRECTORY | O_NOFOLLOW);
      if (!dir.is_open()) continue;  // a file, or removed
      // The file system itself says which names it makes equal.
      const bool is_repository = looks_like_repository([&](const char* name) {
        struct stat found {};
        return fstatat(dir.get(), name, &found, AT_SYMLINK_NOFOLLOW) == 0;
      });
      if (!is_repository) continue;
      refuse(repository_refusal(at));
      return base::fail(base::Errc::mismatch, mount_.source + ": a repository to git");
    }
    return {};
  }

  static Refused repository_refusal(const std::string& at) {
    return {at.empty() ? "." : at, "git",
            "a directory with HEAD, objects and refs is a repository to git, which runs what is "
            "configured in it"};
  }

  static bool is_same(const UniqueFd& fd, const Built& built) {
    struct stat found {};
    return fd.is_open() && fstat(fd.get(), &found) == 0 && found.st_dev == built.device &&
           found.st_ino == built.inode;
  }

  base::Unexpected replaced() const {
    return base::fail(base::Errc::mismatch,
                      mount_.source + ": somebody else replaced what was about to come out");
  }

  bool give_to_owner(int fd) const {
    return !is_roots_runner() || fchown(fd, owner_.st_uid, owner_.st_gid) == 0;
  }

  // What the file it replaces has: its group, as far as an ordinary user may give a file to one
  // (root gives all to the grant's owner), its access list and attributes.
  Result<void> keep_of_old(const UniqueFd& to, const std::string& path) const {
    const UniqueFd old = open_beneath_dir(grant_.get(), path, O_PATH | O_NOFOLLOW);
    struct stat found {};
    if (!old.is_open() || fstat(old.get(), &found) != 0 || !S_ISREG(found.st_mode)) return {};
    if (!is_roots_runner())
      static_cast<void>(fchown(to.get(), static_cast<uid_t>(-1), found.st_gid) == 0);
    return keep_attributes(to, old, path);
  }

  Result<void> build_file(const Item& item, Artifact& artifact) {
    const std::string& path = item.change->path;
    const UniqueFd from = with_own_rights([&] {
      return open_beneath_dir(layer_.fd, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    });
    if (!from.is_open()) return base::fail_errno(path, errno);
    const UniqueFd to =
        open_beneath_dir(grant_.get(), item.place, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
    if (!to.is_open() || !remember(item, to.get())) return base::fail_errno(path, errno);
    auto content = copy_file(from, to, path, interruption_);
    if (!content) return base::Unexpected(std::move(content).error());
    artifact.bytes = content->bytes;
    artifact.sha256 = content->sha256;
    // Owner first: a change of owner clears bits.
    if (!give_to_owner(to.get())) return base::fail_errno(path, errno);
    if (item.replaces)
      if (auto kept = keep_of_old(to, path); !kept) return kept;
    auto mode = with_own_rights([&] { return mode_without_list(from, item.change->mode, path); });
    if (!mode) return base::Unexpected(std::move(mode).error());
    // A list that was kept is bounded by the mask in the mode as it is.
    if (item.replaces && has_access_list(to)) mode = item.change->mode;
    artifact.mode = *mode;
    if (fchmod(to.get(), *mode) != 0) return base::fail_errno(path, errno);
    // One that its owner cannot open again is waited for here.
    if ((*mode & S_IRUSR) == 0) return settle(to, path);
    static_cast<void>(sync_file_range(to.get(), 0, 0, SYNC_FILE_RANGE_WRITE));
    unsettled_.push_back(item.place);
    return {};
  }

  // Of a directory that the tool moved as much as of a file.
  Result<mode_t> mode_of_directory(const std::string& path, mode_t mode) const {
    return with_own_rights([&]() -> Result<mode_t> {
      const UniqueFd from = open_beneath_dir(layer_.fd, path, O_PATH | O_DIRECTORY | O_NOFOLLOW);
      if (!from.is_open()) return base::fail_errno(path, errno);
      return mode_without_list(from, mode, path);
    });
  }

  // Same mode and same bytes as on the host.
  bool is_unchanged(const Change& change) const {
    const UniqueFd ours = with_own_rights([&] {
      return open_beneath_dir(layer_.fd, change.path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    });
    const UniqueFd old =
        open_beneath_dir(grant_.get(), change.path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    struct stat found {};
    if (!ours.is_open() || !old.is_open() || fstat(old.get(), &found) != 0) return false;
    if (!S_ISREG(found.st_mode) || static_cast<std::uint64_t>(found.st_size) != change.size ||
        (found.st_mode & 0777) != change.mode)
      return false;
    return has_same_bytes(ours, old, interruption_);
  }

  const Plan& plan_;
  const Mount& mount_;
  Layer layer_;
  std::string journal_path_;
  Interruption& interruption_;
  std::string prefix_;
  UniqueFd grant_;
  struct stat owner_ {};
  CommitJournal journal_;
  std::map<std::string, Built> built_;
  std::vector<std::string> unsettled_;  // places of new files whose bytes may not be on the disk
  bool is_begun_ = false;
  std::optional<base::Error> stuck_;
  CommitResult out_;
};

StagedCommit::StagedCommit(const Plan& plan, const Mount& mount, const Layer& layer,
                           std::string journal, Interruption& interruption)
    : work_(std::make_unique<Work>(plan, mount, layer, std::move(journal), interruption)) {}

StagedCommit::~StagedCommit() { work_->undo(); }

Result<bool> StagedCommit::prepare(const CommitRules& rules, std::uint64_t& quota) {
  return work_->prepare(rules, quota);
}
Result<void> StagedCommit::swap() { return work_->swap(); }
void StagedCommit::undo() { work_->undo(); }
void StagedCommit::finish() { work_->finish(); }
const std::optional<base::Error>& StagedCommit::stuck() const { return work_->stuck(); }
const Mount& StagedCommit::mount() const { return work_->mount(); }
CommitResult StagedCommit::take() { return work_->take(); }

}  // namespace ethos::sandbox
