// SPDX-License-Identifier: Apache-2.0
#include "reports/story.h"

#include <algorithm>

#include "reports/acts.h"
#include "reports/classify.h"
#include "reports/limit_forms.h"
#include "reports/limit_words.h"
#include "reports/names.h"
#include "reports/text.h"
#include "reports/words.h"

namespace ethos::reports {
namespace {

std::string text_of(JsonValue value, std::string_view fallback = "not recorded") {
  return std::string(value.text_or(fallback));
}

std::string under_text(JsonValue ceilings) {
  const std::string names = ceilings_text(ceilings);
  return names.empty() ? "no ceiling" : "under " + names;
}

// ": the tool's own", or why ethos-run ended with another number.
std::string status_words(JsonValue close, std::uint64_t lost_acts) {
  Model model;
  Run run;
  run.state = close["ended_by"].text_or("") == "refused" ? RunState::refused : RunState::closed;
  run.ended_by = model.names.id(close["ended_by"].text_or(""));
  run.exit_code = close["exit"]["code"].integer();
  run.signal = close["exit"]["signal"].integer();
  run.status = close["status"].integer_or(-1);
  run.not_executed = is_not_executed(close);
  run.denied_acts = close["denials"]["acts"].big_or(0);
  run.lost_acts = lost_acts;
  const std::string meaning = status_meaning(model, run);
  return meaning.empty() ? meaning : " (" + meaning + ")";
}

std::string probes_text(JsonValue probes) {
  std::size_t failed = 0;
  for (JsonValue one = probes.first(); one.exists(); one = probes.after(one)) {
    if (one["errno"].integer_or(0) != 0) ++failed;
  }
  return std::to_string(failed) + " of " + std::to_string(probes.size()) +
         " probes from inside failed as they must";
}

}  // namespace

void Story::line(const std::string& words) {
  text_ += "  " + visible(words) + "  [" + ref_text(ref_) + "]\n";
}

// The distance to run.open, by the clock that nobody sets where both records are of one boot.
void Story::take_clock(JsonValue ts) {
  constexpr std::uint64_t kNsPerMs = 1'000'000;
  const std::uint64_t now_ns = ts["mono_ns"].big_or(0);
  const bool is_same_boot = !start_boot_.empty() && ts["boot"].text_or("") == start_boot_;
  since_ms_ = is_same_boot && now_ns >= start_ns_
                  ? static_cast<std::int64_t>((now_ns - start_ns_) / kNsPerMs)
                  : now_ms_ - start_ms_;
}

std::string Story::after() const { return human_duration(since_ms_) + " after the opening"; }

void Story::add(std::uint64_t seq, JsonValue record, const Hash& leaf) {
  ref_.seq = seq;
  std::copy_n(leaf.begin(), ref_.leaf.size(), ref_.leaf.begin());
  now_ms_ = record["ts"]["wall_ms"].integer_or(0);
  take_clock(record["ts"]);
  const std::string_view type = record["type"].text_or("");
  const JsonValue body = record["body"];
  if (type == "run.open") return opened(record);
  if (type == "capability.grant") return granted(body);
  if (type == "sandbox.enforced") return enforced(body);
  if (type == "runtime.sandbox_denial") return denied(body);
  if (type == "resource.limit") return limited(body);
  if (type == "artifact.exported") return exported(body);
  if (type == "run.close") return closed(body);
  if (type == "output.captured") {
    line("Said " + human_bytes(body["bytes"].big_or(0)) + " on " + text_of(body["stream"]) +
         (body["truncated"].bool_or(false) ? ", cut at the limit." : "."));
  } else if (type == "run.gap") {
    lost_acts_ += body["lost"].big_or(0);
    line(std::to_string(body["lost"].big_or(0)) +
         " acts were counted without a record of their own (" + text_of(body["reason"]) + ").");
  } else if (type == "run.abort") {
    has_ended_ = true;
    line("The supervisor disappeared; how the run ended is not known. Recovery wrote this end.");
  } else if (type == "sarif.written") {
    line("A SARIF file with " + std::to_string(body["results"].integer_or(0)) +
         " results was written, " + text_of(body["sha256"]) + ".");
  } else {
    line("A record of type " + std::string(type) + ".");
  }
}

void Story::opened(JsonValue record) {
  const JsonValue body = record["body"];
  start_ms_ = now_ms_;
  start_boot_ = text_of(record["ts"]["boot"], "");
  observe_ = text_of(body["observe"], "");
  start_ns_ = record["ts"]["mono_ns"].big_or(0);
  since_ms_ = 0;
  text_ += "Run " + visible(text_of(record["run"])) + "\n";
  line("Opened " + local_text(now_ms_ / 1000, zone_) + " (" + utc_ms_text(now_ms_) +
       ") for the tool " + text_of(body["tool"]) + ", started by user id " +
       std::to_string(body["caller"]["uid"].integer_or(-1)) + ".");
  line("Declaration: " + text_of(body["origin"]) + ", profile " + text_of(body["profile"]) + ", " +
       under_text(body["ceilings"]) + ".");
  if (const JsonValue exe = body["exe"]; exe.exists()) {
    line("Program: " + path_text(exe["path"]) + ", " + text_of(exe["sha256"]) + ".");
  }
  if (command_) line("Command: " + command_(text_of(body["argv"]["c"], "")) + ".");
  if (const auto revision = body["repository"]["revision"].text())
    line("Repository revision: " + std::string(*revision) + ".");
  const JsonValue decision = body["decision"];
  line(decision.exists() ? "Decision: policy " + text_of(decision["policy"]) + " says " +
                               text_of(decision["verdict"]) +
                               (decision["authenticated"].bool_or(false) ? ", authenticated."
                                                                         : ", NOT authenticated.")
                         : std::string("Decision: none recorded."));
  line("Host: kernel " + text_of(body["host"]["kernel"]) + ", Landlock ABI " +
       std::to_string(body["host"]["landlock_abi"].integer_or(0)) + ", ethos-run " +
       text_of(body["product"]) + ".");
}

void Story::granted(JsonValue body) {
  Names names;
  const Grant grant = read_grant(body, names);
  const std::string& object = names.text(grant.object);
  const std::string cap = text_of(body["cap"]);
  if (names.role(grant.object) == NameRole::path) granted_.push_back(object);
  if (grant.capability == Capability::limits) {
    const std::string& by = names.text(grant.detail);
    line("Limit: " + object + " at most " + limit_figure(object, grant.value) + ", held by " + by +
         (seen_of(object, by) == LimitForm::Seen::counted
              ? "."
              : "; a refusal by it is not observed, or not each one."));
  } else if (grant.capability == Capability::hidden) {
    line("Hidden: " + object + " (" + std::to_string(body["matches"].integer_or(0)) + " matches).");
  } else if (grant.use == Use::withheld) {
    line("No " + cap + ".");
  } else {
    line("May " + (cap.starts_with("fs.") ? cap.substr(3) : "use " + cap) + ": " + object +
         (grant.detail == NameId::none ? "" : " (" + names.text(grant.detail) + ")") + ".");
  }
}

void Story::enforced(JsonValue body) {
  const JsonValue kernel = body["k"];
  line("The cage stood: the kernel showed no_new_privs " +
       std::to_string(kernel["no_new_privs"].integer_or(0)) + ", seccomp mode " +
       std::to_string(kernel["seccomp"].integer_or(0)) + ", " +
       std::to_string(kernel["ns"].size()) + " namespaces, " +
       std::to_string(kernel["ns_shared"].size()) + " of them shared with the supervisor; " +
       probes_text(body["p"]) + ".");
  line("Live sensors: " + joined(body["sources"]) + ".");
  const std::string weaker = weaker_text(body["weaker"]);
  if (!weaker.empty()) line("Held by a weaker form: " + weaker + ".");
}

void Story::denied(JsonValue body) {
  const std::string object = object_text(body["object"]);
  const std::string operation = text_of(body["operation"]);
  Call call{body["phase"].text_or(""), body["rule"].text_or(""), operation, observe_,
            body["errno"].integer_or(0)};
  call.is_on_the_way = is_on_the_way(object, {granted_.begin(), granted_.end()});
  const std::string act = act_text(operation, object, access_of(call));
  const std::string rule = body["rule"].exists() ? " (rule " + text_of(body["rule"]) + ")" : "";
  if (body["phase"].text_or("") == "setup") {
    line("Refused before the start at step " + act + rule + ": " +
         text_of(body["cause"], "no cause recorded") + ".");
    if (const auto fix = body["fix"].text()) line("What would help: " + std::string(*fix) + ".");
    return;
  }
  const bool attempt = body["outcome"].text_or("") == "attempt";
  line(after() + ": tried " + act +
       (body["count"].integer_or(1) == 1
            ? ""
            : ", " + std::to_string(body["count"].integer_or(1)) + " times") +
       "; " + (attempt ? "let through to the kernel, the answer was not seen" : "denied") + rule +
       "; object known by mark " + text_of(body["mark"]) + ".");
}

void Story::limited(JsonValue body) {
  const std::string name = text_of(body["limit"]);
  const LimitRecord record{name,
                           body["action"].text_or(""),
                           body["enforced_by"].text_or(""),
                           body["source"].text_or(""),
                           body["value"].big_or(0),
                           body["observed"].big_or(0)};
  line(after() + ": " + name + ": " + limit_text(record) + "; " + limit_outcome(record) + ".");
}

void Story::exported(JsonValue body) {
  line("Brought out: " + path_text(body["path"]) + ", " + text_of(body["action"]) + ", " +
       human_bytes(body["size"].big_or(0)) + ".");
}

void Story::closed(JsonValue body) {
  has_ended_ = true;
  const JsonValue exit = body["exit"];
  const std::string ended_by = text_of(body["ended_by"]);
  const std::string how =
      exit["signal"].exists()
          ? "was ended by signal " + std::to_string(exit["signal"].integer_or(0))
      : exit.exists()         ? "ended with exit " + std::to_string(exit["code"].integer_or(0))
      : ended_by == "refused" ? std::string("was not started")
      : ended_by == "tool"    ? std::string("could not be started")
                              : std::string("was ended");
  line(after() + ": over. The tool ran for " + human_duration(body["duration_ms"].integer_or(0)) +
       " and " + how + ", ended by " + ended_by + "; status of ethos-run " +
       std::to_string(body["status"].integer_or(-1)) + status_words(body, lost_acts_) + ".");
  const JsonValue usage = body["usage"];
  line("Used " + human_duration(usage["cpu_ms"].integer_or(0)) + " of CPU and " +
       human_bytes(usage["max_rss_bytes"].big_or(0)) + " of memory; processes left: " +
       std::to_string(body["teardown"]["processes_left"].integer_or(0)) + ", scratch " +
       text_of(body["teardown"]["scratch"]) + ".");
}

std::string Story::text() const {
  return has_ended_ ? text_ : text_ + "  No end is recorded up to the last record.\n";
}

}  // namespace ethos::reports
