// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grp.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/ledger/service_fixture.h"

namespace ethos::support {

struct Outcome {
  int status = 0;
  std::string text;
};

// Starts a program of the product; as another user when `uid` is not 0. Its words go to `out`.
inline pid_t start(const std::vector<std::string>& args, const std::filesystem::path& home,
                   uid_t uid, const std::string& out) {
  return spawn([&] {
    const int fd = ::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(fd, 1);
    ::dup2(fd, 2);
    ::setenv("HOME", home.c_str(), 1);
    ::unsetenv("XDG_STATE_HOME");
    if (uid != 0 && (::setgroups(0, nullptr) != 0 || ::setresgid(uid, uid, uid) != 0 ||
                     ::setresuid(uid, uid, uid) != 0)) {
      return 99;
    }
    std::vector<std::string> words = args;
    words[0] = ETHOS_BIN "/" + args[0];
    std::vector<char*> raw;
    for (std::string& word : words) raw.push_back(word.data());
    raw.push_back(nullptr);
    ::execv(raw[0], raw.data());
    return 98;
  });
}

// The same, and waits for its end.
inline Outcome run(const std::vector<std::string>& args, const std::filesystem::path& home,
                   uid_t uid = 0) {
  const std::string out = (home / "out").string();
  const int status = wait_for(start(args, home, uid, out));
  std::ifstream in(out);
  return {WEXITSTATUS(status), {std::istreambuf_iterator<char>(in), {}}};
}

}  // namespace ethos::support
