// SPDX-License-Identifier: Apache-2.0
#include "verify/grants.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>

#include "verify/encoding.h"
#include "verify/hide_patterns.h"
#include "verify/policy_path.h"

namespace ethos::verify {
namespace {

constexpr std::int64_t kMaxHides = 4096;

bool special(const std::string& path) { return path == "@memory" || path == "@scratch"; }

bool listed(const Value& list, const std::string& word) {
  return std::any_of(list.items().begin(), list.items().end(),
                     [&](const Value& v) { return v.text() == word; });
}

bool any_of_words(const std::string& word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// F-5 under `git: read`: does a component of the path, in lower case, name something to hide? Of
// several repositories on the way the last one counts: least lies between it and the name.
bool git_read_hides(const std::vector<std::string>& parts) {
  std::size_t below_git =
      0;  // the component behind the `modules` or `worktrees` of the last repository; 0: none
  std::size_t data = 0;  // the component behind the last `objects` or `refs`
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const bool in_git = parts[i - 1] == ".git";
    if (any_of_words(parts[i], {"config", "config.worktree", "hooks", "info", "logs"}) &&
        (in_git || (below_git != 0 && data <= below_git))) {
      return true;
    }
    if (in_git && any_of_words(parts[i], {"modules", "worktrees"})) below_git = i + 1;
    if (any_of_words(parts[i], {"objects", "refs"})) data = i + 1;
  }
  return false;
}

class GrantFunction {
 public:
  GrantFunction(const Value& normal, const Value& facts)
      : normal_(normal), facts_(facts), patterns_(normal.at("hide")) {
    // There may be any number of them: G-10 counts what was found.
    for (const Value& h : facts.at("hides").items()) hidden_places_.insert(text_of(h.at("path")));
  }

  GrantsResult compute() {
    for (const Value& ceiling : normal_.at("ceilings").items()) check_ceiling(ceiling);
    if (normal_.text_at("class") != "namespace")
      refuse("class", "class:" + normal_.text_at("class"));
    grant_paths();
    grant_rest();
    grant_limits();
    check_conflicts();
    if (!out_.reasons.empty()) out_.grants.clear();
    return std::move(out_);
  }

 private:
  void refuse(std::string rule, std::string on) {
    out_.reasons.push_back({std::move(rule), std::move(on)});
  }

  // G-9.
  void check_ceiling(const Value& ceiling) {
    const auto word = [&](const char* list, const char* key) {
      const Value* allowed = ceiling.find(list);
      const std::string& value = normal_.text_at(key);
      if (allowed != nullptr && !listed(*allowed, value))
        refuse("ceiling", std::string(key) + ":" + value);
    };
    word("profiles", "profile");
    word("network", "network");
    word("git", "git");
    for (const std::string key : {"read", "write", "exec"}) {
      const Value* allowed = ceiling.find(key);
      if (allowed == nullptr) continue;
      for (const Value& entry : normal_.at(key).items()) {
        const std::string& path = entry.text_at("path");
        const bool exact = key == "exec" && special(path);
        const bool covered =
            std::any_of(allowed->items().begin(), allowed->items().end(), [&](const Value& parent) {
              return exact ? parent.text() == path : within(path, parent.text());
            });
        if (!covered) refuse("ceiling", key + ":" + path);
      }
    }
    for (const Value& entry : normal_.at("env").items()) {
      const std::string& name = entry.text_at("name");
      const Value& deny = ceiling.at("env_deny");
      const bool denied =
          std::any_of(deny.items().begin(), deny.items().end(),
                      [&](const Value& pattern) { return name_matches(pattern.text(), name); });
      if (denied) refuse("ceiling", "env:" + name);
    }
    const Value& limits = ceiling.at("limits");
    std::vector<std::string> names = limits.keys();
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) {
      const Value* value = normal_.at("limits").find(name);
      if (value == nullptr || value->number() > limits.at(name).number())
        refuse("ceiling", "limit:" + name);
    }
  }

  // The entry of normal that a fact is about.
  const Value& entry_of(const Value& fact) const {
    for (const Value& entry : normal_.at(fact.text_at("cap")).items()) {
      if (entry.text_at("path") == fact.text_at("asked")) return entry;
    }
    static const Value none;
    return none;
  }

  // G-1 to G-3.
  void grant_paths() {
    for (const Value& fact : facts_.at("paths").items()) {
      const std::string& cap = fact.text_at("cap");
      const std::string& state = fact.text_at("state");
      const std::string on = cap + ":" + fact.text_at("asked");
      if (state == "refused") {
        refuse("path", on);
        continue;
      }
      if (state == "absent") {
        if (!entry_of(fact).at("optional").flag()) refuse("missing", on);
        continue;
      }
      Value grant = Value::object();
      grant.set("cap", Value::of("fs." + cap))
          .set("dev", fact.at("dev"))
          .set("ino", fact.at("ino"));
      grant.set("path", fact.at("path")).set("type", fact.at("type"));
      if (cap == "write") {
        grant.set("created", Value::of(state == "created"))
            .set("delete", entry_of(fact).at("delete"));
        grant.set("staged", Value::of(fact.text_at("type") == "dir"));
      }
      out_.grants.push_back(std::move(grant));
    }
    for (const std::string name : {"memory", "scratch"}) {
      if (!has_exec("@" + name)) continue;
      Value grant = Value::object();
      grant.set("cap", Value::of("exec." + name));
      out_.grants.push_back(std::move(grant));
    }
  }

  bool has_exec(const std::string& path) const {
    const auto& items = normal_.at("exec").items();
    return std::any_of(items.begin(), items.end(),
                       [&](const Value& v) { return v.text_at("path") == path; });
  }

  // G-4 to G-7.
  void grant_rest() {
    const Value& hides = facts_.at("hides");
    if (hides.size() > 0 || normal_.at("hide").size() > 0) {
      Value grant = Value::object();
      grant.set("cap", Value::of("fs.hide"))
          .set("matches", Value::of(static_cast<std::int64_t>(hides.size())));
      grant.set("patterns", normal_.at("hide"));
      out_.grants.push_back(std::move(grant));
    }
    Value network = Value::object();
    network.set("cap", Value::of("network")).set("mode", normal_.at("network"));
    out_.grants.push_back(std::move(network));
    Value git = Value::object();
    git.set("cap", Value::of("git"))
        .set("layout", facts_.at("git").at("layout"))
        .set("mode", normal_.at("git"));
    out_.grants.push_back(std::move(git));
    Value fixed = Value::array();
    for (const Value& entry : normal_.at("env").items()) {
      if (entry.has("value")) fixed.push(entry.at("name"));
    }
    Value env = Value::object();
    env.set("cap", Value::of("env")).set("fixed", std::move(fixed)).set("pass", facts_.at("env"));
    out_.grants.push_back(std::move(env));
  }

  bool host_can(const std::string& enforcer, const std::string& limit) const {
    if (enforcer != "cgroup") return true;
    const std::string controller = limit == "memory_bytes" || limit == "swap_bytes" ? "memory"
                                   : limit == "cpu_percent"                         ? "cpu"
                                   : limit.starts_with("io_")                       ? "io"
                                                                                    : "pids";
    return listed(facts_.at("host").at("cgroup_controllers"), controller);
  }

  // G-8.
  void grant_limits() {
    const Value& limits = normal_.at("limits");
    std::vector<std::string> names = limits.keys();
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) {
      const Value& enforcers = normal_.at("enforce").at(name);
      const auto first = std::find_if(enforcers.items().begin(), enforcers.items().end(),
                                      [&](const Value& v) { return host_can(v.text(), name); });
      if (first == enforcers.items().end()) {
        refuse("limit", "limit:" + name);
        continue;
      }
      if (name == "memory_bytes") memory_by_cgroup_ = first->text() == "cgroup";
      Value grant = Value::object();
      grant.set("cap", Value::of("limit")).set("enforced_by", *first).set("name", Value::of(name));
      grant.set("value", Value::of(std::to_string(limits.at(name).number())));
      out_.grants.push_back(std::move(grant));
    }
  }

  // G-10.
  void check_conflicts() {
    for (const Value& fact : facts_.at("paths").items()) {
      if (conflict(fact)) refuse("conflict", fact.text_at("cap") + ":" + fact.text_at("asked"));
    }
    const auto hides = static_cast<std::int64_t>(facts_.at("hides").size());
    if (hides > kMaxHides) refuse("conflict", "hide:" + std::to_string(hides));
    const Value& limits = normal_.at("limits");
    if (memory_by_cgroup_ &&
        limits.at("scratch_bytes").number() >=
            limits.at("memory_bytes").number() - limits.at("staged_bytes").number()) {
      refuse("conflict", "limit:memory_bytes");
    }
  }

  bool conflict(const Value& fact) {
    const std::string& path = fact.text_at("asked");
    const bool write = fact.text_at("cap") == "write";
    const auto below = [&](std::initializer_list<std::string_view> parents) {
      return std::any_of(parents.begin(), parents.end(),
                         [&](std::string_view parent) { return within(path, parent); });
    };
    if (path == "/" || path == "/etc" || path == "/tmp") return true;
    if (below({"/proc", "/sys", "/dev", "/run", "/tmp/home", "/etc/passwd", "/etc/group",
               "/etc/nsswitch.conf", "/etc/hosts"})) {
      return true;
    }
    if (fact.at("holds").size() > 0) return true;
    if (path[0] != '/' && path != "." && hidden(fact, write)) return true;
    return write && write_conflict(fact, path);
  }

  // within() of any of the hides, by looking up each directory above. Only relative paths are asked
  // about.
  bool is_below_a_hide(const std::string& path) const {
    if (hidden_places_.contains(".") || hidden_places_.contains(path)) return true;
    for (auto slash = path.find('/'); slash != std::string::npos;
         slash = path.find('/', slash + 1)) {
      if (hidden_places_.contains(path.substr(0, slash))) return true;
    }
    return false;
  }

  bool hidden(const Value& fact, bool write) {
    const std::string& path = fact.text_at("asked");
    if (is_below_a_hide(path)) return true;
    const bool directory = fact.text_at("state") == "present" && fact.text_at("type") == "dir";
    if (patterns_.matches_at_or_above(path, directory)) return true;
    if (write) return false;
    std::vector<std::string> folded;
    for (const auto part : components(path)) folded.push_back(lower(part));
    if (normal_.text_at("git") != "none") return git_read_hides(folded);
    return std::find(folded.begin(), folded.end(), ".git") != folded.end();
  }

  bool write_conflict(const Value& fact, const std::string& path) const {
    for (const auto part : components(path)) {
      if (lower(part) == ".git") return true;
    }
    for (const Value& policy : facts_.at("policy").items()) {
      if (within(path, text_of(policy))) return true;
    }
    for (const Value& other : normal_.at("write").items()) {
      if (strictly_within(path, other.text_at("path"))) return true;
    }
    for (const std::string_view parent : {"/usr", "/etc", "/bin", "/sbin", "/boot"}) {
      if (within(path, parent)) return true;
    }
    if (path.starts_with("/lib")) return true;
    return fact.text_at("type") == "file" && fact.at("nlink").number() > 1;
  }

  const Value& normal_;
  const Value& facts_;
  HidePatterns patterns_;
  GrantsResult out_;
  bool memory_by_cgroup_ = false;
  std::set<std::string> hidden_places_;
};

}  // namespace

GrantsResult compute_grants(const Value& normal, const Value& facts) {
  return GrantFunction(normal, facts).compute();
}

}  // namespace ethos::verify
