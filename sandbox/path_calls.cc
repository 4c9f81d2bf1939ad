// SPDX-License-Identifier: Apache-2.0
#include "sandbox/path_calls.h"

namespace ethos::sandbox {

PathCall path_call(std::int32_t nr) {
  constexpr PathArg kAtCwd{-1, 0};
  constexpr PathArg kAtDir{0, 1};
  switch (nr) {
    case 76:   // truncate
    case 83:   // mkdir
    case 84:   // rmdir
    case 87:   // unlink
    case 92:   // chown
    case 94:   // lchown
    case 132:  // utime
    case 133:  // mknod
    case 188:  // setxattr
    case 189:  // lsetxattr
    case 197:  // removexattr
    case 198:  // lremovexattr
    case 235:  // utimes
      return {1, {kAtCwd}};
    case 90:  // chmod
      return {1, {kAtCwd}, 1};
    case 82:  // rename
    case 86:  // link
      return {2, {kAtCwd, PathArg{-1, 1}}};
    case 88:  // symlink: the target is text, not a path
      return {1, {PathArg{-1, 1}}};
    case 258:  // mkdirat
    case 259:  // mknodat
    case 260:  // fchownat
    case 261:  // futimesat
    case 263:  // unlinkat
    case 280:  // utimensat
    case 463:  // setxattrat
    case 466:  // removexattrat
      return {1, {kAtDir}};
    case 268:  // fchmodat
    case 452:  // fchmodat2
      return {1, {kAtDir}, 2};
    case 264:  // renameat
    case 265:  // linkat
    case 316:  // renameat2
      return {2, {kAtDir, PathArg{2, 3}}};
    case 266:  // symlinkat
      return {1, {PathArg{1, 2}}};
    default:
      return {};
  }
}

}  // namespace ethos::sandbox
