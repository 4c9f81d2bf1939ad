// SPDX-License-Identifier: Apache-2.0
#include "sarif/places.h"

#include <cerrno>
#include <cstdlib>
#include <memory>

#include "ledger/base/paths.h"
#include "sarif/uri.h"

namespace ethos::sarif {
namespace {

struct FreeDeleter {
  void operator()(char* text) const { std::free(text); }
};

// "b/c" for ("/a", "/a/b/c"), "." for the directory itself.
std::optional<std::string> below(std::string_view directory, std::string_view path) {
  if (directory.empty()) return std::nullopt;
  if (path == directory) return ".";
  if (directory != "/") {
    if (!path.starts_with(directory)) return std::nullopt;
    path.remove_prefix(directory.size());
  }
  if (path.size() < 2 || path.front() != '/') return std::nullopt;
  return std::string(path.substr(1));
}

}  // namespace

base::Result<PathMapper> PathMapper::create(std::string_view root,
                                            std::string_view working_directory) {
  PathMapper mapper;
  const auto absolute = base::absolute_path(root);
  if (!absolute) return base::Unexpected(base::Error(absolute.error()));
  const std::unique_ptr<char, FreeDeleter> real(::realpath(absolute->c_str(), nullptr));
  if (!real) return base::fail_errno(std::string(root), errno);
  mapper.real_root_ = real.get();
  // A ".." in the root cannot be folded by text (a link may stand before it): take the real one.
  const bool has_dots = ("/" + *absolute + "/").find("/../") != std::string::npos;
  mapper.root_ = has_dots ? mapper.real_root_ : *absolute;
  if (working_directory.starts_with('/')) {
    mapper.working_directory_ = normalize_path(working_directory).value_or("/");
  } else {
    const auto joined = normalize_path(mapper.root_ + "/" + std::string(working_directory));
    mapper.working_directory_ = joined.value_or(mapper.root_);
  }
  return mapper;
}

std::optional<std::string> PathMapper::below_root(std::string_view absolute) const {
  auto found = below(root_, absolute);
  return found ? found : below(real_root_, absolute);
}

Place PathMapper::map(std::string_view path) const {
  if (path.starts_with("file://")) path.remove_prefix(7);
  // "C:/x" comes from Windows tools only; it is absolute there and nowhere below a root here.
  const bool has_drive = path.size() > 2 && path[1] == ':' && path[2] == '/' &&
                         ((path[0] >= 'A' && path[0] <= 'Z') || (path[0] >= 'a' && path[0] <= 'z'));
  if (has_drive) return {"file://" + encode_uri_path("/" + std::string(path)), {}};
  std::string whole(path);
  if (!whole.starts_with('/') && !working_directory_.empty()) {
    whole = working_directory_ + "/" + whole;
  }
  const auto plain = normalize_path(whole);
  // Climbs out of a root that is not known: keep what the tool said, it is still a reference.
  if (!plain) return {encode_uri_path(path), {}};
  if (!plain->starts_with('/')) return {encode_uri_path(*plain), *plain};
  if (auto relative = below_root(*plain)) return {encode_uri_path(*relative), *relative};
  return {"file://" + encode_uri_path(*plain), {}};
}

}  // namespace ethos::sarif
