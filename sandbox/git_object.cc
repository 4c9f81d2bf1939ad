// SPDX-License-Identifier: Apache-2.0
#include "sandbox/git_object.h"

#include <fcntl.h>

#include <algorithm>

#include "ledger/base/bytes.h"
#include "ledger/base/hex.h"
#include "ledger/base/paths.h"
#include "sandbox/git_revision.h"
#include "sandbox/git_store.h"

namespace ethos::sandbox {
namespace {

using base::Errc;
using base::fail;
using base::Result;

struct TreeEntry {
  std::string mode;
  std::string name;  // of the object, hex
};

// "mode name\0id" one after the other.
std::optional<TreeEntry> find_entry(const std::string& tree, std::string_view wanted,
                                    std::size_t id_size) {
  for (std::size_t at = 0; at < tree.size();) {
    const std::size_t space = tree.find(' ', at);
    const std::size_t end = space == std::string::npos ? space : tree.find('\0', space);
    if (end == std::string::npos || tree.size() - end - 1 < id_size) return std::nullopt;
    const std::string_view name = std::string_view(tree).substr(space + 1, end - space - 1);
    if (name == wanted)
      return TreeEntry{
          tree.substr(at, space - at),
          base::encode_hex(base::as_bytes(std::string_view(tree).substr(end + 1, id_size)))};
    at = end + 1 + id_size;
  }
  return std::nullopt;
}

}  // namespace

Result<GitFile> read_git_file(const Workspace& workspace, const std::string& revision,
                              const std::string& path, std::size_t most,
                              Abbreviations abbreviations) {
  auto git = open_git_directories(workspace);
  if (!git) return base::Unexpected(std::move(git).error());
  auto objects = base::open_beneath(git->common, "objects", O_PATH | O_DIRECTORY);
  if (!objects) return base::Unexpected(std::move(objects).error());
  const GitStore store = GitStore::open(std::move(*objects));
  auto commit = find_git_commit(*git, store, revision, abbreviations);
  if (!commit) return base::Unexpected(std::move(commit).error());
  const auto tree = git_header_line(commit->bytes, "tree");
  if (!tree) return fail(Errc::malformed, "a commit without a tree");
  const std::size_t id_size = commit->name.size() / 2;
  std::string at = *tree;
  for (std::size_t from = 0; from <= path.size();) {
    const std::size_t end = std::min(path.find('/', from), path.size());
    auto object = store.read(at);
    if (!object) return base::Unexpected(std::move(object).error());
    if (object->type != "tree")
      return fail(Errc::not_found, "commit " + commit->name + " has no " + path);
    const auto entry =
        find_entry(object->bytes, std::string_view(path).substr(from, end - from), id_size);
    if (!entry) return fail(Errc::not_found, "commit " + commit->name + " has no " + path);
    // 100644 and 100755 are files; a link's text is no declaration.
    const bool is_last = end == path.size();
    if (is_last && !entry->mode.starts_with("100"))
      return fail(Errc::refused, path + " is no regular file in commit " + commit->name);
    at = entry->name;
    from = end + 1;
  }
  auto file = store.read(at);
  if (!file) return base::Unexpected(std::move(file).error());
  if (file->type != "blob") return fail(Errc::malformed, path + " is no file");
  if (file->bytes.size() > most) return fail(Errc::too_large, path + " is too large");
  return GitFile{std::move(file->bytes), commit->name};
}

}  // namespace ethos::sandbox
