// SPDX-License-Identifier: Apache-2.0
#include "verify/assertion_report.h"

#include "verify/encoding.h"

namespace ethos::verify {
namespace {

Value number(std::uint64_t n) { return Value::of(static_cast<std::int64_t>(n)); }

std::string runs_text(std::int64_t n) { return std::to_string(n) + (n == 1 ? " run" : " runs"); }

Value example_json(const Assertion::Counterexample& found) {
  Value v = Value::object();
  v.set("run", Value::of(found.run))
      .set("seq", Value::of(found.seq))
      .set("text", Value::of(found.text));
  return v;
}

Value tools_json(const Assertion& assertion) {
  Value out = Value::array();
  for (const auto& found : assertion.of_tools()) {
    Value v = example_json(found);
    v.set("tool", Value::of(found.tool))
        .set("result", Value::of(found.fails ? "fail" : "unknown"))
        .set("runs", number(found.runs));
    out.push(std::move(v));
  }
  return out;
}

std::string of_runs(const Assertion& assertion) {
  std::string out;
  if (assertion.failed() > 0)
    out = std::to_string(assertion.failed()) + " of " +
          runs_text(static_cast<std::int64_t>(assertion.runs())) + " fail";
  if (assertion.unsure() > 0)
    out += (out.empty() ? "" : ", ") + std::to_string(assertion.unsure()) + " of " +
           runs_text(static_cast<std::int64_t>(assertion.runs())) + " cannot be judged";
  return out;
}

const char* judge(const Assertion& assertion, bool is_pruned, Findings& findings) {
  using Outcome = Assertion::Outcome;
  switch (assertion.outcome()) {
    case Outcome::pass:
      return is_pruned ? "unknown" : "pass";
    case Outcome::empty:
      if (is_pruned) return "unknown";
      findings.add({.code = Code::assertion_empty,
                    .expected = assertion.text(),
                    .text = "no run to judge for an assertion"});
      return "empty";
    case Outcome::fail:
    case Outcome::unknown:
      break;
  }
  const auto& found = *assertion.counterexample();
  const bool fails = assertion.outcome() == Outcome::fail;
  findings.add({.code = fails ? Code::assertion_failed : Code::assertion_unknown,
                .seq = found.seq,
                .run = found.run,
                .expected = assertion.text(),
                .found = found.text,
                .text = (fails ? "an assertion does not hold: " : "the records cannot say whether an assertion holds: ") +
                        printable(assertion.text(), 100) + " (" + of_runs(assertion) + ")"});
  return fails ? "fail" : "unknown";
}

// A command is no grant, so it is told beside the answer.
void command_words(const Value& v, std::vector<std::string>& out) {
  const std::string file = printable(v.text_at("file"), 200);
  if (!v.at("declaration").flag()) {
    out.push_back(file + " is a list of grants: not compared is the command that was run, and who holds a limit");
    return;
  }
  std::string line = "the command, which is no grant and no part of the answer: ";
  const std::int64_t other = v.at("other").number();
  const std::int64_t unknown = v.at("unknown").number();
  if (other > 0) {
    line += "ANOTHER than " + file + " declares in " + runs_text(other) + ", first " + v.text_at("run") +
            " (" + v.text_at("tool") + "): " + printable(v.text_at("command"), 300) + ", where the file has " +
            printable(v.text_at("declared"), 300) + "; ";
  }
  line += "the declared one in " + runs_text(v.at("same").number());
  if (unknown > 0) line += "; not known of " + runs_text(unknown);
  out.push_back(line + ". The words that ran are held against the run's own declaration where `argv` is disclosed. Not compared: who holds a limit");
}

}  // namespace

Value assertion_json(const Assertion& assertion, bool is_pruned, Findings& findings) {
  Value v = Value::object();
  v.set("expr", Value::of(assertion.text())).set("runs", number(assertion.runs()));
  v.set("result", Value::of(judge(assertion, is_pruned, findings)));
  v.set("failed", number(assertion.failed())).set("unsure", number(assertion.unsure()));
  v.set("counterexample",
        assertion.counterexample() ? example_json(*assertion.counterexample()) : Value());
  v.set("of_tools", tools_json(assertion));
  Value unseen = Value::array();
  for (const std::string& tool : assertion.unseen_tools()) {
    unseen.push(Value::of(tool));
    findings.add({.code = Code::tool_unseen,
                  .expected = assertion.text(),
                  .found = tool,
                  .text = "an assertion names the tool `" + tool +
                          "`, and no run of that name was there to be judged"});
  }
  v.set("unseen_tools", std::move(unseen)).set("commands", assertion.commands());
  return v;
}

std::string assertion_count(const Value& v) {
  std::string out = runs_text(v.at("runs").number());
  if (v.at("failed").number() > 0) out += ", " + std::to_string(v.at("failed").number()) + " fail";
  if (v.at("unsure").number() > 0)
    out += ", " + std::to_string(v.at("unsure").number()) + " cannot be judged";
  return out;
}

std::vector<std::string> assertion_words(const Value& v) {
  std::vector<std::string> out;
  std::int64_t told = 0;
  for (const Value& one : v.at("of_tools").items()) {
    std::string line = one.text_at("result") == "fail" ? "fails: " : "unknown: ";
    line += "run " + one.text_at("run") + ", record " + std::to_string(one.at("seq").number()) +
            ": " + printable(one.text_at("text"), 300);
    const std::int64_t runs = one.at("runs").number();
    if (runs > 1) line += " (and " + std::to_string(runs - 1) + " more of that tool)";
    told += runs;
    out.push_back(std::move(line));
  }
  const std::int64_t rest = v.at("failed").number() + v.at("unsure").number() - told;
  if (rest > 0) out.push_back("and " + runs_text(rest) + " more");
  for (const Value& file : v.at("commands").items()) command_words(file, out);
  for (const Value& tool : v.at("unseen_tools").items())
    out.push_back("no run of the tool `" + printable(tool.text(), 64) + "` was there to be judged");
  return out;
}

}  // namespace ethos::verify
