// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <string>
#include <vector>

// Small hostile programs, one function each. Each prints what it got, one "name=errno" a line (0:
// the act succeeded), so that the test outside can say what must have failed.
namespace hostile {

using Arguments = std::vector<std::string>;
using Case = int (*)(const Arguments& args);

struct Entry {
  const char* name;
  Case run;
};

void say(const std::string& name, long result);  // result < 0: uses errno
void say_errno(const std::string& name, int error);

extern const std::vector<Entry> kFileCases;
extern const std::vector<Entry> kSystemCases;
extern const std::vector<Entry> kNetworkCases;
extern const std::vector<Entry> kProcessCases;
extern const std::vector<Entry> kWalkCases;
extern const std::vector<Entry> kMemoryCases;
extern const std::vector<Entry> kQuotaCases;
extern const std::vector<Entry> kHostCases;

}  // namespace hostile
