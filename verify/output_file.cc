// SPDX-License-Identifier: Apache-2.0
#include "verify/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "verify/unique_fd.h"

namespace ethos::verify {
namespace {

Error failed(const std::string& what) { return Error{Errc::io, what + ": " + std::strerror(errno)}; }

Result<Done> fill(const UniqueFd& fd, const std::string& name, const std::function<bool(std::ostream&)>& write, unsigned mode,
                  const std::string& path) {
  std::ofstream out(name, std::ios::binary);
  const bool given = out.is_open() && write(out);
  out.close();
  if (!given || !out) return Error{Errc::io, path + ": it could not be written whole"};
  if (::fchmod(fd.get(), static_cast<mode_t>(mode)) != 0 || ::fsync(fd.get()) != 0) return failed(path);
  return Done{};
}

}  // namespace

Result<Done> replace_file(const std::string& path, const std::function<bool(std::ostream&)>& write, unsigned mode) {
  struct stat st {};
  if (::lstat(path.c_str(), &st) == 0 && !S_ISREG(st.st_mode)) return Error{Errc::refused, path + ": there is something that is not a regular file"};
  const auto slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  std::string name = path + ".XXXXXX";
  const UniqueFd fd(::mkostemp(name.data(), O_CLOEXEC));
  if (!fd.valid()) return failed(path);
  auto done = fill(fd, name, write, mode, path);
  if (done && std::rename(name.c_str(), path.c_str()) != 0) done = failed(path);
  if (!done) {
    ::unlink(name.c_str());
    return done;
  }
  const UniqueFd directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.valid()) ::fsync(directory.get());
  return Done{};
}

Result<Done> replace_file(const std::string& path, std::string_view bytes, unsigned mode) {
  return replace_file(path, [&](std::ostream& out) { return static_cast<bool>(out << bytes); }, mode);
}

}  // namespace ethos::verify
