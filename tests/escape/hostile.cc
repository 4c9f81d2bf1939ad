// SPDX-License-Identifier: Apache-2.0
#include "tests/escape/hostile.h"

#include <cerrno>
#include <cstdio>

namespace hostile {

void say_errno(const std::string& name, int error) {
  std::printf("%s=%d\n", name.c_str(), error);
  std::fflush(stdout);
}

void say(const std::string& name, long result) { say_errno(name, result < 0 ? errno : 0); }

}  // namespace hostile

int main(int argc, char** argv) {
  const hostile::Arguments args(argv + 1, argv + argc);
  if (args.empty()) return 99;
  for (const auto* table : {&hostile::kFileCases, &hostile::kSystemCases, &hostile::kNetworkCases,
                            &hostile::kProcessCases, &hostile::kWalkCases, &hostile::kMemoryCases,
                            &hostile::kQuotaCases, &hostile::kHostCases})
    for (const auto& entry : *table)
      if (args[0] == entry.name) return entry.run(args);
  std::fprintf(stderr, "no case %s\n", args[0].c_str());
  return 98;
}
