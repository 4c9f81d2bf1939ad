// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

// The tables behind the seccomp programs, x86_64. Numbers, not names, where Debian 12's headers do
// not know the call yet. Shared by the generator (which calls the kernel lets pass) and by the
// supervisor (what it says to those that are handed to it).
namespace ethos::sandbox::filter {

// Always let through, whatever the arguments: no new object can be reached with these that the
// mount table, Landlock, the namespaces and the missing capabilities do not already decide.
inline constexpr auto kAllowed = std::to_array<std::int32_t>({
    0,    // read
    1,    // write
    3,    // close
    4,    // stat
    5,    // fstat
    6,    // lstat
    7,    // poll
    8,    // lseek
    10,   // mprotect
    11,   // munmap
    12,   // brk
    13,   // rt_sigaction
    14,   // rt_sigprocmask
    15,   // rt_sigreturn
    17,   // pread64
    18,   // pwrite64
    19,   // readv
    20,   // writev
    21,   // access
    22,   // pipe
    23,   // select
    24,   // sched_yield
    25,   // mremap
    26,   // msync
    27,   // mincore
    28,   // madvise
    32,   // dup
    33,   // dup2
    34,   // pause
    35,   // nanosleep
    36,   // getitimer
    37,   // alarm
    38,   // setitimer
    39,   // getpid
    43,   // accept
    44,   // sendto
    45,   // recvfrom
    46,   // sendmsg
    47,   // recvmsg
    48,   // shutdown
    50,   // listen
    51,   // getsockname
    52,   // getpeername
    55,   // getsockopt
    60,   // exit
    61,   // wait4
    62,   // kill
    63,   // uname
    73,   // flock
    74,   // fsync
    75,   // fdatasync
    77,   // ftruncate
    78,   // getdents
    79,   // getcwd
    80,   // chdir
    81,   // fchdir
    89,   // readlink
    95,   // umask
    96,   // gettimeofday
    97,   // getrlimit
    98,   // getrusage
    99,   // sysinfo
    100,  // times
    102,  // getuid
    104,  // getgid
    105,  // setuid
    106,  // setgid
    107,  // geteuid
    108,  // getegid
    109,  // setpgid
    110,  // getppid
    111,  // getpgrp
    112,  // setsid
    113,  // setreuid
    114,  // setregid
    115,  // getgroups
    117,  // setresuid
    118,  // getresuid
    119,  // setresgid
    120,  // getresgid
    121,  // getpgid
    122,  // setfsuid
    123,  // setfsgid
    124,  // getsid
    125,  // capget
    126,  // capset
    127,  // rt_sigpending
    128,  // rt_sigtimedwait
    129,  // rt_sigqueueinfo
    130,  // rt_sigsuspend
    131,  // sigaltstack
    137,  // statfs
    138,  // fstatfs
    140,  // getpriority
    143,  // sched_getparam
    145,  // sched_getscheduler
    146,  // sched_get_priority_max
    147,  // sched_get_priority_min
    148,  // sched_rr_get_interval
    149,  // mlock
    150,  // munlock
    151,  // mlockall
    152,  // munlockall
    158,  // arch_prctl
    162,  // sync
    186,  // gettid
    187,  // readahead
    191,  // getxattr
    192,  // lgetxattr
    193,  // fgetxattr
    194,  // listxattr
    195,  // llistxattr
    196,  // flistxattr
    200,  // tkill
    201,  // time
    204,  // sched_getaffinity
    213,  // epoll_create
    217,  // getdents64
    218,  // set_tid_address
    219,  // restart_syscall
    221,  // fadvise64
    222,  // timer_create
    223,  // timer_settime
    224,  // timer_gettime
    225,  // timer_getoverrun
    226,  // timer_delete
    228,  // clock_gettime
    229,  // clock_getres
    230,  // clock_nanosleep
    231,  // exit_group
    232,  // epoll_wait
    233,  // epoll_ctl
    234,  // tgkill
    237,  // mbind
    238,  // set_mempolicy
    239,  // get_mempolicy
    240,  // mq_open
    241,  // mq_unlink
    242,  // mq_timedsend
    243,  // mq_timedreceive
    244,  // mq_notify
    245,  // mq_getsetattr
    247,  // waitid
    252,  // ioprio_get
    253,  // inotify_init
    254,  // inotify_add_watch
    255,  // inotify_rm_watch
    262,  // newfstatat
    267,  // readlinkat
    269,  // faccessat
    270,  // pselect6
    271,  // ppoll
    273,  // set_robust_list
    274,  // get_robust_list
    276,  // tee
    277,  // sync_file_range
    281,  // epoll_pwait
    282,  // signalfd
    283,  // timerfd_create
    284,  // eventfd
    285,  // fallocate
    286,  // timerfd_settime
    287,  // timerfd_gettime
    288,  // accept4
    289,  // signalfd4
    290,  // eventfd2
    291,  // epoll_create1
    292,  // dup3
    293,  // pipe2
    294,  // inotify_init1
    295,  // preadv
    296,  // pwritev
    297,  // rt_tgsigqueueinfo
    299,  // recvmmsg
    303,  // name_to_handle_at: a handle alone opens nothing
    306,  // syncfs
    307,  // sendmmsg
    309,  // getcpu
    315,  // sched_getattr
    318,  // getrandom
    324,  // membarrier
    325,  // mlock2
    326,  // copy_file_range
    327,  // preadv2
    328,  // pwritev2
    329,  // pkey_mprotect
    330,  // pkey_alloc
    331,  // pkey_free
    332,  // statx
    334,  // rseq
    424,  // pidfd_send_signal
    434,  // pidfd_open
    436,  // close_range
    439,  // faccessat2
    441,  // epoll_pwait2
    448,  // process_mrelease
    449,  // futex_waitv
    451,  // cachestat
    453,  // map_shadow_stack
    454,  // futex_wake
    455,  // futex_wait
    456,  // futex_requeue
    462,  // mseal
    464,  // getxattrat
    465,  // listxattrat
    468,  // file_getattr
});

// Calls that set how processes are scheduled, of any process but pid 1 of the cage: that one tells
// when the tool ends, and must not be starved by it. (Threads are named by their ids, as Java and
// pthread_setaffinity_np do.)
struct Scheduling {
  std::int32_t nr;
  int which;  // value of the first argument that says "a process"; -1: the first is the process
};
inline constexpr auto kScheduling = std::to_array<Scheduling>({
    {141, 0},   // setpriority: PRIO_PROCESS. Groups and users would take pid 1 along.
    {142, -1},  // sched_setparam
    {144, -1},  // sched_setscheduler
    {203, -1},  // sched_setaffinity
    {251, 1},   // ioprio_set: IOPRIO_WHO_PROCESS
    {314, -1},  // sched_setattr
});

// Calls that change something by path: let through under `observe: off`, handed to the supervisor
// otherwise. (Opens, chmod, utimensat and bind have rules of their own.)
inline constexpr auto kPathChanging = std::to_array<std::int32_t>({
    76,   // truncate
    82,   // rename
    83,   // mkdir
    84,   // rmdir
    85,   // creat
    86,   // link
    87,   // unlink
    88,   // symlink
    92,   // chown
    94,   // lchown
    132,  // utime
    133,  // mknod
    188,  // setxattr
    189,  // lsetxattr
    197,  // removexattr
    198,  // lremovexattr
    235,  // utimes
    258,  // mkdirat
    259,  // mknodat
    260,  // fchownat
    261,  // futimesat
    263,  // unlinkat
    264,  // renameat
    265,  // linkat
    266,  // symlinkat
    316,  // renameat2
    463,  // setxattrat
    466,  // removexattrat
});

// Of these, those that set an extended attribute: EOPNOTSUPP, as a file system without any says,
// and programs go on without. An access list takes up to 64 KiB of kernel memory for each file,
// which no limit counts, not even a memory cgroup.
inline constexpr auto kAttributeSetting = std::to_array<std::int32_t>({188, 189, 190, 463});

// Calls that change something that is open, if only for reading: treated alike. (fchmod has a rule
// of its own.) What the supervisor says is for the record; read-only mounts are what holds.
inline constexpr auto kDescriptorChanging = std::to_array<std::int32_t>({
    93,   // fchown
    190,  // fsetxattr
    199,  // fremovexattr
});

// Calls that put pages into a pipe or socket without copying them: handed to the supervisor by
// every program, since one byte of a huge page, or of a scratch page whose file is cut afterwards,
// holds the whole page where no process limit and no size of a file system counts it. (tee only
// repeats what lies in a pipe, of which the kernel bounds the number.)
inline constexpr auto kPageHolding = std::to_array<std::int32_t>({
    40,   // sendfile
    275,  // splice
    278,  // vmsplice
});

// Known calls that no tool gets, answered EPERM. What is in none of the tables is unknown and
// answered ENOSYS, as a kernel without it would.
inline constexpr auto kForbidden = std::to_array<std::int32_t>({
    29,   // shmget: memory outside every limit on a host without a memory cgroup
    30,   // shmat
    31,   // shmctl
    64,   // semget: kernel memory outside every limit, like shmget; so are the other System V calls
    65,   // semop
    66,   // semctl
    67,   // shmdt
    68,   // msgget
    69,   // msgsnd
    70,   // msgrcv
    71,   // msgctl
    101,  // ptrace
    103,  // syslog
    116,  // setgroups
    134,  // uselib
    136,  // ustat
    139,  // sysfs
    153,  // vhangup
    154,  // modify_ldt
    155,  // pivot_root
    156,  // _sysctl
    159,  // adjtimex
    161,  // chroot
    163,  // acct
    164,  // settimeofday
    165,  // mount
    166,  // umount2
    167,  // swapon
    168,  // swapoff
    169,  // reboot
    170,  // sethostname
    171,  // setdomainname
    172,  // iopl
    173,  // ioperm
    174,  // create_module
    175,  // init_module
    176,  // delete_module
    177,  // get_kernel_syms
    178,  // query_module
    179,  // quotactl
    180,  // nfsservctl
    205,  // set_thread_area
    211,  // get_thread_area
    212,  // lookup_dcookie
    216,  // remap_file_pages
    227,  // clock_settime
    206,  // io_setup: takes from fs.aio-max-nr, one small pool for the whole host
    207,  // io_destroy
    208,  // io_getevents
    209,  // io_submit
    210,  // io_cancel
    220,  // semtimedop
    246,  // kexec_load
    248,  // add_key
    249,  // request_key
    250,  // keyctl
    256,  // migrate_pages
    272,  // unshare
    279,  // move_pages
    298,  // perf_event_open
    300,  // fanotify_init
    301,  // fanotify_mark
    304,  // open_by_handle_at
    305,  // clock_adjtime
    308,  // setns
    310,  // process_vm_readv
    311,  // process_vm_writev
    312,  // kcmp
    313,  // finit_module
    320,  // kexec_file_load
    321,  // bpf
    323,  // userfaultfd
    425,  // io_uring_setup
    426,  // io_uring_enter
    427,  // io_uring_register
    428,  // open_tree
    429,  // move_mount
    430,  // fsopen
    431,  // fsconfig
    432,  // fsmount
    433,  // fspick
    438,  // pidfd_getfd
    440,  // process_madvise
    442,  // mount_setattr
    443,  // quotactl_fd
    444,  // landlock_create_ruleset: a domain stacked on ours would silence the kernel's own audit
    445,  // landlock_add_rule
    446,  // landlock_restrict_self
    447,  // memfd_secret
    450,  // set_mempolicy_home_node
    457,  // statmount
    458,  // listmount
    459,  // lsm_get_self_attr
    460,  // lsm_set_self_attr
    461,  // lsm_list_modules
    467,  // open_tree_attr
    469,  // file_setattr
});

// ioctl requests (low 32 bits) that may pass. Left out on purpose: TIOCSTI, TIOCLINUX, TIOCSCTTY,
// FS_IOC_SETFLAGS, FIFREEZE, NS_GET_*, SIOCSIF*. Landlock from ABI 5 closes devices besides.
inline constexpr auto kIoctls = std::to_array<std::uint32_t>({
    0x5401,      // TCGETS
    0x802c542a,  // TCGETS2
    0x540f,      // TIOCGPGRP
    0x5411,      // TIOCOUTQ
    0x5413,      // TIOCGWINSZ
    0x541b,      // FIONREAD
    0x5421,      // FIONBIO
    0x5450,      // FIONCLEX
    0x5451,      // FIOCLEX
    0x5452,      // FIOASYNC
    0x5460,      // FIOQSIZE
    0x2,         // FIGETBSZ
    0xc020660b,  // FS_IOC_FIEMAP
    0x80086601,  // FS_IOC_GETFLAGS
    0x801c581f,  // FS_IOC_FSGETXATTR
    0x40049409,  // FICLONE: needs write access to the target anyway
    0x4020940d,  // FICLONERANGE
    0x8905,      // SIOCATMARK
    0x8910,      // SIOCGIFNAME
    0x8912,      // SIOCGIFCONF
    0x8913,      // SIOCGIFFLAGS
    0x8915,      // SIOCGIFADDR
    0x8919,      // SIOCGIFBRDADDR
    0x891b,      // SIOCGIFNETMASK
    0x8921,      // SIOCGIFMTU
    0x8927,      // SIOCGIFHWADDR
    0x8933,      // SIOCGIFINDEX
});

// fcntl commands (low 32 bits) that may pass. Left out on purpose: F_SETLEASE and F_NOTIFY, with
// which a tool that may only read a file can make the host's own processes wait for it, and
// F_SET_RW_HINT and F_SET_FILE_RW_HINT, which change the host's inode through such a descriptor.
inline constexpr auto kFcntlCommands = std::to_array<std::uint32_t>({
    0,     // F_DUPFD
    1,     // F_GETFD
    2,     // F_SETFD
    3,     // F_GETFL
    4,     // F_SETFL
    5,     // F_GETLK
    6,     // F_SETLK
    7,     // F_SETLKW
    8,     // F_SETOWN
    9,     // F_GETOWN
    10,    // F_SETSIG
    11,    // F_GETSIG
    15,    // F_SETOWN_EX
    16,    // F_GETOWN_EX
    36,    // F_OFD_GETLK
    37,    // F_OFD_SETLK
    38,    // F_OFD_SETLKW
    1025,  // F_GETLEASE
    1027,  // F_DUPFD_QUERY
    1028,  // F_CREATED_QUERY
    1030,  // F_DUPFD_CLOEXEC
    1031,  // F_SETPIPE_SZ
    1032,  // F_GETPIPE_SZ
    1033,  // F_ADD_SEALS
    1034,  // F_GET_SEALS
    1035,  // F_GET_RW_HINT
    1037,  // F_GET_FILE_RW_HINT
});

// prctl() options that may pass, as blocks {mask, value} of the option's low 32 bits: all below 78
// but 22 (PR_SET_SECCOMP) and 62, and the two that are words. Others are answered EINVAL, as by an
// older kernel: 78 (PR_FUTEX_HASH) takes memory that no limit counts, and 62 (PR_SCHED_CORE) keeps
// the host's processes off the other half of each core that the tool is on.
struct Block {
  std::uint32_t mask;
  std::uint32_t value;
};
inline constexpr auto kPrctlOptions = std::to_array<Block>({
    {~15U, 0},
    {~3U, 16},
    {~1U, 20},
    {~0U, 23},
    {~7U, 24},
    {~31U, 32},
    {~7U, 64},
    {~3U, 72},
    {~1U, 76},
    {~0U, 0x53564d41},  // PR_SET_VMA
    {~0U, 0x59616d61},  // PR_SET_PTRACER
});
inline constexpr std::uint32_t kPrctlSeccomp = 22;
inline constexpr std::uint32_t kPrctlSchedCore = 62;

// futex(): FUTEX_WAKE_OP, and in its last argument the bit that makes the operand a shift and those
// of it that make it one beyond 31. The kernel would take it modulo 32 and write a line with the
// caller's name into its log; a newer one may answer EINVAL, as it says there.
inline constexpr std::uint32_t kFutexCommand = ~(128U | 256U);
inline constexpr std::uint32_t kFutexWakeOp = 5;
inline constexpr std::uint32_t kFutexShift = 1U << 31;
inline constexpr std::uint32_t kFutexFarShift = 0x00fe0000;

// Limits that the tool may change: all but RLIMIT_CORE (4), whose 0 would hand a dump to the host's
// collector; changing that one does nothing and succeeds.
inline constexpr auto kChangeableLimits =
    std::to_array<Block>({{~3U, 0}, {~0U, 5}, {~1U, 6}, {~7U, 8}});
inline constexpr std::uint32_t kCoreLimit = 4;

// Filters of the tool's own that a run may have. They can only take away, but the kernel's memory
// for them is counted nowhere, and their machine code comes from one pool for the whole host.
inline constexpr int kMaxOwnFilters = 64;

// personality() values: query, default, no address randomisation (sanitizers re-execute with it).
inline constexpr auto kPersonalities = std::to_array<std::uint32_t>({0xffffffff, 0x0, 0x0040000});

// SOL_SOCKET options above SO_ATTACH_FILTER (26) that may be set; all below it may, and no filter
// or program may be attached (26, 50 to 52).
inline constexpr auto kSocketOptions = std::to_array<std::uint32_t>({
    29,  // SO_TIMESTAMP
    32,  // SO_SNDBUFFORCE (the kernel asks for a capability)
    33,  // SO_RCVBUFFORCE
    34,  // SO_PASSSEC
    35,  // SO_TIMESTAMPNS
    36,  // SO_MARK (capability)
    41,  // SO_WIFI_STATUS
    42,  // SO_PEEK_OFF
    46,  // SO_BUSY_POLL
    47,  // SO_MAX_PACING_RATE
});

inline constexpr std::uint32_t kNamespaceFlags = 0x00020000 |  // CLONE_NEWNS
                                                 0x02000000 |  // CLONE_NEWCGROUP
                                                 0x04000000 |  // CLONE_NEWUTS
                                                 0x08000000 |  // CLONE_NEWIPC
                                                 0x10000000 |  // CLONE_NEWUSER
                                                 0x20000000 |  // CLONE_NEWPID
                                                 0x40000000;   // CLONE_NEWNET

// open flags that make an open one of write intent: O_ACCMODE, O_CREAT, O_TRUNC, __O_TMPFILE.
inline constexpr std::uint32_t kWriteIntent = 03 | 0100 | 01000 | 020000000;

inline constexpr std::uint32_t kSetIdBits = 06000;
inline constexpr std::uint32_t kNoExecSeal = 8;  // MFD_NOEXEC_SEAL
inline constexpr std::uint32_t kMapHugeTlb = 0x40000;
inline constexpr std::uint32_t kMapAnonymous = 0x20;
inline constexpr std::uint32_t kProtExec = 4;
inline constexpr std::uint32_t kFileHugeTlb = 4;  // MFD_HUGETLB

}  // namespace ethos::sandbox::filter
