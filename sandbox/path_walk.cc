// SPDX-License-Identifier: Apache-2.0
#include "sandbox/path_walk.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <optional>
#include <utility>

#include "sandbox/based_path.h"
#include "sandbox/cage_object.h"

namespace ethos::sandbox {
namespace {

using base::UniqueFd;

constexpr std::size_t kMaxPath = 4096;
constexpr int kMaxLinks = 40;    // MAXSYMLINKS of the kernel
constexpr int kMaxClimb = 1024;  // levels to a directory whose path can be told
constexpr int kMaxSteps = 4096;  // components and links of one walk
constexpr int kLook = O_PATH | O_CLOEXEC;

bool has_up(std::string_view path) {
  for (std::size_t at = path.find(".."); at != std::string_view::npos; at = path.find("..", at + 2))
    if ((at == 0 || path[at - 1] == '/') && (at + 2 == path.size() || path[at + 2] == '/'))
      return true;
  return false;
}

// One walk. `here_` is the directory reached so far, `rest_` what is still to be walked.
class Walk {
 public:
  Walk(pid_t tid, int root, const PathQuery& query, bool looks_at_shut)
      : tid_(tid), root_(root), query_(query), looks_at_shut_(looks_at_shut) {}

  Place run() {
    if (query_.text.size() >= kMaxPath) return end(Reach::fault);
    if (query_.text.empty()) return descriptor_itself();
    const bool is_absolute = query_.text.front() == '/';
    const bool is_scoped = has(RESOLVE_BENEATH) || has(RESOLVE_IN_ROOT);
    if (is_absolute && has(RESOLVE_BENEATH)) return end(Reach::fault);
    if (is_absolute && !is_scoped ? !enter_root() : !enter_start()) return end(Reach::fault);
    rest_ = query_.text;
    if (query_.resolve == 0) {
      if (!query_.is_missing && is_plain_object(is_absolute)) return std::move(place_);
      if (is_absolute && !query_.is_missing && query_.follows_last && !query_.is_last_kept &&
          is_linked_file())
        return std::move(place_);
      skip_plain_parents();
    }
    // A tool may give paths that cost the kernel little and a walk in steps much: beyond any honest
    // length the path is said to be unreadable, which leaves a gap.
    for (int steps = 0; !is_over_; ++steps) {
      if (steps == kMaxSteps) return end(Reach::too_deep);
      step();
    }
    return std::move(place_);
  }

 private:
  [[nodiscard]] bool has(std::uint64_t flag) const { return (query_.resolve & flag) != 0; }

  Place end(Reach reach) {
    finish(reach);
    return std::move(place_);
  }
  void finish(Reach reach) {
    place_.reach = reach;
    is_over_ = true;
  }

  UniqueFd open_start(int flags) const {
    const std::string link = query_.dir_fd == AT_FDCWD
                                 ? thread_dir(tid_) + "/cwd"
                                 : thread_dir(tid_) + "/fd/" + std::to_string(query_.dir_fd);
    return UniqueFd(open(link.c_str(), kLook | flags));
  }

  Place descriptor_itself() {
    UniqueFd start = open_start(0);
    const auto found = start.is_open() ? look(start.get()) : std::nullopt;
    if (!found) return end(Reach::fault);
    place_.by_descriptor = true;
    place_.has_name = false;
    arrive(std::move(start), *found);
    return std::move(place_);
  }

  // The root and the start outlive the walk, so that `here_` only borrows them.
  bool enter_start() {
    if (!start_.is_open()) start_ = open_start(O_DIRECTORY);
    return borrow(start_.get());
  }
  bool enter_root() { return borrow(root_); }
  bool borrow(int directory) {
    own_.reset();
    here_at_.reset();
    here_ = directory;
    return here_ >= 0;
  }
  bool enter(UniqueFd directory) {
    if (!directory.is_open()) return false;
    own_ = std::move(directory);
    here_at_.reset();
    here_ = own_.get();
    return true;
  }
  // What `here_` is; asked for only where it matters.
  const struct statx& here_at() {
    if (!here_at_) here_at_ = look(here_).value_or(Stat{});
    return *here_at_;
  }

  // Whether a ".." could lead out of a directory that the tool cannot search: then every step has
  // to be looked at.
  [[nodiscard]] bool may_leave_shut() const { return looks_at_shut_ && has_up(rest_); }

  // Most paths have no link on the way and name something: the kernel walks those in one call. A
  // path without links means what it says, "..", too.
  bool is_plain_object(bool is_absolute) {
    const std::size_t from = std::min(rest_.find_first_not_of('/'), rest_.size());
    const std::size_t slash = rest_.rfind('/');
    const std::string_view last = std::string_view(rest_).substr(slash + 1);
    if (last.empty() || last == "." || last == ".." || may_leave_shut()) return false;
    UniqueFd object(open_how_at(here_, rest_.c_str() + from, kLook, RESOLVE_NO_SYMLINKS));
    const auto found = object.is_open() ? look(object.get()) : std::nullopt;
    if (!found) return false;
    place_.path = is_absolute ? plain_path(rest_) : text_of(object.get(), found->stx_nlink);
    if (place_.path.empty()) return false;
    fill(std::move(object), *found);
    finish(Reach::object);
    return true;
  }

  // Absolute paths of files that lead over links, as to the dynamic loader of every program: in one
  // call too, as long as no link is one of /proc, which tells each reader something else (there the
  // supervisor is no process, so that the kernel finds nothing).
  bool is_linked_file() {
    const std::size_t from = rest_.find_first_not_of('/');
    if (from == std::string::npos || may_leave_shut()) return false;
    UniqueFd file(
        open_how_at(root_, rest_.c_str() + from, kLook, RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS));
    const auto found = file.is_open() ? look(file.get()) : std::nullopt;
    if (!found || !S_ISREG(found->stx_mode) || is_on_proc(file.get())) return false;
    place_.path = text_of(file.get(), found->stx_nlink);
    if (place_.path.empty()) return false;
    fill(std::move(file), *found);
    finish(Reach::object);
    return true;
  }

  // The same for all but the last name.
  void skip_plain_parents() {
    const std::size_t end = rest_.find_last_not_of('/');
    if (end == std::string::npos) return;
    const std::size_t slash = rest_.rfind('/', end);
    const std::size_t from = rest_.find_first_not_of('/');
    if (slash == std::string::npos || from > slash || may_leave_shut()) return;
    const std::string parents = rest_.substr(from, slash - from);
    if (enter(UniqueFd(
            open_how_at(here_, parents.c_str(), kLook | O_DIRECTORY, RESOLVE_NO_SYMLINKS))))
      rest_.erase(0, slash + 1);
  }

  // Takes the next component off `rest_`.
  void step() {
    const std::size_t from = rest_.find_first_not_of('/');
    if (from == std::string::npos) return arrive_here();
    const std::size_t to = std::min(rest_.find('/', from), rest_.size());
    const std::string name = rest_.substr(from, to - from);
    const std::size_t next = rest_.find_first_not_of('/', to);
    const bool is_last = next == std::string::npos;
    const bool has_slash = to < rest_.size();
    rest_.erase(0, is_last ? rest_.size() : next);
    if (name == "." || name == "..") {
      if (name == ".." && !up()) return;
      if (is_last) arrive_here();
      return;
    }
    if (name.size() > NAME_MAX) return finish(Reach::fault);
    down(name, is_last, has_slash);
  }

  // The directory at hand is the end: the path was "/", "a/." or "a/..".
  void arrive_here() {
    place_.has_name = false;
    const struct statx found = here_at();
    UniqueFd object = own_.is_open() ? std::move(own_) : UniqueFd(fcntl(here_, F_DUPFD_CLOEXEC, 3));
    if (!object.is_open()) return finish(Reach::fault);
    arrive(std::move(object), found);
  }

  bool up() {
    if (has(RESOLVE_BENEATH) || has(RESOLVE_IN_ROOT)) {
      const auto start = look(start_.get());
      const bool is_start = start && here_at().stx_ino == start->stx_ino &&
                            here_at().stx_dev_major == start->stx_dev_major &&
                            here_at().stx_dev_minor == start->stx_dev_minor &&
                            here_at().stx_mnt_id == start->stx_mnt_id;
      if (is_start && has(RESOLVE_BENEATH)) {
        finish(Reach::fault);
        return false;
      }
      if (is_start) return true;
    }
    // The supervisor may search what the cage has shut, the tool may not.
    if (looks_at_shut_ && (here_at().stx_mode & 0111) == 0) {
      stop_here();
      return false;
    }
    // At the top of the cage's tree it stays where it is: the kernel knows no parent of that.
    UniqueFd parent(openat(here_, "..", kLook | O_DIRECTORY));
    const auto found = parent.is_open() ? look(parent.get()) : std::nullopt;
    if (!found || is_foreign_mount(*found) || !enter(std::move(parent))) {
      finish(Reach::fault);
      return false;
    }
    return true;
  }

  bool is_foreign_mount(const struct statx& found) {
    return has(RESOLVE_NO_XDEV) && found.stx_mnt_id != here_at().stx_mnt_id;
  }

  void down(const std::string& name, bool is_last, bool has_slash) {
    UniqueFd child(openat(here_, name.c_str(), kLook | O_NOFOLLOW));
    const int error = errno;
    if (!child.is_open()) return miss(name, is_last, error);
    const auto found = look(child.get());
    if (!found) return finish(Reach::fault);
    if (is_foreign_mount(*found)) return finish(Reach::fault);
    if (S_ISLNK(found->stx_mode)) {
      const bool is_followed =
          !is_last || (!query_.is_last_kept && (query_.follows_last || has_slash));
      if (is_followed) return follow(child, name, is_last, has_slash);
    }
    if (!is_last) {
      if (!S_ISDIR(found->stx_mode)) return stop_at(name);
      if (!enter(std::move(child))) finish(Reach::fault);
      return;
    }
    if (has_slash && !query_.is_last_kept && !S_ISDIR(found->stx_mode)) return finish(Reach::fault);
    arrive(std::move(child), *found);
  }

  void miss(const std::string& name, bool is_last, int error) {
    place_.is_closed = error == EACCES;
    if (error != ENOENT) return stop_at(name);
    if (!is_last) return stop_at(name);
    if (!tell_path(name)) return;
    place_.reach = Reach::vacant;
    is_over_ = true;
  }

  void stop_at(const std::string& name) {
    if (!tell_path(name)) return;
    place_.break_at = place_.path;
    // A ".." behind what cannot be passed leads nowhere, least of all out of it.
    if (!rest_.empty() && !has_up(rest_)) place_.path = plain_path(place_.path + "/" + rest_);
    finish(Reach::broken);
  }

  void stop_here() {
    place_.path = text_of(here_, here_at().stx_nlink);
    if (place_.path.empty()) return tell_above();
    place_.break_at = place_.path;
    finish(Reach::broken);
  }

  // Sets the path to `name` in the directory at hand.
  bool tell_path(const std::string& name) {
    const std::string directory = text_of(here_, here_at().stx_nlink);
    if (directory.empty()) {
      tell_above();
      return false;
    }
    place_.path = plain_path(directory + "/" + name);
    return true;
  }

  // Too deep to be told: the first directory above that can be. It is climbed to once, a stride at
  // a time, and the strides' last one by halves: each level costs the kernel a step.
  void tell_above() {
    finish(Reach::too_deep);
    constexpr int kStride = 64;
    UniqueFd low;  // cannot be told
    for (int levels = 0;; levels += kStride) {
      if (levels == kMaxClimb) return;
      UniqueFd next = climb(low.is_open() ? low.get() : here_, kStride);
      if (!next.is_open()) return;
      if (tell(next.get())) break;
      low = std::move(next);
    }
    int too_low = 0;
    int told = kStride;
    std::string path = std::move(place_.path);
    while (told - too_low > 1) {
      const int middle = too_low + (told - too_low) / 2;
      const UniqueFd at = climb(low.is_open() ? low.get() : here_, middle);
      const bool is_told = at.is_open() && tell(at.get());
      if (is_told) path = std::move(place_.path);
      (is_told ? told : too_low) = middle;
    }
    place_.path = std::move(path);
  }

  // The directory so many levels above `from`.
  static UniqueFd climb(int from, int levels) {
    std::string up;
    for (int i = 0; i < levels; ++i) up += "../";
    return UniqueFd(openat(from, up.c_str(), kLook | O_DIRECTORY));
  }

  // Whether a directory has a path that can be told; it is set.
  bool tell(int directory) {
    const auto found = look(directory);
    place_.path = found ? text_of(directory, found->stx_nlink) : std::string();
    return !place_.path.empty();
  }

  void follow(const UniqueFd& link, const std::string& name, bool is_last, bool has_slash) {
    if (has(RESOLVE_NO_SYMLINKS) || ++links_ > kMaxLinks) return finish(Reach::fault);
    std::string target;
    if (is_on_proc(link.get())) {
      target = own_name(name);
      if (target.empty() && is_in_first_process()) return bar(name);
      if (target.empty() && is_magic(name)) return jump(name, is_last, has_slash);
    }
    if (target.empty()) {
      std::array<char, kMaxPath> text;
      const ssize_t n = readlinkat(link.get(), "", text.data(), text.size());
      if (n <= 0) return stop_at(name);
      target.assign(text.data(), static_cast<std::size_t>(n));
    }
    if (is_last) {
      rest_ = has_slash ? target + "/" : target;
    } else {
      rest_ = target + "/" + rest_;
    }
    if (target.front() != '/') return;
    if (has(RESOLVE_BENEATH)) return finish(Reach::fault);
    const std::uint64_t mount = has(RESOLVE_NO_XDEV) ? here_at().stx_mnt_id : 0;
    const bool is_there = has(RESOLVE_IN_ROOT) ? enter_start() : enter_root();
    if (!is_there || (has(RESOLVE_NO_XDEV) && here_at().stx_mnt_id != mount)) finish(Reach::fault);
  }

  // /proc/self and /proc/thread-self are told to each reader anew: here, what the tool is told.
  std::string own_name(const std::string& name) {
    constexpr std::uint64_t kProcRoot = 1;  // inode number of a procfs root
    if (here_at().stx_ino != kProcRoot) return {};
    return name == "self" ? inner_process(tid_) : name == "thread-self" ? inner_thread(tid_) : "";
  }

  // Its links the kernel follows for tracers only; a supervisor is one.
  bool is_in_first_process() {
    const std::string directory = text_of(here_, here_at().stx_nlink);
    return is_within(directory, "/proc/1") && !is_within(directory, "/proc/1/net") &&
           !is_within(directory, "/proc/1/task/1/net");
  }

  void bar(const std::string& name) {
    if (has(RESOLVE_NO_MAGICLINKS) || has(RESOLVE_BENEATH) || has(RESOLVE_IN_ROOT))
      return finish(Reach::fault);
    stop_at(name);
    place_.is_barred = place_.reach == Reach::broken;
  }

  // A link of /proc that leads to an object and not to a text.
  [[nodiscard]] bool is_magic(const std::string& name) const {
    const UniqueFd fd(open_how_at(here_, name.c_str(), kLook, RESOLVE_NO_MAGICLINKS));
    return !fd.is_open() && errno == ELOOP;
  }

  void jump(const std::string& name, bool is_last, bool has_slash) {
    if (has(RESOLVE_NO_MAGICLINKS) || has(RESOLVE_BENEATH) || has(RESOLVE_IN_ROOT))
      return finish(Reach::fault);
    UniqueFd target(openat(here_, name.c_str(), kLook));
    if (!target.is_open()) return stop_at(name);
    const auto found = look(target.get());
    if (!found || is_foreign_mount(*found)) return finish(Reach::fault);
    place_.by_descriptor = true;
    if (S_ISDIR(found->stx_mode)) {
      if (!enter(std::move(target))) return finish(Reach::fault);
      if (is_last) arrive_here();
      return;
    }
    if (!is_last || has_slash) return finish(Reach::fault);
    arrive(std::move(target), *found);
  }

  void fill(UniqueFd object, const struct statx& found) {
    place_.mode = found.stx_mode;
    place_.uid = found.stx_uid;
    place_.gid = found.stx_gid;
    place_.object = std::move(object);
  }

  void arrive(UniqueFd object, const struct statx& found) {
    place_.path = text_of(object.get(), found.stx_nlink);
    const bool is_deep = place_.path.empty() && errno == ENAMETOOLONG;
    if (is_deep) {
      // Of a file behind a descriptor nothing leads up.
      const bool is_directory = S_ISDIR(found.stx_mode) && enter(std::move(object));
      return is_directory || !place_.by_descriptor ? tell_above() : finish(Reach::too_deep);
    }
    const bool is_nameless = place_.path.empty() || is_memory(place_.path, found.stx_nlink);
    fill(std::move(object), found);
    finish(is_nameless ? Reach::nameless : Reach::object);
  }

  pid_t tid_;
  int root_;
  const PathQuery& query_;
  bool looks_at_shut_;
  Place place_;
  UniqueFd start_;
  UniqueFd own_;  // `here_` when it is neither the root nor the start
  int here_ = -1;
  std::optional<Stat> here_at_;
  std::string rest_;
  int links_ = 0;
  bool is_over_ = false;
};

}  // namespace

int PathWalker::root_of(pid_t tid) {
  if (!root_.is_open())
    root_.reset(open((thread_dir(tid) + "/root").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  return root_.get();
}

Place PathWalker::walk(pid_t tid, const PathQuery& query) {
  return Walk(tid, root_of(tid), query, has_shut_directories_).run();
}

}  // namespace ethos::sandbox
