// SPDX-License-Identifier: Apache-2.0
#include "sandbox/drift.h"

#include <algorithm>
#include <map>
#include <set>

#include "sandbox/limits.h"
#include "sandbox/normal.h"
#include "sandbox/path_text.h"

namespace ethos::sandbox {
namespace {

using base::Result;

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) (out += out.empty() ? "" : " ") += word;
  return out;
}

std::string list_of(const std::vector<Enforcer>& list) {
  std::vector<std::string> names;
  for (const Enforcer e : list) names.emplace_back(enforcer_name(e));
  return joined(names);
}

bool covers(const std::vector<PathEntry>& entries, const std::string& path) {
  return std::ranges::any_of(entries, [&](const PathEntry& e) {
    const bool is_special = e.path.starts_with('@') || path.starts_with('@');
    return is_special ? e.path == path : is_at_or_below(path, e.path);
  });
}

bool may_delete(const std::vector<PathEntry>& entries, const std::string& path) {
  return std::ranges::any_of(
      entries, [&](const PathEntry& e) { return e.may_delete && is_at_or_below(path, e.path); });
}

// One tool that is in both.
class ToolDrift {
 public:
  ToolDrift(const Normal& a, const Normal& b, std::vector<Drift>& out) : a_(a), b_(b), out_(out) {}

  void run() {
    compare("command", joined(a_.command), joined(b_.command));
    compare("output_format", a_.output_format.value_or(""), b_.output_format.value_or(""));
    if (a_.profile != b_.profile)
      add("profile", b_.profile == "no-proc" ? DriftKind::widened : DriftKind::changed, a_.profile,
          b_.profile);
    paths("read", a_.read, b_.read);
    paths("write", a_.write, b_.write);
    paths("exec", a_.exec, b_.exec);
    deletions();
    hide();
    env();
    limits();
    enforce();
    ordered("network", network_name(a_.network), network_name(b_.network), {"none", "loopback"});
    ordered("git", git_name(a_.git), git_name(b_.git), {"none", "read"});
    ordered("observe", observe_name(a_.observe), observe_name(b_.observe),
            {"all", "writes", "off"});
    ordered("class", a_.isolation, b_.isolation, {"microvm", "namespace"});
    ordered("args", a_.args, b_.args, {"fixed", "paths", "any"});
    ordered("on_output_limit", a_.on_output_limit, b_.on_output_limit, {"kill", "truncate"});
  }

 private:
  void add(const std::string& key, DriftKind kind, std::string from, std::string to) {
    out_.push_back({a_.tool, key, kind, std::move(from), std::move(to)});
  }

  void compare(const char* key, const std::string& from, const std::string& to) {
    if (from != to) add(key, DriftKind::changed, from, to);
  }

  // `order` goes from the narrowest to the widest.
  void ordered(const char* key, std::string_view from, std::string_view to,
               std::initializer_list<std::string_view> order) {
    if (from == to) return;
    const bool is_wider = std::ranges::find(order, to) > std::ranges::find(order, from);
    add(key, is_wider ? DriftKind::widened : DriftKind::narrowed, std::string(from),
        std::string(to));
  }

  void paths(const char* key, const std::vector<PathEntry>& from,
             const std::vector<PathEntry>& to) {
    for (const PathEntry& entry : to)
      if (!covers(from, entry.path)) add(key, DriftKind::widened, "", entry.path);
    for (const PathEntry& entry : from) {
      if (covers(to, entry.path)) continue;
      std::vector<std::string> left;  // what of it is still granted
      for (const PathEntry& e : to)
        if (covers({entry}, e.path)) left.push_back(e.path);
      add(key, DriftKind::narrowed, entry.path, joined(left));
    }
  }

  void deletions() {
    for (const PathEntry& entry : b_.write)
      if (entry.may_delete && covers(a_.write, entry.path) && !may_delete(a_.write, entry.path))
        add("write", DriftKind::widened, entry.path, entry.path + " with delete");
    for (const PathEntry& entry : a_.write)
      if (entry.may_delete && covers(b_.write, entry.path) && !may_delete(b_.write, entry.path))
        add("write", DriftKind::narrowed, entry.path + " with delete", entry.path);
  }

  void hide() {
    const std::set<std::string> from(a_.hide.begin(), a_.hide.end());
    const std::set<std::string> to(b_.hide.begin(), b_.hide.end());
    for (const std::string& pattern : from)
      if (!to.contains(pattern)) add("hide", DriftKind::widened, pattern, "");
    for (const std::string& pattern : to)
      if (!from.contains(pattern)) add("hide", DriftKind::narrowed, "", pattern);
  }

  void env() {
    const auto index = [](const Normal& n) {
      std::map<std::string, std::string> out;
      for (const EnvEntry& e : n.env) out[e.name] = e.value ? e.name + "=" + *e.value : e.name;
      return out;
    };
    const auto from = index(a_);
    const auto to = index(b_);
    for (const auto& [name, text] : to) {
      const auto at = from.find(name);
      if (at == from.end())
        add("env", DriftKind::widened, "", text);
      else if (at->second != text)
        // Whatever the caller has may come in where a value was fixed; else one fixed value for
        // another says nothing.
        add("env",
            text == name         ? DriftKind::widened
            : at->second == name ? DriftKind::narrowed
                                 : DriftKind::changed,
            at->second, text);
    }
    for (const auto& [name, text] : from)
      if (!to.contains(name)) add("env", DriftKind::narrowed, text, "");
  }

  void limits() {
    const auto text = [](const std::string& name, std::uint64_t value) {
      return name + " " + std::to_string(value);
    };
    for (const auto& [name, value] : b_.limits) {
      const auto at = a_.limits.find(name);
      if (at == a_.limits.end())
        add("limits", DriftKind::narrowed, "", text(name, value));
      else if (at->second != value)
        add("limits", value > at->second ? DriftKind::widened : DriftKind::narrowed,
            text(name, at->second), text(name, value));
    }
    for (const auto& [name, value] : a_.limits)
      if (!b_.limits.contains(name)) add("limits", DriftKind::widened, text(name, value), "");
  }

  // A list that may fall back to something it could not before is wider.
  void enforce() {
    for (const auto& [name, to] : b_.enforce) {
      const auto at = a_.enforce.find(name);
      if (at == a_.enforce.end() || at->second == to) continue;
      const auto& from = at->second;
      auto next = from.begin();
      const bool is_part = std::ranges::all_of(to, [&](Enforcer e) {
        next = std::find(next, from.end(), e);
        return next != from.end() && (++next, true);
      });
      add("enforce", is_part ? DriftKind::narrowed : DriftKind::widened, name + " " + list_of(from),
          name + " " + list_of(to));
    }
  }

  const Normal& a_;
  const Normal& b_;
  std::vector<Drift>& out_;
};

Result<std::map<std::string, Normal>> normals(const Declaration& declaration) {
  std::map<std::string, Normal> out;
  for (const ToolDeclaration& tool : declaration.tools) {
    // No workspace: absolute paths stay as they are written.
    auto normal = build_normal(tool, Origin::workspace, {}, "");
    if (!normal) return base::Unexpected(std::move(normal).error().with_context(tool.name));
    out.emplace(tool.name, std::move(*normal));
  }
  return out;
}

}  // namespace

std::string_view drift_kind_name(DriftKind kind) {
  switch (kind) {
    case DriftKind::widened:
      return "widened";
    case DriftKind::narrowed:
      return "narrowed";
    case DriftKind::changed:
      break;
  }
  return "changed";
}

Result<std::vector<Drift>> compare_declarations(const Declaration& older,
                                                const Declaration& newer) {
  const auto a = normals(older);
  if (!a) return base::Unexpected(base::Error(a.error()));
  const auto b = normals(newer);
  if (!b) return base::Unexpected(base::Error(b.error()));
  std::vector<Drift> out;
  for (const auto& [name, normal] : *b)
    if (!a->contains(name)) out.push_back({name, "tool", DriftKind::widened, "", name});
  for (const auto& [name, normal] : *a) {
    const auto other = b->find(name);
    if (other == b->end())
      out.push_back({name, "tool", DriftKind::narrowed, name, ""});
    else
      ToolDrift(normal, other->second, out).run();
  }
  std::ranges::stable_sort(out, {}, [](const Drift& d) { return std::pair(d.tool, d.key); });
  return out;
}

}  // namespace ethos::sandbox
