// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace ethos::reports {

// Exit statuses of ethos-report.
enum class Status : int {
  done = 0,          // the report was written (completeness may be incomplete; the report says so)
  tampered = 1,      // verification failed: evidence was changed or contradicts itself
  usage = 2,         // wrong option or value
  unverifiable = 3,  // the input cannot be read or judged, or an output cannot be written
};

// `args` without the program's name. The only place that knows the command line.
int run(const std::vector<std::string>& args, std::ostream& out, std::ostream& err);

}  // namespace ethos::reports
