// SPDX-License-Identifier: Apache-2.0
#include "verify/grant_bounds.h"

#include <algorithm>

#include "verify/asserted_path.h"
#include "verify/declaration.h"
#include "verify/encoding.h"
#include "verify/grant_entry.h"
#include "verify/json_text.h"
#include "verify/policy_path.h"

namespace ethos::verify {
namespace {

constexpr std::size_t kMaxDeclaration = 262'144;
constexpr std::size_t kMaxValues = 1'000'000;

// Grants of which nothing can be compared are let through: what they lack is asked for by name.
class Comparison {
 public:
  Comparison(const GrantBounds& bounds, const std::optional<std::string>& workspace)
      : bounds_(bounds), workspace_(workspace) {}

  // The first, with the texts of the others behind it. What nobody can say counts only alone.
  std::optional<BeyondBounds> of(const std::vector<Value>& grants) {
    for (std::size_t i = 0; i < grants.size(); ++i) {
      place_ = static_cast<std::int64_t>(i);
      one(grants[i]);
    }
    missing();
    const auto first = std::find_if(found_.begin(), found_.end(), [](const BeyondBounds& b) { return !b.is_closed; });
    const bool is_known = first != found_.end();
    if (found_.empty()) return std::nullopt;
    BeyondBounds out = is_known ? *first : found_.front();
    std::size_t told = 1;
    std::size_t more = 0;
    for (const BeyondBounds& one : found_) {
      if (&one == (is_known ? &*first : &found_.front()) || one.is_closed == is_known) continue;
      if (told++ < kMostTold) {
        out.text += "; " + one.text;
      } else {
        ++more;
      }
    }
    if (more > 0) out.text += "; and " + std::to_string(more) + " more";
    return out;
  }

 private:
  static constexpr std::size_t kMostTold = 8;

  void beyond(std::string text, bool is_closed = false) { found_.push_back({place_, std::move(text), is_closed}); }

  void one(const Value& grant) {
    const std::string& cap = grant.text_at("cap");
    if (cap == "fs.read" || cap == "fs.write" || cap == "fs.exec")
      return path(grant, cap.substr(3));
    if (cap == "exec.memory" && !bounds_.exec_memory) return beyond("was granted exec @memory");
    if (cap == "exec.scratch" && !bounds_.exec_scratch) return beyond("was granted exec @scratch");
    if (cap == "fs.hide") return hide(grant);
    if (cap == "network" && grant.text_at("mode") != "none" && bounds_.network == "none")
      beyond("was granted network " + grant.text_at("mode"));
    if (cap == "git" && grant.text_at("mode") != "none" && bounds_.git == "none")
      beyond("was granted git " + grant.text_at("mode"));
    if (cap == "env") return env(grant);
    if (cap == "limit") limit(grant);
  }

  void path(const Value& grant, const std::string& how) {
    const Value& object = grant.at("path");
    if (object.has("commit"))
      return beyond("was granted " + how + " of a path that is not disclosed", true);
    const std::string text = text_of(object);
    // An absolute one in the file may hold the workspace, whose paths the records write as
    // relative.
    const std::string absolute = text[0] == '/' || !workspace_ ? text
                                 : text == "."
                                     ? *workspace_
                                     : (*workspace_ == "/" ? "" : *workspace_) + "/" + text;
    const auto covers = [&](const std::string& parent) {
      return within(text, parent) || (parent[0] == '/' && within(absolute, parent));
    };
    bool is_covered = false;
    bool may_delete = false;
    for (const GrantBounds::Write& write : bounds_.write) {
      if (how == "exec" || !covers(write.path)) continue;
      is_covered = true;
      may_delete = may_delete || write.may_delete;
    }
    if (how == "read")
      is_covered = is_covered || std::any_of(bounds_.read.begin(), bounds_.read.end(), covers);
    if (how == "exec") is_covered = std::any_of(bounds_.exec.begin(), bounds_.exec.end(), covers);
    if (!is_covered) return beyond("was granted " + how + " of " + printable(text, 200));
    if (how == "write" && grant.at("delete").flag() && !may_delete)
      beyond("was granted deleting in " + printable(text, 200));
  }

  void hide(const Value& grant) {
    hide_place_ = place_;
    if (bounds_.hides.empty()) return;
    if (!grant.at("patterns").is_array()) {
      is_hide_closed_ = true;
      return;
    }
    for (const Value& pattern : grant.at("patterns").items()) hidden_.insert(pattern.text());
  }

  void env(const Value& grant) {
    for (const char* key : {"fixed", "pass"}) {
      const std::set<std::string>& allowed =
          key == std::string_view("fixed") ? bounds_.env_fixed : bounds_.env_pass;
      if (!grant.at(key).is_array())
        return beyond("was granted variables of the environment that are not disclosed", true);
      for (const Value& name : grant.at(key).items()) {
        if (!allowed.contains(name.text()))
          beyond("was granted the variable " + printable(name.text(), 130) +
                        (&allowed == &bounds_.env_fixed ? ", with a value of its own" : ""));
      }
    }
  }

  void limit(const Value& grant) {
    const std::string& name = grant.text_at("name");
    limited_.insert(name);
    const auto most = bounds_.limits.find(name);
    const auto value = parse_decimal(grant.text_at("value"));
    if (most != bounds_.limits.end() && value.value_or(UINT64_MAX) > most->second) {
      beyond("had " + name + " " + printable(grant.text_at("value"), 30) + ", above " +
             std::to_string(most->second));
    }
  }

  // What narrows, and is not there.
  void missing() {
    place_ = hide_place_;
    for (const std::string& pattern : bounds_.hides) {
      if (hidden_.contains(pattern)) continue;
      beyond(is_hide_closed_ ? "hid names that are not disclosed"
                                    : "did not hide " + printable(pattern, 200),
                    is_hide_closed_);
    }
    place_ = -1;
    for (const auto& [name, value] : bounds_.limits) {
      if (!limited_.contains(name))
        beyond("had no limit " + name + " of " + std::to_string(value));
    }
  }

  const GrantBounds& bounds_;
  const std::optional<std::string>& workspace_;
  std::int64_t place_ = -1;
  std::int64_t hide_place_ = -1;
  std::vector<BeyondBounds> found_;
  std::set<std::string> hidden_;
  std::set<std::string> limited_;
  bool is_hide_closed_ = false;
};

// A list of grants, a plan, or what `ethos-run plan --json` prints.
const Value* list_in(const Value& document) {
  if (document.is_array()) return &document;
  const Value& plan = document.has("plan") ? document.at("plan") : document;
  return plan.at("grants").is_array() ? &plan.at("grants") : nullptr;
}

// A declaration takes paths letter for letter: one in the notation of this program's answers would be
// a directory of that name, which nobody means.
std::string shown_path_in(const Value& document) {
  for (const Value& tool : document.at("tools").items()) {
    for (const char* key : {"read", "write", "exec"}) {
      for (const Value& entry : tool.at(key).items()) {
        const std::string& path = entry.is_object() ? entry.text_at("path") : entry.text();
        if (!is_shown_path(path)) continue;
        const auto meant = asserted_path(path);
        return "key `" + std::string(key) + "`: in a declaration `" + printable(path, 100) + "` is a name that begins so" +
               (meant ? "; `" + printable(*meant, 100) + "` is meant" : "") + " (a name that is really so is written with `./` before it)";
      }
    }
  }
  return "";
}

}  // namespace

GrantBounds GrantBounds::of_grants(const std::vector<Value>& grants) {
  GrantBounds out;
  for (const Value& grant : grants) {
    const std::string& cap = grant.text_at("cap");
    const auto names = [&](const char* key, std::set<std::string>& into) {
      for (const Value& name : grant.at(key).items()) into.insert(name.text());
    };
    if (cap == "fs.read") out.read.push_back(text_of(grant.at("path")));
    if (cap == "fs.write")
      out.write.push_back({text_of(grant.at("path")), grant.at("delete").flag()});
    if (cap == "fs.exec") out.exec.push_back(text_of(grant.at("path")));
    if (cap == "exec.memory") out.exec_memory = true;
    if (cap == "exec.scratch") out.exec_scratch = true;
    if (cap == "fs.hide") names("patterns", out.hides);
    if (cap == "network" && grant.text_at("mode") != "none") out.network = grant.text_at("mode");
    if (cap == "git" && grant.text_at("mode") != "none") out.git = grant.text_at("mode");
    if (cap == "env") names("fixed", out.env_fixed);
    if (cap == "env") names("pass", out.env_pass);
    if (cap == "limit") {
      std::uint64_t& most = out.limits[grant.text_at("name")];
      most = std::max(most, parse_decimal(grant.text_at("value")).value_or(UINT64_MAX));
    }
  }
  return out;
}

GrantBounds GrantBounds::of_normal(const Value& normal) {
  GrantBounds out;
  for (const Value& entry : normal.at("read").items()) out.read.push_back(entry.text_at("path"));
  for (const Value& entry : normal.at("write").items())
    out.write.push_back({entry.text_at("path"), entry.at("delete").flag()});
  for (const Value& entry : normal.at("exec").items()) {
    const std::string& path = entry.text_at("path");
    if (path == "@memory") {
      out.exec_memory = true;
    } else if (path == "@scratch") {
      out.exec_scratch = true;
    } else {
      out.exec.push_back(path);
    }
  }
  for (const Value& pattern : normal.at("hide").items()) out.hides.insert(pattern.text());
  out.network = normal.text_at("network");
  out.git = normal.text_at("git");
  for (const Value& entry : normal.at("env").items())
    (entry.has("value") ? out.env_fixed : out.env_pass).insert(entry.text_at("name"));
  const Value& limits = normal.at("limits");
  for (std::size_t i = 0; i < limits.size(); ++i)
    out.limits[limits.keys()[i]] = static_cast<std::uint64_t>(limits.items()[i].number());
  return out;
}

Result<GrantFile> GrantFile::parse(std::string bytes) {
  JsonTextReader::Options options;
  options.comments = true;
  options.bytes = kMaxBytes;
  options.values = kMaxValues;
  JsonTextReader reader(bytes, options);
  Value document;
  if (!reader.begin() || !reader.value(document) || !reader.end()) return reader.error();
  GrantFile out;
  if (const Value* list = list_in(document)) {
    if (list->size() > 1000) return Error{Errc::too_long, "more than 1,000 grants"};
    if (list->size() == 0) return malformed("the list of grants is empty");
    const auto grants = approved_grants(list->items());
    if (!grants) return grants.error();
    out.bounds_ = GrantBounds::of_grants(*grants);
    return out;
  }
  if (!document.has("tools")) return malformed("neither a declaration (an object with `tools`) nor a list of grants (an array, or an object with `grants`)");
  if (bytes.size() > kMaxDeclaration)
    return Error{Errc::too_long, "a declaration is at most 262,144 bytes"};
  if (const std::string fault = shown_path_in(document); !fault.empty()) return malformed(fault);
  NormalInput input;
  input.source = bytes;
  input.origin = "workspace";
  input.keep_absolute = true;
  const auto normal = normal_from_declaration(input);  // no tool has an empty name
  if (!normal && normal.error().code != Errc::not_found) return normal.error();
  out.declaration_ = std::move(bytes);
  return out;
}

const GrantFile::Given& GrantFile::given(const std::string& tool,
                                         const std::optional<std::string>& workspace) {
  const std::string key = tool + '\0' + workspace.value_or("");
  if (const auto known = given_.find(key); known != given_.end()) return known->second;
  if (given_.size() >= kMostGiven) given_.clear();
  NormalInput input;
  input.source = declaration_;
  input.tool = tool;
  input.origin = "workspace";
  input.workspace = workspace;
  input.keep_absolute = !workspace;
  const auto normal = normal_from_declaration(input);
  Given& out = given_[key];
  if (normal) {
    out.bounds = GrantBounds::of_normal(*normal);
    for (const Value& word : normal->at("command").items()) out.command.push_back(word.text());
  } else {
    out.why = normal.error().code == Errc::not_found
                  ? "is of a tool that the file does not declare"
                  : "has no declaration in the file: " + normal.error().what;
  }
  return out;
}

std::vector<std::string> GrantFile::command(const std::string& tool,
                                            const std::optional<std::string>& workspace) {
  return bounds_ ? std::vector<std::string>() : given(tool, workspace).command;
}

std::optional<BeyondBounds> GrantFile::beyond(const std::string& tool,
                                              const std::optional<std::string>& workspace,
                                              const std::vector<Value>& grants) {
  if (bounds_) return Comparison(*bounds_, workspace).of(grants);
  const Given& declared = given(tool, workspace);
  if (!declared.bounds) return BeyondBounds{-1, declared.why, false};
  return Comparison(*declared.bounds, workspace).of(grants);
}

}  // namespace ethos::verify
