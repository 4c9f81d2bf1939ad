// SPDX-License-Identifier: Apache-2.0
#include "verify/output_guard.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>

namespace ethos::verify {
namespace {

using FileId = std::pair<dev_t, ino_t>;

// Beside a ledger (store.md).
constexpr const char* kSiblings[] = {"", "-wal", "-journal", "-shm", ".lock", ".highwater", ".runs", ".service", ".sock", ".root.key", ".keys"};

std::optional<FileId> id_of(const std::string& path) {
  struct stat st {};
  const int failed = path == "-" ? ::fstat(STDIN_FILENO, &st) : ::stat(path.c_str(), &st);
  if (failed != 0) return std::nullopt;
  return FileId{st.st_dev, st.st_ino};
}

std::pair<std::string, std::string> split(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return {".", path};
  return {path.substr(0, slash + 1), path.substr(slash + 1)};
}

// Two names of one file, or the one name of a file that is not there yet.
bool same_place(const std::string& a, const std::string& b) {
  const auto x = id_of(a);
  if (x && x == id_of(b)) return true;
  const auto [folder_a, name_a] = split(a);
  const auto [folder_b, name_b] = split(b);
  const auto folder = name_a == name_b ? id_of(folder_a) : std::nullopt;
  return folder && folder == id_of(folder_b);
}

// Whether `path` lies below a directory, at any depth.
bool lies_in(const std::string& path, const std::string& directory) {
  struct stat st {};
  if (::stat(directory.c_str(), &st) != 0 || !S_ISDIR(st.st_mode)) return false;
  const FileId wanted{st.st_dev, st.st_ino};
  const std::unique_ptr<char, void (*)(void*)> folder(::realpath(split(path).first.c_str(), nullptr), &std::free);
  std::string at = folder ? folder.get() : "";
  while (!at.empty()) {
    if (id_of(at) == wanted) return true;
    at.resize(at.rfind('/'));
  }
  return id_of("/") == wanted;
}

bool belongs_to(const std::string& path, const std::string& input) {
  if (lies_in(path, input)) return true;
  const std::unique_ptr<char, void (*)(void*)> real(input == "-" ? nullptr : ::realpath(input.c_str(), nullptr), &std::free);
  for (const char* sibling : kSiblings) {
    if (same_place(path, input + sibling)) return true;
    if (real && same_place(path, real.get() + std::string(sibling))) return true;
  }
  return lies_in(path, input + ".keys");
}

}  // namespace

std::optional<std::string> output_clash(const std::vector<std::pair<std::string, std::string>>& outputs, const std::vector<std::string>& inputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto& [option, path] = outputs[i];
    if (path.empty()) continue;
    for (const std::string& input : inputs) {
      if (!input.empty() && belongs_to(path, input)) return option + " " + path + ": would overwrite " + input + ", or what belongs to it, which is read here";
    }
    for (std::size_t k = 0; k < i; ++k) {
      if (!outputs[k].second.empty() && same_place(path, outputs[k].second)) return option + " " + path + ": is also the file of " + outputs[k].first;
    }
  }
  return std::nullopt;
}

}  // namespace ethos::verify
