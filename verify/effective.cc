// SPDX-License-Identifier: Apache-2.0
#include "verify/effective.h"

#include <algorithm>

#include "verify/encoding.h"
#include "verify/limits.h"
#include "verify/policy_path.h"

namespace ethos::verify {
namespace {

std::string object_text(const Value& object, DocumentReader& reader) {
  if (object.has("address")) return object.text_at("address");
  if (object.has("text")) return object.text_at("text");
  if (object.has("base")) return path_text(object, reader);
  return "";
}

// Whether an open was for writing. The record names the call and not its flags; but where only writes are observed it was
// one, and so it was where the place may be read.
bool is_for_writing(const RunEvidence& run, const Value& body, const std::vector<std::string>& readable, const std::string& object) {
  const std::string& call = body.text_at("operation");
  if (body.text_at("phase") != "run" || (call != "open" && call != "openat" && call != "openat2")) return false;
  if (body.text_at("source") == "seccomp" && run.open.text_at("observe") == "writes") return true;
  if (body.text_at("rule") != "outside-grants") return false;
  const auto colon = object.find(':');
  return std::any_of(readable.begin(), readable.end(), [&](const std::string& shown) {
    const auto at = shown.find(':');
    return colon != std::string::npos && shown.substr(0, at) == object.substr(0, colon) && within(object.substr(colon + 1), shown.substr(at + 1));
  });
}

std::string denial_text(const RunEvidence& run, const Value& body, const std::vector<std::string>& readable, DocumentReader& reader) {
  std::string out = body.text_at("operation");
  const std::string object = object_text(body.at("object"), reader);
  if (!object.empty()) out += " " + object;
  if (is_for_writing(run, body, readable, object)) out += " for writing";
  out += body.text_at("phase") == "setup" ? " refused before the start" : " " + body.text_at("outcome");
  if (body.has("rule")) out += " (" + body.text_at("rule") + ")";
  const std::int64_t count = body.at("count").number();
  if (count > 1) out += " x" + std::to_string(count);
  return out + " [" + body.text_at("mark") + "]";
}

Value texts(const std::vector<std::string>& list) {
  Value out = Value::array();
  for (const std::string& text : list) out.push(Value::of(text));
  return out;
}

std::string joined(const std::vector<std::string>& list, const char* none) {
  if (list.empty()) return none;
  std::string out;
  for (const std::string& text : list) {
    if (!out.empty()) out += ", ";
    out += printable(text, 200);
  }
  return out;
}

// What leaves a record when it is refused.
const char* watched_words(std::string_view observe) {
  if (observe == "all") return "opens for reading and for writing, network, programs (observe all); looks that open nothing leave no record";
  if (observe == "writes") return "writes, network, programs (observe writes); an open for reading that was refused leaves no record";
  if (observe == "off") return "nothing (observe off); what was refused leaves no record";
  return "not recorded";
}

void add_grant(Effective& out, const Value& grant, DocumentReader& reader) {
  const std::string& cap = grant.text_at("cap");
  if (cap == "fs.read" || cap == "fs.write" || cap == "fs.exec") {
    const std::string path = path_text(grant.at("path"), reader);
    if (cap != "fs.exec") out.read.push_back(path);
    if (cap == "fs.write") out.write.push_back(path);
    if (cap == "fs.write" && grant.at("delete").flag()) out.may_delete.push_back(path);
    if (cap == "fs.exec") out.exec.push_back(path);
  } else if (cap == "exec.memory" || cap == "exec.scratch") {
    out.exec.push_back(cap.substr(5));
  } else if (cap == "fs.hide") {
    out.hidden = grant.at("matches").number();
    if (grant.at("patterns").is_object()) out.hide_patterns.push_back("(a long list)");
    for (const Value& pattern : grant.at("patterns").items()) out.hide_patterns.push_back(pattern.text());
  } else if (cap == "network") {
    out.network = grant.text_at("mode");
  } else if (cap == "git") {
    out.git = grant.text_at("mode");
  } else if (cap == "env") {
    for (const char* key : {"fixed", "pass"}) {
      if (grant.at(key).is_object()) {
        out.env.push_back("(a long list)");
        continue;
      }
      for (const Value& name : grant.at(key).items()) out.env.push_back(name.text());
    }
  } else if (cap == "limit") {
    out.limits.push_back({grant.text_at("name"), grant.text_at("value"), grant.text_at("enforced_by")});
  }
}

}  // namespace

std::string path_text(const Value& path, DocumentReader& reader) {
  const std::string& base = path.text_at("base");
  if (!path.has("commit")) return base + ":" + plain_of(path);
  const auto opened = reader.open(path.at("commit"));
  return base + ":" + opened.value_or("(withheld)");
}

Effective effective_of(const RunEvidence& run, DocumentReader& reader) {
  Effective out;
  for (const Value& grant : run.grants()) add_grant(out, grant, reader);
  for (auto* list : {&out.read, &out.write, &out.may_delete, &out.exec, &out.env}) {
    std::sort(list->begin(), list->end());
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }
  for (const Value& entry : run.enforced.at("weaker").items()) {
    out.weaker.push_back(entry.text_at("limit") + " by " + entry.text_at("by"));
  }
  for (const Value& source : run.enforced.at("sources").items()) out.sources.push_back(source.text());
  for (std::size_t i = 0; i < std::min(run.denial_texts.size(), RunEvidence::kMaxDenials); ++i) {
    out.tried.push_back(denial_text(run, run.denial(i), out.read, reader));
  }
  out.denials = run.denial_acts;
  out.not_hidden = run.not_hidden;
  out.observe = run.open.text_at("observe");
  out.limits_hit.assign(run.limits_hit.begin(), run.limits_hit.end());
  out.refused = run.was_refused();
  out.origin = run.open.text_at("origin");
  out.ended_by = run.close.text_at("ended_by");
  if (run.close.is_object()) out.status = run.close.at("status").number();
  return out;
}

Value effective_json(const Effective& e) {
  Value limits = Value::array();
  for (const EffectiveLimit& limit : e.limits) {
    Value v = Value::object();
    v.set("name", Value::of(limit.name)).set("value", Value::of(limit.value));
    v.set("enforced_by", Value::of(limit.enforced_by));
    limits.push(std::move(v));
  }
  Value out = Value::object();
  out.set("read", texts(e.read)).set("write", texts(e.write)).set("delete", texts(e.may_delete)).set("exec", texts(e.exec));
  out.set("hidden", Value::of(e.hidden)).set("network", Value::of(e.network)).set("git", Value::of(e.git));
  out.set("env", texts(e.env)).set("limits", std::move(limits)).set("weaker", texts(e.weaker));
  out.set("sources", texts(e.sources)).set("denials", Value::of(static_cast<std::int64_t>(e.denials)));
  out.set("tried", texts(e.tried)).set("limits_hit", texts(e.limits_hit)).set("refused", Value::of(e.refused));
  out.set("hide_patterns", texts(e.hide_patterns)).set("observe", Value::of(e.observe));
  out.set("not_hidden", Value::of(std::to_string(e.not_hidden)));
  out.set("origin", Value::of(e.origin)).set("ended_by", Value::of(e.ended_by)).set("status", Value::of(e.status));
  return out;
}

namespace {

std::string hidden_words(const Effective& e) {
  std::string out = "nothing";
  if (!e.hide_patterns.empty() || e.hidden > 0)
    out = std::to_string(e.hidden) + (e.hidden == 1 ? " path" : " paths") + " that fit " + joined(e.hide_patterns, "no pattern");
  if (e.not_hidden == 0) return out;
  // A look that was not possible counts as one place.
  const std::string more = e.not_hidden == 1 ? "1 place that fitted at its end was NOT hidden (or could not be looked for)"
                                             : std::to_string(e.not_hidden) + " places that fitted at its end were NOT hidden";
  return out + "; " + more + ": what it read there is not known";
}

}  // namespace

std::vector<std::string> effective_words(const Effective& e) {
  if (e.refused) {
    std::vector<std::string> out{"it was refused: the tool never started"};
    for (const std::string& text : e.tried) out.push_back("because: " + printable(text, 300));
    return out;
  }
  std::vector<std::string> out;
  out.push_back("it could read: " + joined(e.read, "nothing") + ", and the base runtime");
  out.push_back("it could write: " + joined(e.write, "nothing but its own scratch space"));
  if (!e.write.empty()) out.push_back("it could delete files of before: " + (e.may_delete.empty() ? std::string("nowhere") : "in " + joined(e.may_delete, "")));
  out.push_back("it could start: programs of the base runtime" + (e.exec.empty() ? "" : ", " + joined(e.exec, "")));
  out.push_back("hidden from it: " + hidden_words(e));
  out.push_back(e.network == "none"       ? "network: none, not even loopback"
                : e.network == "loopback" ? "network: loopback of its own only"
                                          : "network: not recorded");
  out.push_back(e.git == "read" ? "git: could read the repository without its configuration and hooks" : "git: saw an empty .git");
  out.push_back("environment: HOME=/tmp/home, LANG=C.UTF-8, PATH=/usr/bin:/bin, TMPDIR=/tmp" + (e.env.empty() ? " and no other" : ", and (in place of these, where named so) " + joined(e.env, "")));
  std::vector<std::string> limits;
  for (const EffectiveLimit& limit : e.limits) limits.push_back(limit.name + "=" + limit.value + " (" + limit.enforced_by + ")");
  out.push_back("limits: " + joined(limits, "none"));
  std::vector<std::string> unlimited;
  for (const LimitRule& rule : limit_rules()) {
    const bool is_set = std::any_of(e.limits.begin(), e.limits.end(), [&](const EffectiveLimit& limit) { return limit.name == rule.name; });
    if (!is_set) unlimited.emplace_back(rule.name);
  }
  if (!unlimited.empty()) out.push_back("not limited: " + joined(unlimited, ""));
  if (!e.weaker.empty()) out.push_back("weaker than asked for first: " + joined(e.weaker, ""));
  out.push_back("watched: " + std::string(watched_words(e.observe)) + "; live sources: " + joined(e.sources, "none"));
  out.push_back(e.denials == 0 ? "denied acts: none was recorded" + std::string(e.observe == "all" ? "" : ", of those that would have been")
                               : "denied acts: " + std::to_string(e.denials) + ": " + joined(e.tried, ""));
  if (!e.limits_hit.empty()) out.push_back("limits reached: " + joined(e.limits_hit, ""));
  return out;
}

}  // namespace ethos::verify
