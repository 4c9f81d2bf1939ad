// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "sarif/validate/checks.h"

namespace ethos::sarif::validation {
namespace {

struct NamedSpot {
  std::string_view id;
  Value value;
};

// Sorted by id; those that share one are reported.
void sort_and_report(Context& context, std::vector<NamedSpot>& items, const char* what) {
  std::stable_sort(items.begin(), items.end(),
                   [](const NamedSpot& a, const NamedSpot& b) { return a.id < b.id; });
  for (std::size_t i = 1; i < items.size(); ++i) {
    if (items[i].id != items[i - 1].id) continue;
    context.reporter.at_member(Check::graph_broken, items[i].value, Key::id, [&] {
      return std::string(what) + " " + quoted(items[i].id) + " stands in this graph twice.";
    });
  }
}

bool has_id(const std::vector<NamedSpot>& items, std::string_view id) {
  const auto found =
      std::lower_bound(items.begin(), items.end(), id,
                       [](const NamedSpot& item, std::string_view key) { return item.id < key; });
  return found != items.end() && found->id == id;
}

}  // namespace

void check_graph(Context& context, const Value& graph) {
  if (!context.reporter.is_on(Check::graph_broken)) return;
  std::vector<NamedSpot> nodes;
  std::vector<NamedSpot> edges;
  graph.each_object([&](const Value& part) {
    const auto id = part.text_of(Key::id);
    if (part.type() == Type::node && id) nodes.push_back({*id, part});
    if (part.type() == Type::edge && id) edges.push_back({*id, part});
  });
  sort_and_report(context, nodes, "The node");
  sort_and_report(context, edges, "The edge");
  for (const NamedSpot& edge : edges) {
    for (const Key end : {Key::source_node_id, Key::target_node_id}) {
      const auto id = edge.value.text_of(end);
      if (!id || has_id(nodes, *id)) continue;
      context.reporter.at_member(Check::graph_broken, edge.value, end,
                                 [&] { return "The graph has no node " + quoted(*id) + "."; });
    }
  }
}

}  // namespace ethos::sarif::validation
