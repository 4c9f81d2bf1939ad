// SPDX-License-Identifier: Apache-2.0
#include "reports/redaction.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "reports/json_report.h"
#include "reports/json_tape.h"
#include "reports/sha256.h"

namespace ethos::reports {
namespace {

using base::Errc;
using base::fail;

constexpr std::size_t kMaxPolicy = 1048576;
constexpr std::size_t kMaxRules = 256;
constexpr std::size_t kMaxText = 500;

struct Field {
  std::string_view name;
  NameRole role;
};
constexpr std::array<Field, 15> kFields = {{
    {"tool", NameRole::tool},
    {"path", NameRole::path},
    {"address", NameRole::address},
    {"environment", NameRole::environment},
    {"pattern", NameRole::pattern},
    {"program", NameRole::program},
    {"host", NameRole::host},
    {"user", NameRole::user},
    {"revision", NameRole::revision},
    {"decision", NameRole::decision},
    {"declaration", NameRole::declaration},
    {"cause", NameRole::cause},
    {"verifier", NameRole::verifier},
    {"arguments", NameRole::arguments},
    {"file", NameRole::file},
}};
constexpr std::string_view kEvent = "event";  // reasons and authorities of the ledger's own records

bool is_field(std::string_view name) {
  return name == kEvent || std::any_of(kFields.begin(), kFields.end(),
                                       [name](const Field& field) { return field.name == name; });
}

// Exactly these members, each a text of 1 to 500 bytes; `optional` may be missing.
bool read_texts(JsonValue object,
                std::initializer_list<std::pair<std::string_view, std::string*>> members,
                std::string_view optional = "") {
  std::size_t found = 0;
  for (const auto& [key, into] : members) {
    const auto text = object[key].text();
    if (!object[key].exists() && key == optional) continue;
    if (!text || text->empty() || text->size() > kMaxText) return false;
    *into = std::string(*text);
    ++found;
  }
  return object.size() == found;
}

class Redactor {
 public:
  Redactor(const Redaction& policy, Model& model) : policy_(policy), model_(model) {}

  void apply() {
    find_names();
    for (const Run& run : model_.runs) show_run(run);
    for (const Denial& denial : model_.denials) show({denial.object, denial.cause, denial.fix});
    for (const Artifact& row : model_.artifacts) show({row.path, row.digest});
    for (const GrantRow& row : model_.grant_rows) show({row.tool, row.grant.object});
    for (const Drift& row : model_.drift) show_changes(row.changes);
    for (const ComparedTool& row : model_.comparison.tools) {
      show({row.tool, row.origin, row.decision});
      show_changes(row.changes);
      for (const GrantId id : row.grants) show_grant(id);
    }
    texts();
    policy_.is_applied = true;
    model_.redaction = std::move(policy_);
  }

 private:
  RedactionRule* rule_for(std::string_view field, std::string_view text) {
    for (RedactionRule& rule : policy_.rules) {
      if (rule.field == field && matches_pattern(rule.match, text)) return &rule;
    }
    return nullptr;
  }

  std::string words_for(RedactionRule& rule) {
    ++rule.values;
    return "[withheld: " + rule.reason + ", no. " + std::to_string(++numbers_[rule.reason]) + "]";
  }

  // A name that no row shows gets words without a number; nothing of it can come out either.
  void find_names() {
    for (std::uint32_t i = 1; i < model_.names.size(); ++i) {
      const auto id = static_cast<NameId>(i);
      const NameRole role = model_.names.role(id);
      const auto* field = std::find_if(kFields.begin(), kFields.end(),
                                       [role](const Field& one) { return one.role == role; });
      if (field == kFields.end()) continue;
      RedactionRule* rule = rule_for(field->name, model_.text(id));
      if (rule == nullptr) continue;
      rule_of_[id] = rule;
      model_.names.withhold(id, "[withheld: " + rule->reason + "]");
    }
  }

  void show(std::initializer_list<NameId> ids) {
    for (const NameId id : ids) {
      const auto found = rule_of_.find(id);
      if (found == rule_of_.end()) continue;
      ++found->second->places;
      if (numbered_.insert(id).second) model_.names.withhold(id, words_for(*found->second));
    }
  }

  void show_grant(GrantId id) { show({model_.grants[static_cast<std::size_t>(id)].object}); }

  void show_changes(const std::vector<GrantChange>& changes) {
    for (const GrantChange& change : changes) {
      if (change.before) show_grant(*change.before);
      if (change.after) show_grant(*change.after);
    }
  }

  void show_run(const Run& run) {
    show({run.tool, run.origin, run.profile, run.kernel, run.revision, run.exe_path, run.exe_sha256,
          run.interpreter, run.interpreter_sha256, run.ceilings, run.command, run.decision,
          run.declaration_sha256, run.caller, run.problem});
    for (const Interpreter& one : run.interpreters) show({one.path, one.digest});
  }

  void text(std::string_view field, std::string& text) {
    if (text.empty()) return;
    RedactionRule* rule = rule_for(field, text);
    if (rule == nullptr) return;
    text = words_for(*rule);
    ++rule->places;
  }

  void texts() {
    for (LedgerEvent& event : model_.events) text(kEvent, event.text);
    Verdict& verdict = model_.verdict;
    for (Verdict::Problem& problem : verdict.problems) text("verifier", problem.text);
    if (verdict.first_bad) text("verifier", verdict.first_bad->text);
    for (auto& [run, words] : verdict.run_problems) text("verifier", words);
    // What passed is said in words of the verifier's own; what failed may quote the records.
    for (Verdict::Check& check : verdict.checks) {
      if (check.result == "fail") text("verifier", check.text);
    }
    text("verifier", model_.unverified_reason);
  }

  Redaction policy_;
  Model& model_;
  std::map<NameId, RedactionRule*> rule_of_;
  std::set<NameId> numbered_;
  std::map<std::string, std::int64_t> numbers_;
};

// Hashes lines, but for the one that names the other report.
class ContentSink : public Sink {
 public:
  void write(std::string_view bytes) override {
    while (!bytes.empty()) {
      const auto end = bytes.find('\n');
      line_ += bytes.substr(0, end);
      if (end == std::string_view::npos) return;
      line_ += '\n';
      if (!line_.starts_with("\"counterpart\"")) hasher_.add(line_);
      line_.clear();
      bytes = bytes.substr(end + 1);
    }
  }
  std::string digest() { return "sha256:" + hex(hasher_.add(line_).finish()); }

 private:
  std::string line_;
  Sha256 hasher_;
};

}  // namespace

bool matches_pattern(std::string_view pattern, std::string_view text) {
  // The last `*` may take one character more whenever what follows it does not fit.
  std::size_t at = 0;
  std::size_t in_text = 0;
  std::size_t star = std::string_view::npos;
  std::size_t resume = 0;
  while (in_text < text.size()) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      resume = in_text;
    } else if (at < pattern.size() && pattern[at] == text[in_text]) {
      ++at;
      ++in_text;
    } else if (star != std::string_view::npos) {
      at = star + 1;
      in_text = ++resume;
    } else {
      return false;
    }
  }
  while (at < pattern.size() && pattern[at] == '*') ++at;
  return at == pattern.size();
}

base::Result<Redaction> parse_redaction(std::string_view json) {
  JsonTape tape;
  if (json.size() > kMaxPolicy || !tape.parse(json) || !tape.root().is_object())
    return fail(Errc::malformed, "not a JSON object of at most 1 MiB");
  const JsonValue root = tape.root();
  if (root["format"].text_or("") != "ethos-redaction/1")
    return fail(Errc::unsupported, "not of format ethos-redaction/1");
  Redaction out;
  out.digest = sha256_text(json);
  const JsonValue rules = root["rules"];
  const auto id = root["id"].text();
  const auto authority = root["authority"].text();
  if (root.size() != 4 || !id || !authority || id->empty() || authority->empty() ||
      id->size() > kMaxText || authority->size() > kMaxText || !rules.is_array() ||
      rules.size() == 0 || rules.size() > kMaxRules) {
    return fail(Errc::malformed,
                "needs format, id, authority and 1 to 256 rules, and nothing else");
  }
  out.id = std::string(*id);
  out.authority = std::string(*authority);
  for (JsonValue one = rules.first(); one.exists(); one = rules.after(one)) {
    RedactionRule rule;
    rule.match = "*";
    if (!one.is_object() ||
        !read_texts(one, {{"field", &rule.field}, {"match", &rule.match}, {"reason", &rule.reason}},
                    "match") ||
        !is_field(rule.field)) {
      return fail(Errc::malformed, "rule " + std::to_string(out.rules.size() + 1) +
                                       ": needs a known field and a reason; match is optional");
    }
    out.rules.push_back(std::move(rule));
  }
  return out;
}

void apply_redaction(const Redaction& policy, Model& model) { Redactor(policy, model).apply(); }

void join_pair(const std::string& salt, Model& full, Model& redacted) {
  full.redaction = redacted.redaction;
  full.redaction->is_applied = false;
  full.redaction->salt = salt;
  redacted.redaction->digest = sha256_text(salt + "\n" + full.redaction->digest);
  // What a pattern looks for is what it hides.
  for (RedactionRule& rule : redacted.redaction->rules) {
    if (rule.match != "*") rule.match = "(withheld)";
  }
  const std::string digest = content_digest(full);
  full.redaction->counterpart = content_digest(redacted);
  redacted.redaction->counterpart = digest;
}

std::string content_digest(const Model& model) {
  ContentSink sink;
  write_json(model, sink);
  return sink.digest();
}

}  // namespace ethos::reports
