// SPDX-License-Identifier: Apache-2.0
// Build-time generator: writes every seccomp program as a C++ source. Linking libseccomp here and
// not into ethos-run keeps 2 ms of rule building out of each launch.
//
//   generate_filters OUT.inc
//
// Everything a program does not list is handed to the supervisor (observe writes, all) or refused
// with EPERM or ENOSYS at once (observe off, where nobody records it).
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "sandbox/filter/rules.h"

namespace {

namespace filter = ethos::sandbox::filter;

struct Profile {
  std::string observe;  // off, writes, all
  bool has_loopback = false;
  bool may_exec_memory = false;
};

std::string name_of(const Profile& p) {
  return p.observe + (p.has_loopback ? "-loopback" : "-none") + (p.may_exec_memory ? "+mem" : "");
}

void check(int rc, const char* what, std::int64_t subject) {
  if (rc == 0) return;
  std::fprintf(stderr, "generate_filters: %s (%lld): %s\n", what, static_cast<long long>(subject),
               std::strerror(-rc));
  std::exit(1);
}

scmp_arg_cmp masked(unsigned arg, std::uint32_t mask, std::uint32_t value) {
  scmp_arg_cmp out{};
  out.arg = arg;
  out.op = SCMP_CMP_MASKED_EQ;
  out.datum_a = mask;
  out.datum_b = value;
  return out;
}

// Ints are truncated by the kernel: only the low 32 bits may be compared.
scmp_arg_cmp equals(unsigned arg, std::uint32_t value) { return masked(arg, 0xffffffff, value); }

class Builder {
 public:
  explicit Builder(const Profile& profile)
      : profile_(profile),
        is_silent_(profile.observe == "off"),
        refuse_(is_silent_ ? SCMP_ACT_ERRNO(EPERM) : SCMP_ACT_NOTIFY),
        ctx_(seccomp_init(is_silent_ ? SCMP_ACT_ERRNO(ENOSYS) : SCMP_ACT_NOTIFY)) {
    if (ctx_ == nullptr) std::exit(1);
    check(seccomp_attr_set(ctx_, SCMP_FLTATR_ACT_BADARCH, refuse_), "bad architecture", 0);
    check(seccomp_attr_set(ctx_, SCMP_FLTATR_CTL_OPTIMIZE, 2), "optimize", 2);
  }
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;
  ~Builder() { seccomp_release(ctx_); }

  std::vector<std::uint8_t> build() {
    for (const auto nr : filter::kAllowed) allow(nr);
    add_forbidden();
    add_exec();
    add_processes();
    // Huge pages come from one pool for the whole host, as if there were none left.
    add_mappings();
    rule(SCMP_ACT_ERRNO(ENOMEM), 9, {masked(3, filter::kMapHugeTlb, filter::kMapHugeTlb)});
    for (const auto nr : filter::kPageHolding) rule(SCMP_ACT_NOTIFY, nr);
    add_files();
    add_sockets();
    add_futex();
    add_requests();
    add_limits();
    add_scheduling();
    add_options();
    return export_bytes();
  }

 private:
  void allow(std::int32_t nr, std::vector<scmp_arg_cmp> args = {}) {
    rule(SCMP_ACT_ALLOW, nr, std::move(args));
  }
  // A rule equal to the default is an error in libseccomp, and needless.
  void rule(std::uint32_t action, std::int32_t nr, std::vector<scmp_arg_cmp> args = {}) {
    if (action == (is_silent_ ? SCMP_ACT_ERRNO(ENOSYS) : SCMP_ACT_NOTIFY)) return;
    check(seccomp_rule_add_array(ctx_, action, nr, static_cast<unsigned>(args.size()), args.data()),
          "rule", nr);
  }

  void add_forbidden() {
    for (const auto nr : filter::kForbidden) rule(refuse_, nr);
  }

  // Always notified: the first is the barrier, the others are evidence.
  void add_exec() {
    rule(SCMP_ACT_NOTIFY, 59);   // execve
    rule(SCMP_ACT_NOTIFY, 322);  // execveat
  }

  void add_processes() {
    // Flags of clone3 lie behind a pointer; without it libc falls back to clone.
    rule(SCMP_ACT_ERRNO(ENOSYS), 435);
    // Not handed over to be counted: a signal before the supervisor takes the call would make it
    // fail with EINTR, which no program expects of fork.
    allow(56, {masked(0, filter::kNamespaceFlags, 0)});
    allow(57);
    allow(58);
    // `observe: off`: what is left of clone is a request for a namespace.
    for (const auto value : filter::kPersonalities) allow(135, {equals(0, value)});
    // Code in memory: without the seal (or before Linux 6.3) the file can be executed. The
    // supervisor says whether there may be files in memory at all: no process limit counts their
    // pages.
    if (profile_.may_exec_memory) {
      rule(SCMP_ACT_NOTIFY, 319);
    } else {
      rule(SCMP_ACT_NOTIFY, 319, {masked(1, filter::kNoExecSeal, filter::kNoExecSeal)});
      rule(SCMP_ACT_ERRNO(ENOSYS), 319, {masked(1, filter::kNoExecSeal, 0)});
    }
  }

  // Code of a file is mapped by every loader; under `all` the supervisor says of which files.
  void add_mappings() {
    constexpr std::int32_t mmap = 9;
    constexpr std::uint32_t huge = filter::kMapHugeTlb;
    if (profile_.observe != "all") return allow(mmap, {masked(3, huge, 0)});
    allow(mmap, {masked(2, filter::kProtExec, 0), masked(3, huge, 0)});
    allow(mmap, {masked(3, huge | filter::kMapAnonymous, filter::kMapAnonymous)});
  }

  void add_files() {
    const bool sees_writes = !is_silent_;
    const bool sees_reads = profile_.observe == "all";
    if (!sees_reads) {
      allow_open(2, 1, sees_writes);    // open
      allow_open(257, 2, sees_writes);  // openat
    }
    // Its flags lie behind a pointer: the supervisor reads them, `off` lets programs fall back.
    if (is_silent_) rule(SCMP_ACT_ERRNO(ENOSYS), 437);
    // chmod family: set-id bits never, by the register; else as every path-changing call.
    if (!sees_writes) {
      for (const auto nr : filter::kPathChanging) allow_or_unsupported(nr);
      for (const auto nr : filter::kDescriptorChanging) allow_or_unsupported(nr);
      allow(91, {masked(1, filter::kSetIdBits, 0)});   // fchmod
      allow(90, {masked(1, filter::kSetIdBits, 0)});   // chmod
      allow(268, {masked(2, filter::kSetIdBits, 0)});  // fchmodat
      allow(452, {masked(2, filter::kSetIdBits, 0)});  // fchmodat2
      allow(280);                                      // utimensat
      for (const std::int32_t nr : {90, 91, 268, 452})
        rule(SCMP_ACT_ERRNO(EPERM), nr, {masked(nr < 100 ? 1 : 2, 04000, 04000)});
      for (const std::int32_t nr : {90, 91, 268, 452})
        rule(SCMP_ACT_ERRNO(EPERM), nr, {masked(nr < 100 ? 1 : 2, 06000, 02000)});
    }
  }

  void allow_or_unsupported(std::int32_t nr) {
    bool sets = false;
    for (const auto setting : filter::kAttributeSetting) sets |= setting == nr;
    rule(sets ? SCMP_ACT_ERRNO(EOPNOTSUPP) : SCMP_ACT_ALLOW, nr);
  }

  void allow_open(std::int32_t nr, unsigned flags_arg, bool only_reads) {
    if (only_reads) {
      allow(nr, {masked(flags_arg, filter::kWriteIntent, 0)});
    } else {
      allow(nr);
    }
  }

  // With no network only connected pairs and local stream sockets exist, and connect is never let
  // through. With loopback there are no unix sockets but pairs, so that connect can be let through:
  // it can only reach the cage's own network namespace. Datagram unix sockets never: sendmsg could
  // name any socket file. MPTCP, raw, SCTP and every other family: never.
  void add_sockets() {
    constexpr std::uint32_t unix_family = 1, inet = 2, inet6 = 10;
    constexpr std::uint32_t stream = 1, dgram = 2, seqpacket = 5, type_mask = 0xf;
    for (const std::uint32_t type : {stream, seqpacket}) {
      allow(53, {equals(0, unix_family), masked(1, type_mask, type)});  // socketpair
      if (!profile_.has_loopback) allow(41, {equals(0, unix_family), masked(1, type_mask, type)});
    }
    if (profile_.has_loopback) {
      for (const std::uint32_t family : {inet, inet6}) {
        for (const std::uint32_t protocol : {0U, 6U})
          allow(41, {equals(0, family), masked(1, type_mask, stream), equals(2, protocol)});
        for (const std::uint32_t protocol : {0U, 17U})
          allow(41, {equals(0, family), masked(1, type_mask, dgram), equals(2, protocol)});
      }
    }
    if (is_silent_) {
      if (profile_.has_loopback) {
        allow(42);  // connect
      } else {
        rule(SCMP_ACT_ERRNO(EACCES), 42);
      }
      allow(49);  // bind
    }
    // Anything but attaching a filter; levels other than SOL_SOCKET by name.
    constexpr std::uint32_t sol_socket = 1;
    scmp_arg_cmp below_filters{};
    below_filters.arg = 2;
    below_filters.op = SCMP_CMP_LT;  // 64 bits: a set high half fails, which is the safe side
    below_filters.datum_a = 26;
    allow(54, {equals(1, sol_socket), below_filters});
    for (const auto option : filter::kSocketOptions)
      allow(54, {equals(1, sol_socket), equals(2, option)});
    for (const std::uint32_t level : {0U, 6U, 17U, 41U}) allow(54, {equals(1, level)});
    if (is_silent_) {
      // Not the default ENOSYS: these calls exist, their arguments are refused.
      for (const std::uint32_t option : {26U, 50U, 51U, 52U})
        rule(SCMP_ACT_ERRNO(EPERM), 54, {equals(1, sol_socket), equals(2, option)});
    }
  }

  // Limits of the caller itself only: one lowered for pid 1 would have the kernel end the cage.
  void add_limits() {
    for (const auto& block : filter::kChangeableLimits) {
      allow(160, {masked(0, block.mask, block.value)});                // setrlimit
      allow(302, {equals(0, 0), masked(1, block.mask, block.value)});  // prlimit64
    }
    scmp_arg_cmp sets{};
    sets.arg = 2;
    sets.op = SCMP_CMP_NE;
    rule(SCMP_ACT_ERRNO(0), 160, {equals(0, filter::kCoreLimit)});
    rule(SCMP_ACT_ERRNO(0), 302, {equals(0, 0), equals(1, filter::kCoreLimit), sets});
    scmp_arg_cmp reads{};
    reads.arg = 2;
    reads.op = SCMP_CMP_EQ;
    allow(302, {reads});
    scmp_arg_cmp writes{};
    writes.arg = 2;
    writes.op = SCMP_CMP_NE;
    scmp_arg_cmp other{};
    other.arg = 0;
    other.op = SCMP_CMP_NE;
    if (is_silent_) rule(SCMP_ACT_ERRNO(EPERM), 302, {other, writes});
  }

  // Allowed is what differs from 1 in all 64 bits, after 1 in the low half was refused. Where that
  // is the supervisor's to say, libseccomp takes no rule for it, as it is the default: the rule
  // gets an error of no call, which export_bytes() replaces.
  void add_scheduling() {
    for (const auto& call : filter::kScheduling) {
      const bool has_which = call.which >= 0;
      const unsigned process = has_which ? 1 : 0;
      const std::uint32_t action = is_silent_ ? SCMP_ACT_ERRNO(EPERM) : SCMP_ACT_ERRNO(kAsk);
      scmp_arg_cmp other{};
      other.arg = process;
      other.op = SCMP_CMP_NE;
      other.datum_a = 1;
      std::vector<scmp_arg_cmp> first{equals(process, 1)}, rest{other};
      if (has_which) {
        const auto which = static_cast<std::uint32_t>(call.which);
        first.insert(first.begin(), equals(0, which));
        rest.insert(rest.begin(), equals(0, which));
      }
      rule(action, call.nr, first);
      allow(call.nr, rest);
      // Not the default ENOSYS: the call exists.
      if (is_silent_ && has_which)
        for (std::uint32_t which = 0; which < 4; ++which)
          if (which != static_cast<std::uint32_t>(call.which))
            rule(SCMP_ACT_ERRNO(EPERM), call.nr, {equals(0, which)});
    }
  }

  // Bit by bit, as no rule says "other than".
  void add_futex() {
    constexpr std::int32_t futex = 202;
    for (std::uint32_t bit = 1; bit < 16; bit <<= 1)
      allow(futex, {masked(1, bit, ~filter::kFutexWakeOp & bit)});
    allow(futex, {masked(5, filter::kFutexShift, 0)});
    allow(futex, {masked(5, filter::kFutexFarShift, 0)});
    if (!is_silent_) return;
    // Not the default ENOSYS: the call exists.
    for (std::uint32_t bit = 1U << 17; bit < 1U << 24; bit <<= 1) {
      const std::uint32_t far = filter::kFutexShift | bit;
      rule(SCMP_ACT_ERRNO(EINVAL), futex,
           {masked(1, filter::kFutexCommand, filter::kFutexWakeOp), masked(5, far, far)});
    }
  }

  void add_options() {
    rule(is_silent_ ? SCMP_ACT_ERRNO(EINVAL) : SCMP_ACT_ERRNO(kAsk), 157,
         {equals(0, filter::kPrctlSchedCore)});
    for (const auto& block : filter::kPrctlOptions)
      allow(157, {masked(0, block.mask, block.value)});  // prctl
    // Counted by the supervisor.
    rule(SCMP_ACT_NOTIFY, 157, {equals(0, filter::kPrctlSeccomp)});
    rule(SCMP_ACT_NOTIFY, 317);  // seccomp
  }

  void add_requests() {
    for (const auto request : filter::kIoctls) allow(16, {equals(1, request)});
    for (const auto command : filter::kFcntlCommands) allow(72, {equals(1, command)});
  }

  std::vector<std::uint8_t> export_bytes() {
    const int fd = memfd_create("program", MFD_CLOEXEC);
    if (fd < 0) std::exit(1);
    check(seccomp_export_bpf(ctx_, fd), "export", 0);
    const off_t size = lseek(fd, 0, SEEK_END);
    std::vector<std::uint8_t> out(static_cast<std::size_t>(size));
    if (pread(fd, out.data(), out.size(), 0) != size) std::exit(1);
    close(fd);
    replace_asks(out);
    return out;
  }

  static void replace_asks(std::vector<std::uint8_t>& bytes) {
    for (std::size_t at = 0; at + sizeof(sock_filter) <= bytes.size(); at += sizeof(sock_filter)) {
      sock_filter op{};
      std::memcpy(&op, bytes.data() + at, sizeof op);
      if (op.code != (BPF_RET | BPF_K) || op.k != (SECCOMP_RET_ERRNO | kAsk)) continue;
      op.k = SECCOMP_RET_USER_NOTIF;
      std::memcpy(bytes.data() + at, &op, sizeof op);
    }
  }

  static constexpr std::uint32_t kAsk = 4094;  // no call returns it

  Profile profile_;
  bool is_silent_;
  std::uint32_t refuse_;
  scmp_filter_ctx ctx_;
};

void write_program(std::ofstream& out, std::size_t index, const std::vector<std::uint8_t>& bytes) {
  out << "alignas(8) constexpr unsigned char kProgram" << index << "[] = {";
  for (std::size_t i = 0; i < bytes.size(); ++i)
    out << (i % 32 == 0 ? "\n" : "") << static_cast<unsigned>(bytes[i]) << ',';
  out << "};\n";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::ofstream out(argv[1], std::ios::trunc);
  std::string table = "constexpr Program kPrograms[] = {\n";
  std::size_t index = 0;
  for (const char* observe : {"off", "writes", "all"}) {
    for (unsigned bits = 0; bits < 4; ++bits) {
      const Profile profile{observe, (bits & 1) != 0, (bits & 2) != 0};
      write_program(out, index, Builder(profile).build());
      table += "  {\"" + name_of(profile) + "\", kProgram" + std::to_string(index) +
               ", sizeof kProgram" + std::to_string(index) + "},\n";
      ++index;
    }
  }
  out << table << "};\n";
  out.close();
  return out ? 0 : 1;
}
