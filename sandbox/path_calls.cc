// SPDX-License-Identifier: Apache-2.0
#include "sandbox/path_calls.h"

namespace ethos::sandbox {
namespace {

using enum LastName;

PathCall one(LastName last) { return {.count = 1, .paths = {{{-1, 0, last}}}}; }
PathCall of_descriptor() { return {.count = 1, .paths = {{{0, -1, follow}}}}; }
PathCall one_at(LastName last, int flags_arg = -1) {
  return {.count = 1, .paths = {{{0, 1, last}}}, .flags_arg = flags_arg};
}

}  // namespace

PathCall path_call(std::int32_t nr) {
  PathCall out;
  switch (nr) {
    case 76:   // truncate
    case 92:   // chown
    case 132:  // utime
    case 188:  // setxattr
    case 197:  // removexattr
    case 235:  // utimes
      return one(follow);
    case 94:   // lchown
    case 189:  // lsetxattr
    case 198:  // lremovexattr
      return one(keep);
    case 83:  // mkdir
      return one(make);
    case 84:  // rmdir
    case 87:  // unlink
      return one(place);
    case 90:  // chmod
      out = one(follow);
      out.chmod_arg = 1;
      return out;
    case 91:  // fchmod
      out = of_descriptor();
      out.chmod_arg = 1;
      return out;
    case 93:   // fchown
    case 190:  // fsetxattr
    case 199:  // fremovexattr
      return of_descriptor();
    case 133:  // mknod
      out = one(make);
      out.mknod_arg = 1;
      return out;
    case 82:  // rename
      return {.count = 2, .paths = {{{-1, 0, place}, {-1, 1, place}}}};
    case 86:  // link
      return {.count = 2, .paths = {{{-1, 0, keep}, {-1, 1, make}}}};
    case 88:  // symlink: the target is text, not a path
      return {.count = 1, .paths = {{{-1, 1, make}}}};
    case 258:  // mkdirat
      return one_at(make);
    case 259:  // mknodat
      out = one_at(make);
      out.mknod_arg = 2;
      return out;
    case 260:  // fchownat
      return one_at(follow, 4);
    case 261:  // futimesat
      out = one_at(follow);
      out.null_is_fd = true;
      return out;
    case 280:  // utimensat
      out = one_at(follow, 3);
      out.null_is_fd = true;
      return out;
    case 263:  // unlinkat
      return one_at(place);
    case 463:  // setxattrat
    case 466:  // removexattrat
      return one_at(follow, 2);
    case 268:  // fchmodat
      out = one_at(follow);
      out.chmod_arg = 2;
      return out;
    case 452:  // fchmodat2
      out = one_at(follow, 3);
      out.chmod_arg = 2;
      return out;
    case 264:  // renameat
    case 316:  // renameat2
      return {.count = 2, .paths = {{{0, 1, place}, {2, 3, place}}}};
    case 265:  // linkat
      return {.count = 2, .paths = {{{0, 1, keep}, {2, 3, make}}}, .flags_arg = 4};
    case 266:  // symlinkat
      return {.count = 1, .paths = {{{1, 2, make}}}};
    default:
      return out;
  }
}

bool removes_name(std::int32_t nr, int index) {
  switch (nr) {
    case 84:   // rmdir
    case 87:   // unlink
    case 263:  // unlinkat
      return true;
    case 82:   // rename
    case 264:  // renameat
    case 316:  // renameat2
      return index == 0;
    default:
      return false;
  }
}

}  // namespace ethos::sandbox
