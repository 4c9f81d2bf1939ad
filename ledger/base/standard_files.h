// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>

namespace ethos::base {

// What every program does first. A closed pipe and a file above the caller's size limit become
// failed writes instead of a death in the middle of one. Of descriptors 0 to 2 those that are
// closed are taken, so that no file of ours gets such a number and a message, or another's output,
// is written into it: standard input as an empty one; the outputs without the right to write, so
// that what is lost there is noticed as it always was. False when there is no /dev/null for it.
[[nodiscard]] bool prepare_standard_files();

// What every program does last: `status`, or `lost` when something that was written to `out` did
// not arrive. The reason goes to standard error unless the reader went away or was never there.
[[nodiscard]] int finish_output(const char* program, std::ostream& out, int status, int lost);

}  // namespace ethos::base
