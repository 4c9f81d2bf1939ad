// SPDX-License-Identifier: Apache-2.0
#include "verify/filter_policy.h"

#include <linux/seccomp.h>

#include <utility>

#include "verify/bpf_paths.h"
#include "verify/syscall_names.h"

namespace ethos::verify {
namespace {

constexpr std::uint32_t kActionMask = 0xffff0000U;

// S-3 (a), by x86-64 number.
constexpr std::uint32_t kForbidden[] = {
    101,  // ptrace
    155,  // pivot_root
    161,  // chroot
    165, 166,            // mount, umount2
    175, 176, 313,       // init_module, delete_module, finit_module
    246, 320,            // kexec_load, kexec_file_load
    248, 249, 250,       // add_key, request_key, keyctl
    272, 308,            // unshare, setns
    298,                 // perf_event_open
    304,                 // open_by_handle_at
    310, 311, 438,       // process_vm_readv, process_vm_writev, pidfd_getfd
    321, 323,            // bpf, userfaultfd
    425, 426, 427,       // io_uring_*
    428, 429, 430, 431,  // open_tree, move_mount, fsopen, fsconfig
    432, 433, 442, 467,  // fsmount, fspick, mount_setattr, open_tree_attr
    435,                 // clone3: its flags lie in memory
    444, 445, 446};      // landlock_*

// S-3 (f), by x86-64 number: what changes a path, reaches for another socket, or for more than a cage has.
constexpr std::uint32_t kSeenCalls[] = {
    76, 82, 83, 84, 85, 86, 87, 88,            // truncate, rename, mkdir, rmdir, creat, link, unlink, symlink
    92, 94, 133,                               // chown, lchown, mknod
    258, 259, 260, 263, 264, 265, 266, 316,    // mkdirat, mknodat, fchownat, unlinkat, renameat, linkat, symlinkat, renameat2
    437,                                       // openat2
    101, 165, 166, 272, 298, 308, 310, 311, 321,  // ptrace, mount, umount2, unshare, perf_event_open, setns, process_vm_*, bpf
    42};                                       // connect
constexpr std::uint32_t kOpen = 2;
constexpr std::uint32_t kOpenAt = 257;
constexpr unsigned kWriteBits[] = {0, 1, 6, 9};  // O_WRONLY, O_RDWR, O_CREAT, O_TRUNC

constexpr std::uint32_t kExecs[] = {59, 322};  // execve, execveat
constexpr std::uint32_t kSocket = 41;
constexpr std::uint32_t kConnect = 42;
constexpr std::uint32_t kClone = 56;
constexpr std::uint32_t kMemfdCreate = 319;
constexpr unsigned kNoExecSealBit = 3;  // MFD_NOEXEC_SEAL, 8
constexpr unsigned kX32Bit = 30;
// CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. (NEWTIME is no flag of clone.)
constexpr unsigned kNamespaceBits[] = {17, 25, 26, 27, 28, 29, 30};

constexpr std::uint32_t kUnix = 1;
constexpr std::uint32_t kInet = 2;
constexpr std::uint32_t kInet6 = 10;
constexpr std::uint32_t kPacket = 17;
constexpr std::uint32_t kFamilies = 64;  // asked one by one; larger ones by each bit above
constexpr unsigned kFamilyBits = 6;

// Can a value of which this is known be ALLOW or LOG?
bool may_be_let_through(KnownBits value) {
  return value.is_constant() ? is_let_through(value.value)
                             : KnownBits{value.known & kActionMask, value.value & kActionMask}.admits(SECCOMP_RET_ALLOW) ||
                                   KnownBits{value.known & kActionMask, value.value & kActionMask}.admits(SECCOMP_RET_LOG);
}

// Can it be anything but a refusal that the filter itself gives?
bool may_pass(KnownBits value) {
  return may_be_let_through(value) ||
         KnownBits{value.known & kActionMask, value.value & kActionMask}.admits(SECCOMP_RET_USER_NOTIF);
}

bool is_not_notified(KnownBits value) {
  return !value.is_constant() || (value.value & kActionMask) != SECCOMP_RET_USER_NOTIF;
}

class FilterChecker {
 public:
  FilterChecker(const BpfProgram& program, std::string_view name)
      : paths_(program), sees_writes_(!name.starts_with("off-")), sees_all_(name.starts_with("all-")), is_loopback_(name.find("-loopback") != std::string_view::npos), may_exec_memory_(name.ends_with("+mem")) {}

  std::string check() {
    std::string fault = first_fault();
    return paths_.gave_up() ? "something: it is too tangled to be judged" : fault;
  }

 private:
  std::string first_fault() {
    for (const std::uint32_t nr : kForbidden) {
      if (lets(call(nr))) return std::string(syscall_name(nr));
    }
    for (const std::uint32_t nr : kExecs) {
      if (paths_.may_return(call(nr), is_not_notified)) return std::string(syscall_name(nr)) + " without asking the supervisor";
    }
    for (const unsigned bit : kNamespaceBits) {
      if (lets(call(kClone).low(0, KnownBits::bit(bit, true)))) return "clone with a new namespace";
    }
    if (!may_exec_memory_ && paths_.may_return(call(kMemfdCreate).low(1, KnownBits::bit(kNoExecSealBit, false)), may_pass))
      return "memfd_create of what can be executed";
    if (!is_loopback_ && lets(call(kConnect))) return "connect";
    if (std::string fault = sockets(); !fault.empty()) return fault;
    if (std::string fault = unseen(); !fault.empty()) return fault + " without telling the supervisor";
    return other_tables();
  }

  bool asks(const BpfInput& input) { return !paths_.may_return(input, is_not_notified); }

  // A refusal by the filter itself would leave no denial.
  std::string unseen() {
    if (!sees_writes_) return "";
    for (const std::uint32_t nr : kSeenCalls) {
      if (!asks(call(nr))) return std::string(syscall_name(nr));
    }
    for (const auto& [nr, flags] : {std::pair{kOpen, 1U}, {kOpenAt, 2U}}) {
      if (sees_all_ && !asks(call(nr))) return std::string(syscall_name(nr));
      for (const unsigned bit : kWriteBits) {
        if (!asks(call(nr).low(flags, KnownBits::bit(bit, true)))) return std::string(syscall_name(nr)) + " for writing";
      }
    }
    return asks(call(kSocket).low(0, KnownBits::constant(kPacket))) ? "" : "socket";
  }

  static BpfInput call(std::uint32_t nr) { return {KnownBits::constant(nr), KnownBits::constant(kArchX86_64)}; }
  bool lets(const BpfInput& input) { return paths_.may_return(input, may_be_let_through); }

  bool has_family(std::uint32_t family) const { return is_loopback_ ? family == kInet || family == kInet6 : family == kUnix; }

  // The kernel takes the family as an int: the high half of the word is anything.
  std::string sockets() {
    for (std::uint32_t family = 0; family < kFamilies; ++family) {
      if (has_family(family)) continue;
      if (lets(call(kSocket).low(0, KnownBits::constant(family)))) return "socket of family " + std::to_string(family);
    }
    for (unsigned bit = kFamilyBits; bit < 32; ++bit) {
      if (lets(call(kSocket).low(0, KnownBits::bit(bit, true)))) return "socket of an unknown family";
    }
    return "";
  }

  // Another architecture differs from x86-64 in one bit at least.
  std::string other_tables() {
    for (unsigned bit = 0; bit < 32; ++bit) {
      const bool is_set = (kArchX86_64 >> bit & 1U) != 0;
      if (lets({KnownBits{}, KnownBits::bit(bit, !is_set)})) return "a call of another architecture";
    }
    return lets({KnownBits::bit(kX32Bit, true), KnownBits::constant(kArchX86_64)}) ? "an x32 call" : "";
  }

  BpfPaths paths_;
  bool sees_writes_;
  bool sees_all_;
  bool is_loopback_;
  bool may_exec_memory_;
};

}  // namespace

std::int64_t first_untold(const BpfProgram& program, const std::vector<std::uint32_t>& calls) {
  BpfPaths paths(program);
  const auto may_be_told = [](KnownBits value) {
    return KnownBits{value.known & kActionMask, value.value & kActionMask}.admits(SECCOMP_RET_USER_NOTIF);
  };
  for (const std::uint32_t nr : calls) {
    const bool is_told = paths.may_return({KnownBits::constant(nr), KnownBits::constant(kArchX86_64)}, may_be_told);
    if (paths.gave_up()) return -1;
    if (!is_told) return nr;
  }
  return -1;
}

std::string check_filter(const BpfProgram& program, std::string_view name) { return FilterChecker(program, name).check(); }

}  // namespace ethos::verify
