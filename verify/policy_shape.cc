// SPDX-License-Identifier: Apache-2.0
// Shape of normal and facts (plan.md N-*, F-*): what the two functions may rely on.
#include <algorithm>
#include <array>

#include "verify/facts_rules.h"
#include "verify/forms.h"
#include "verify/grants.h"
#include "verify/limits.h"
#include "verify/normal_rules.h"
#include "verify/policy_path.h"

namespace ethos::verify {
namespace {

bool version_one(const View& v) { return v.is_integer() && v.number() == 1; }

constexpr std::array kOptionalPath{Field{"optional", boolean}, Field{"path", text<1, 4096>}};
constexpr std::array kWritePath{Field{"delete", boolean}, Field{"path", text<1, 4096>}};
constexpr std::array kEnvEntry{Field{"name", text<1, 128>}, Field{"value", text<0, 4096>, false}};

bool limit_values(const View& v) {
  return v.each_member([](std::string_view name, const View& value) {
    const LimitRule* rule = limit_by_name(name);
    return rule != nullptr && value.is_integer() && value.number() >= rule->least &&
           value.number() <= rule->most;
  });
}

// Only what table L allows for each limit.
bool enforce_values(const View& v) {
  return v.each_member([](std::string_view name, const View& list) {
    const LimitRule* rule = limit_by_name(name);
    if (rule == nullptr || list.count() < 1) return false;
    return list.each_element([&](const View& item) {
      return rule->possible.empty() ? item.raw() == rule->always
                                    : std::find(rule->possible.begin(), rule->possible.end(),
                                                item.raw()) != rule->possible.end();
    });
  });
}

bool objects(const View& v) {
  return v.each_element([](const View& item) { return item.is_object(); });
}

constexpr std::array kNormal{
    Field{"args", one_of<"any", "paths", "fixed">},
    Field{"ceilings", objects},
    Field{"class", one_of<"namespace", "microvm">},
    Field{"command", array_of<text<1, 4096>>},
    Field{"enforce", enforce_values},
    Field{"env", array_of<object<kEnvEntry>>},
    Field{"exec", array_of<object<kOptionalPath>>},
    Field{"git", one_of<"none", "read">},
    Field{"hide", array_of<text<1, 1100>>},
    Field{"limits", limit_values},
    Field{"narrowed", array_of<text<1, 32>>, false},
    Field{"network", one_of<"none", "loopback">},
    Field{"observe", one_of<"off", "writes", "all">},
    Field{"on_output_limit", one_of<"kill", "truncate">},
    Field{"origin", one_of<"catalog", "workspace", "revision", "pinned", "options", "learn">},
    Field{"output_format", text<1, 32>, false},
    Field{"profile", one_of<"lint-offline", "build-offline", "no-proc">},
    Field{"read", array_of<object<kOptionalPath>>},
    Field{"tool", text<1, 64>},
    Field{"v", version_one},
    Field{"write", array_of<object<kWritePath>>}};

constexpr std::array kGitFacts{Field{"dev", big, false}, Field{"ino", big, false},
                               Field{"layout", one_of<"none", "directory", "file">}};
constexpr std::array kHideFact{Field{"by", one_of<"hide", "git">}, Field{"path", plain_path},
                               Field{"type", one_of<"dir", "file">}};
constexpr std::array kHostFacts{Field{"arch", text<1, 64>},
                                Field{"cgroup_controllers", array_of<text<1, 32>>},
                                Field{"cgroup_kill", boolean},
                                Field{"gid", count},
                                Field{"groups", array_of<count>},
                                Field{"kernel", text<1, 128>},
                                Field{"landlock_abi", integer},
                                Field{"overlay_userxattr", boolean},
                                Field{"uid", count}};
constexpr std::array kPathFact{
    Field{"asked", text<1, 4096>},
    Field{"cap", one_of<"read", "write", "exec">},
    Field{"dev", big, false},
    Field{"errno", count, false},
    Field{"holds", array_of<one_of<"home", "ledger", "workspace">>, false},
    Field{"ino", big, false},
    Field{"nlink", count, false},
    Field{"path", plain_path, false},
    Field{"state", one_of<"present", "absent", "created", "refused">},
    Field{"type", one_of<"dir", "file">, false},
    Field{"uid", count, false}};
constexpr std::array kDir{Field{"at", text<1, 4096>}, Field{"dev", big}, Field{"ino", big}};
constexpr std::array kEtc{Field{"at", text<1, 4096>}, Field{"dev", big}, Field{"ino", big},
                          Field{"type", one_of<"dir", "file">}};
constexpr std::array kLink{Field{"at", text<1, 4096>}, Field{"to", text<0, 4096>}};
constexpr std::array kSystem{Field{"dirs", array_of<object<kDir>>},
                             Field{"etc", array_of<object<kEtc>>},
                             Field{"links", array_of<object<kLink>>}};
constexpr std::array kWorkspaceFacts{Field{"dev", big}, Field{"gid", count}, Field{"ino", big},
                                     Field{"uid", count}};

constexpr std::array kFacts{Field{"cwd", plain_path},
                            Field{"env", array_of<text<1, 128>>},
                            Field{"git", object<kGitFacts>},
                            Field{"hides", array_of<object<kHideFact>>},
                            Field{"host", object<kHostFacts>},
                            Field{"paths", array_of<object<kPathFact>>},
                            Field{"policy", array_of<plain_path>},
                            Field{"system", object<kSystem>},
                            Field{"v", version_one},
                            Field{"workspace", object<kWorkspaceFacts>}};

std::string told(const FieldFault& fault) {
  if (fault.bad_key) return "key `" + fault.key + "` missing or unknown";
  if (fault.bad_value) return "`" + fault.key + "` has another form";
  return "";
}

// Entries must be in the one order, or two texts would mean the same.
bool sorted_by(const Value& list, const char* key) {
  for (std::size_t i = 1; i < list.size(); ++i) {
    if (list.items()[i - 1].text_at(key) >= list.items()[i].text_at(key)) return false;
  }
  return true;
}

bool known(const Value& fact) {
  const std::string& state = fact.text_at("state");
  const bool here = state == "present" || state == "created";
  for (const char* key : {"dev", "ino", "nlink", "path", "type", "uid"}) {
    if (fact.has(key) != here) return false;
  }
  return fact.has("errno") == (state == "refused") && (here || !fact.has("holds")) &&
         (state != "created" || fact.text_at("cap") == "write");
}

// F-3: a path was looked up under the name asked for, links refused: so it is that name.
bool names_itself(const Value& fact, const std::string& asked) {
  if (!fact.has("path")) return true;
  const Value& path = fact.at("path");
  if (path.text_at("base") == "workspace") return plain_of(path) == asked;
  return text_of(path) == asked && asked[0] == '/';
}

// What the functions do with these lists grows with their product, so that comes first. A
// declaration or ceiling has at most 256 entries a list and 128 patterns; options add few.
constexpr std::size_t kMaxList = 1024;
constexpr std::size_t kMaxComponents = 65'536;  // of all paths together
// Of all patterns of `hide`, times those of the paths: each may have to be compared with each.
constexpr std::size_t kMaxCompared = 16'777'216;
constexpr std::size_t kMaxCeilings = 4;  // D-14: three
constexpr std::size_t kMaxPolicyFiles = 4096;

std::string too_many(const char* key) {
  return std::string("`") + key + "` has more entries than any declaration gives";
}

std::string check_sizes(const Value& normal) {
  for (const char* key : {"read", "write", "exec", "env", "hide"}) {
    if (normal.at(key).size() > kMaxList) return too_many(key);
  }
  std::size_t components = 0;
  for (const char* key : {"read", "write", "exec"}) {
    for (const Value& entry : normal.at(key).items()) {
      const std::string& path = entry.text_at("path");
      components += 1 + static_cast<std::size_t>(std::count(path.begin(), path.end(), '/'));
    }
  }
  if (components > kMaxComponents)
    return "the paths have more components than any declaration gives";
  std::size_t compared = 0;
  for (const Value& pattern : normal.at("hide").items()) {
    const std::string& text = pattern.text();
    compared +=
        components * (1 + static_cast<std::size_t>(std::count(text.begin(), text.end(), '/')));
  }
  if (compared > kMaxCompared)
    return "the paths and the patterns of `hide` have more components than any declaration gives";
  if (normal.at("ceilings").size() > kMaxCeilings) return too_many("ceilings");
  for (const Value& ceiling : normal.at("ceilings").items()) {
    for (const Value& list : ceiling.items()) {
      if (list.is_array() && list.size() > kMaxList) return too_many("ceilings");
    }
  }
  return "";
}

}  // namespace

std::string check_normal(const Value& normal) {
  std::string wrong = told(check_table<kNormal>(View(encode_canonical(normal))));
  if (wrong.empty()) wrong = check_sizes(normal);
  if (!wrong.empty()) return wrong;
  for (const char* key : {"read", "write", "exec"}) {
    if (!sorted_by(normal.at(key), "path")) return std::string("`") + key + "` is not sorted";
    for (const Value& entry : normal.at(key).items()) {
      const auto path = normal_path(entry.text_at("path"));
      if (!path || *path != entry.text_at("path")) return "a path is not in normal form";
    }
  }
  if (!sorted_by(normal.at("env"), "name")) return "`env` is not sorted";
  const Value& limits = normal.at("limits");
  const Value& enforce = normal.at("enforce");
  if (limits.size() != enforce.size()) return "`enforce` does not go with `limits`";
  for (const std::string& key : limits.keys()) {
    if (!enforce.has(key)) return "`enforce` does not go with `limits`";
  }
  return check_normal_rules(normal);
}

std::string check_facts(const Value& facts, const Value& normal) {
  std::string wrong = told(check_table<kFacts>(View(encode_canonical(facts))));
  if (!wrong.empty()) return wrong;
  if (facts.at("env").size() > kMaxList) return too_many("env");
  if (facts.at("policy").size() > kMaxPolicyFiles) return too_many("policy");
  const auto& paths = facts.at("paths").items();
  std::size_t next = 0;
  for (const std::string cap : {"read", "write", "exec"}) {
    for (const Value& entry : normal.at(cap).items()) {
      const std::string& asked = entry.text_at("path");
      if (cap == "exec" && (asked == "@memory" || asked == "@scratch")) continue;
      if (next == paths.size()) return "`paths` does not answer every path asked for";
      const Value& fact = paths[next++];
      if (fact.text_at("cap") != cap || fact.text_at("asked") != asked)
        return "`paths` is not in the order of normal";
      if (!known(fact)) return "an entry of `paths` has keys that do not go with its state";
      if (!names_itself(fact, asked))
        return "an entry of `paths` answers another path than was asked for";
    }
  }
  if (next != paths.size()) return "`paths` answers a path that was not asked for";
  for (const Value& name : facts.at("env").items()) {
    const auto& env = normal.at("env").items();
    const bool asked = std::any_of(env.begin(), env.end(), [&](const Value& e) {
      return e.text_at("name") == name.text() && !e.has("value");
    });
    if (!asked) return "`env` holds a name that was not asked for";
  }
  return check_facts_rules(facts, normal);
}

}  // namespace ethos::verify
