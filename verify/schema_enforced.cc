// SPDX-License-Identifier: Apache-2.0
// Field tables of sandbox.enforced (enforced.md).
#include <array>

#include "verify/schema.h"

namespace ethos::verify {
namespace {

bool hex16(const View& v) {
  return v.is_string() && v.raw().size() == 16 &&
         v.raw().find_first_not_of("0123456789abcdef") == std::string_view::npos;
}
bool groups(const View& v) { return array_of<count>(v) || commitment<"list">(v); }
bool limit_value(const View& v) { return big(v) || one_of<"unlimited">(v); }

constexpr std::array kCaps{Field{"amb", hex16}, Field{"bnd", hex16}, Field{"eff", hex16},
                           Field{"inh", hex16}, Field{"prm", hex16}};
constexpr std::array kControl{Field{"file", text<1, 64>}, Field{"value", text<0, 2048>}};
constexpr std::array kCgroup{Field{"controllers", array_of<text<1, 32>>}, Field{"values", array_of<object<kControl>>}};
constexpr std::array kFd{Field{"fd", count}, Field{"kind", one_of<"null", "pipe", "file", "init", "other">}};
constexpr std::array kLimits{Field{"core", limit_value, false},  Field{"data", limit_value, false},
                             Field{"fsize", limit_value, false}, Field{"memlock", limit_value, false},
                             Field{"nofile", limit_value, false}, Field{"nproc", limit_value, false}};
constexpr std::array kNs{Field{"cgroup", big}, Field{"ipc", big}, Field{"mnt", big}, Field{"net", big},
                         Field{"pid", big},    Field{"user", big}, Field{"uts", big}};

constexpr std::array kKernel{Field{"caps", object<kCaps>},
                             Field{"cgroup", object<kCgroup>, false},
                             Field{"fds", array_of<object<kFd>>},
                             Field{"gid_map", array_of<text<1, 64>>},
                             Field{"groups", groups},
                             Field{"limits", object<kLimits>},
                             Field{"listener", boolean},
                             Field{"mounts", commitment<"mounts">},
                             Field{"no_new_privs", count},
                             Field{"ns", object<kNs>},
                             Field{"ns_shared", array_of<text<1, 16>>},
                             Field{"seccomp", count},
                             Field{"seccomp_filters", count},
                             Field{"setgroups", one_of<"allow", "deny">},
                             Field{"uid_map", array_of<text<1, 64>>}};

constexpr std::array kProbe{Field{"errno", count}, Field{"name", text<1, 32>}};

constexpr std::array kLandlock{Field{"abi", count}, Field{"handled_fs", big}, Field{"handled_net", big},
                               Field{"rules", digest}, Field{"scoped", big}};
constexpr std::array kSeccomp{Field{"name", text<1, 64>}, Field{"sha256", digest}};
constexpr std::array kSupervisor{Field{"init", digest}, Field{"landlock", object<kLandlock>},
                                 Field{"seccomp", object<kSeccomp>}};

constexpr std::array kWeaker{Field{"by", text<1, 16>}, Field{"limit", text<1, 32>}};

constexpr std::array kEnforced{
    Field{"k", object<kKernel>}, Field{"p", array_of<object<kProbe>>}, Field{"s", object<kSupervisor>},
    Field{"sources", array_of<one_of<"cgroup_events", "landlock_audit", "pidfd", "seccomp_notify", "timer",
                                     "output_counter">>},
    Field{"weaker", array_of<object<kWeaker>>}};

}  // namespace

FieldFault check_enforced(const View& body) { return check_table<kEnforced>(body); }

}  // namespace ethos::verify
