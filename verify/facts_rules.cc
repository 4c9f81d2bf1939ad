// SPDX-License-Identifier: Apache-2.0
#include "verify/facts_rules.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>

#include "verify/encoding.h"
#include "verify/policy_path.h"

namespace ethos::verify {
namespace {

bool one_of_names(const std::string& name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The base runtime is these places and no other: what it shows needs no grant.
bool is_system_dir(const std::string& at) {
  return one_of_names(at, {"/bin", "/lib", "/lib32", "/lib64", "/libx32", "/sbin", "/usr"});
}

bool is_system_etc(const std::string& at) {
  return one_of_names(at, {"/etc/alternatives", "/etc/ld.so.cache", "/etc/localtime"});
}

bool ascending(const Value& list, const char* key) {
  for (std::size_t i = 1; i < list.size(); ++i) {
    if (list.items()[i - 1].text_at(key) >= list.items()[i].text_at(key)) return false;
  }
  return true;
}

bool ascending_paths(const Value& list, const char* key) {
  std::string last;
  bool is_first = true;
  for (const Value& item : list.items()) {
    std::string own = text_of(key == nullptr ? item : item.at(key));
    if (!is_first && last >= own) return false;
    last = std::move(own);
    is_first = false;
  }
  return true;
}

bool ascending_words(const Value& list) {
  return std::adjacent_find(list.items().begin(), list.items().end(),
                            [](const Value& a, const Value& b) { return a.text() >= b.text(); }) ==
         list.items().end();
}

// F-7.
std::string check_system(const Value& system) {
  for (const char* key : {"dirs", "etc", "links"}) {
    const Value& list = system.at(key);
    if (!ascending(list, "at")) return "the system's places are not sorted, each once";
    for (const Value& entry : list.items()) {
      const std::string& at = entry.text_at("at");
      const bool fits = (key != std::string_view("etc") && is_system_dir(at)) ||
                        (key != std::string_view("dirs") && is_system_etc(at));
      if (!fits) return "the base runtime has no such place: " + printable(at, 200);
    }
  }
  for (const Value& link : system.at("links").items()) {
    const std::string& at = link.text_at("at");
    for (const char* key : {"dirs", "etc"}) {
      const auto& items = system.at(key).items();
      const bool is_both = std::any_of(items.begin(), items.end(),
                                       [&](const Value& v) { return v.text_at("at") == at; });
      if (is_both) return "a place of the system is a link and none: " + printable(at, 200);
    }
    const std::string& to = link.text_at("to");
    if (at == "/etc/localtime" && !to.starts_with("/usr/") && !to.starts_with("../usr/")) {
      return "the link " + at + " leads out of the base runtime";
    }
  }
  return "";
}

// The fact about the workspace itself, where it was granted and there; null otherwise.
const Value* workspace_fact(const Value& facts) {
  for (const Value& fact : facts.at("paths").items()) {
    if (fact.text_at("asked") == "." && fact.text_at("state") == "present") return &fact;
  }
  return nullptr;
}

bool has_path(const Value& list, const char* key, std::string_view text) {
  return std::any_of(list.items().begin(), list.items().end(), [&](const Value& item) {
    return text_of(key == nullptr ? item : item.at(key)) == text;
  });
}

// The workspace is shown, has a .git, and must not show that; but it is not among what is hidden.
bool lacks_git(const Value& facts, const Value& normal) {
  const bool has_git = facts.at("git").text_at("layout") != "none";
  return normal.text_at("git") == "none" && has_git && workspace_fact(facts) != nullptr &&
         !has_path(facts.at("hides"), "path", ".git");
}

// Is something hidden that only a look at the list of the workspace itself can have found?
bool was_listed(const Value& facts) {
  const auto& paths = facts.at("paths").items();
  const bool is_alone = std::all_of(paths.begin(), paths.end(), [](const Value& fact) {
    const std::string& asked = fact.text_at("asked");
    return asked == "." || asked.starts_with('/') || fact.text_at("type") != "dir";
  });
  return is_alone && facts.at("hides").size() > 0;
}

// F-4, F-5.
std::string check_hides(const Value& facts, const Value& normal) {
  const Value& git = facts.at("git");
  const bool has_place = git.text_at("layout") != "none";
  if (git.has("dev") != has_place || git.has("ino") != has_place)
    return "`git` has a place where there is none, or none where there is one";
  const bool is_workspace = has_place && git.at("ino") == facts.at("workspace").at("ino") && git.at("dev") == facts.at("workspace").at("dev");
  if (is_workspace) return "`git` is the workspace itself";
  if (!ascending_paths(facts.at("hides"), "path")) return "`hides` is not sorted, each path once";
  if (lacks_git(facts, normal) && was_listed(facts)) {
    return "the workspace was shown with its .git, which `git` none hides";
  }
  return "";
}

// F-2, F-3: one name is one place, and what lies above another place is a directory.
std::string check_places(const Value& facts) {
  std::map<std::string, const Value*> places;
  for (const Value& fact : facts.at("paths").items()) {
    if (fact.text_at("state") != "present") continue;
    const std::string& asked = fact.text_at("asked");
    if (asked == ".") {
      if (fact.text_at("type") != "dir") return "the workspace is no directory";
      for (const char* key : {"dev", "ino"}) {
        if (!(fact.at(key) == facts.at("workspace").at(key)))
          return "the path `.` is another directory than the workspace";
      }
    }
    const auto [at, is_new] = places.try_emplace(asked, &fact);
    const Value& first = *at->second;
    if (is_new) continue;
    const bool is_file = first.text_at("type") == "file" && fact.text_at("type") == "file";
    if (!is_file && !(first.at("ino") == fact.at("ino") && first.at("type") == fact.at("type")))
      return "one path of two places: " + printable(asked, 200);
  }
  return "";
}

}  // namespace

bool is_git_in_doubt(const Value& facts, const Value& normal) {
  return lacks_git(facts, normal) && !was_listed(facts);
}

std::string check_facts_rules(const Value& facts, const Value& normal) {
  std::string wrong = check_system(facts.at("system"));
  if (wrong.empty()) wrong = check_hides(facts, normal);
  if (!wrong.empty()) return wrong;
  // F-9.
  if (!ascending_paths(facts.at("policy"), nullptr))
    return "`policy` is not sorted, each path once";
  if (!has_path(facts.at("policy"), nullptr, "ethos.json"))
    return "the declaration of the workspace is not among the files that nothing may change";
  // F-6, F-8.
  const Value& host = facts.at("host");
  const bool is_sorted =
      std::is_sorted(host.at("groups").items().begin(), host.at("groups").items().end(),
                     [](const Value& a, const Value& b) { return a.number() < b.number(); });
  if (!is_sorted || !ascending_words(host.at("cgroup_controllers")))
    return "`host` has a list that is not sorted";
  if (!ascending_words(facts.at("env"))) return "`env` is not sorted, each name once";
  return check_places(facts);
}

}  // namespace ethos::verify
