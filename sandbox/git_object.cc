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

// The value of the first "key value" line of a commit or tag.
std::optional<std::string> header_line(const std::string& bytes, std::string_view key) {
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t end = std::min(bytes.find('\n', at), bytes.size());
    const std::string_view line = std::string_view(bytes).substr(at, end - at);
    at = end + 1;
    if (line.empty()) return std::nullopt;  // the message begins
    if (line.starts_with(key) && line.size() > key.size() && line[key.size()] == ' ')
      return std::string(line.substr(key.size() + 1));
  }
  return std::nullopt;
}

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

// Tags lead to what they name.
Result<std::pair<std::string, GitObject>> find_commit(const GitStore& store, std::string name) {
  constexpr int kMaxTags = 8;
  for (int i = 0; i < kMaxTags; ++i) {
    auto object = store.read(name);
    if (!object) return base::Unexpected(std::move(object).error());
    if (object->type == "commit") return std::pair(std::move(name), std::move(*object));
    const auto target = object->type == "tag" ? header_line(object->bytes, "object") : std::nullopt;
    if (!target) return fail(Errc::malformed, name + " is no commit");
    name = *target;
  }
  return fail(Errc::too_large, "a tag of a tag of a tag");
}

}  // namespace

Result<GitFile> read_git_file(const Workspace& workspace, const std::string& revision,
                              const std::string& path, std::size_t most) {
  auto git = open_git_directories(workspace);
  if (!git) return base::Unexpected(std::move(git).error());
  auto name = resolve_git_name(*git, revision);
  if (!name) return base::Unexpected(std::move(name).error());
  auto objects = base::open_beneath(git->common, "objects", O_PATH | O_DIRECTORY);
  if (!objects) return base::Unexpected(std::move(objects).error());
  const GitStore store = GitStore::open(std::move(*objects));
  auto commit = find_commit(store, *name);
  if (!commit) return base::Unexpected(std::move(commit).error());
  const auto tree = header_line(commit->second.bytes, "tree");
  if (!tree) return fail(Errc::malformed, "a commit without a tree");
  const std::size_t id_size = commit->first.size() / 2;
  std::string at = *tree;
  for (std::size_t from = 0; from <= path.size();) {
    const std::size_t end = std::min(path.find('/', from), path.size());
    auto object = store.read(at);
    if (!object) return base::Unexpected(std::move(object).error());
    if (object->type != "tree")
      return fail(Errc::not_found, "commit " + commit->first + " has no " + path);
    const auto entry =
        find_entry(object->bytes, std::string_view(path).substr(from, end - from), id_size);
    if (!entry) return fail(Errc::not_found, "commit " + commit->first + " has no " + path);
    // 100644 and 100755 are files; a link's text is no declaration.
    const bool is_last = end == path.size();
    if (is_last && !entry->mode.starts_with("100"))
      return fail(Errc::refused, path + " is no regular file in commit " + commit->first);
    at = entry->name;
    from = end + 1;
  }
  auto file = store.read(at);
  if (!file) return base::Unexpected(std::move(file).error());
  if (file->type != "blob") return fail(Errc::malformed, path + " is no file");
  if (file->bytes.size() > most) return fail(Errc::too_large, path + " is too large");
  return GitFile{std::move(file->bytes), commit->first};
}

}  // namespace ethos::sandbox
