// SPDX-License-Identifier: Apache-2.0
#include "sandbox/learn_paths.h"

#include <functional>
#include <map>
#include <memory>
#include <string_view>

namespace ethos::sandbox {
namespace {

struct Node {
  std::map<std::string, std::unique_ptr<Node>, std::less<>> below;
  bool is_needed = false;  // itself, with everything below it
};

// Deeper than any path of 4096 bytes makes sense; what lies below is covered by its parent.
constexpr std::size_t kMaxDepth = 200;

void insert(Node& root, std::string_view path) {
  Node* at = &root;
  if (path == "." || path == "/") {
    root.is_needed = true;
    return;
  }
  if (path.starts_with('/')) path.remove_prefix(1);
  for (std::size_t depth = 0; !path.empty() && depth < kMaxDepth; ++depth) {
    const std::size_t end = path.find('/');
    auto& next = at->below[std::string(path.substr(0, end))];
    if (!next) next = std::make_unique<Node>();
    at = next.get();
    path.remove_prefix(end == std::string_view::npos ? path.size() : end + 1);
  }
  at->is_needed = true;
}

class Collector {
 public:
  Collector(std::size_t siblings, bool is_absolute)
      : siblings_(siblings), least_depth_(is_absolute ? 2 : 0) {}

  std::vector<std::string> run(const Node& root) {
    collect(root, least_depth_ > 0 ? "/" : ".", 0);
    return std::move(out_);
  }

 private:
  bool is_whole(const Node& node, std::size_t depth) const {
    return node.is_needed || (depth >= least_depth_ && node.below.size() >= siblings_);
  }

  void collect(const Node& node, const std::string& path, std::size_t depth) {
    if (is_whole(node, depth)) {
      out_.push_back(path);
      return;
    }
    for (const auto& [name, next] : node.below) {
      const std::string below = path == "." ? name : path == "/" ? "/" + name : path + "/" + name;
      collect(*next, below, depth + 1);
    }
  }

  std::size_t siblings_;
  std::size_t least_depth_;
  std::vector<std::string> out_;
};

std::vector<std::string> collect_side(const PathNeeds& needs, bool is_absolute,
                                      std::size_t siblings) {
  Node root;
  for (const auto* set : {&needs.places, &needs.whole})
    for (const std::string& path : *set)
      if (path.starts_with('/') == is_absolute) insert(root, path);
  return Collector(siblings, is_absolute).run(root);
}

}  // namespace

std::vector<std::string> generalise(const PathNeeds& needs) {
  std::vector<std::string> out;
  for (std::size_t siblings = kManySiblings; siblings > 0; siblings /= 2) {
    out = collect_side(needs, false, siblings);
    auto absolute = collect_side(needs, true, siblings);
    out.insert(out.end(), absolute.begin(), absolute.end());
    if (out.size() <= kMostEntries) break;
  }
  std::set<std::string> sorted(out.begin(), out.end());
  return {sorted.begin(), sorted.end()};
}

}  // namespace ethos::sandbox
