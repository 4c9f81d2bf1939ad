// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ethos::verify {

// Lets SQLite read a file that does not change, through a descriptor that was opened and looked at
// before: whatever happens to the file's name in the meantime, it is the same file. Nothing can be
// written, locked, created or deleted through it, and no sibling (journal, log) is ever looked for.
//
// How the connection will go through the file.
enum class Access {
  walk,    // page by page: 64 KiB at a time are read where it does, single pages where it does not
  lookup,  // here and there: always single pages
};

// The name to open a database by. `fd` must stay open as long as the connection; several connections,
// also in several threads, may share it.
std::string still_file_uri(int fd, Access access);

}  // namespace ethos::verify
