// SPDX-License-Identifier: Apache-2.0
#include "reports/verdict.h"

#include <algorithm>

#include "reports/json_tape.h"
#include "reports/text.h"

namespace ethos::reports {
namespace {

using base::Errc;
using base::fail;

bool is_result(std::string_view text) {
  return text == "pass" || text == "fail" || text == "incomplete" || text == "unknown" ||
         text == "none";
}

Verdict::Problem read_problem(JsonValue value) {
  return {std::string(value["code"].text_or("")), value["seq"].integer_or(-1),
          std::string(value["run"].text_or("")), std::string(value["text"].text_or(""))};
}

std::string run_problem_text(JsonValue run) {
  std::string text = "policy " + std::string(run["policy"].text_or("unknown"));
  const JsonValue problems = run["problems"];
  for (JsonValue p = problems.first(); p.exists(); p = problems.after(p)) {
    // A problem is an object with a code, or just a text.
    const std::string_view code = p.is_text() ? p.text_or("") : p["code"].text_or("");
    const std::string_view words = p["text"].text_or("");
    text += "; ";
    text += code;
    if (!words.empty()) text.append(": ").append(words);
    if (text.size() > 1000) break;
  }
  return shortened(text, 1000);
}

// The note's second and third line; the signature was the verifier's business.
bool read_note(Verdict& out) {
  const std::string_view note = out.note;
  const auto first = note.find('\n');
  const auto second = note.find('\n', first + 1);
  const auto third = note.find('\n', second + 1);
  if (first == std::string_view::npos || second == std::string_view::npos ||
      third == std::string_view::npos) {
    return false;
  }
  const auto size = parse_decimal(note.substr(first + 1, second - first - 1));
  if (!size || *size > 9007199254740991ULL) return false;
  out.size = static_cast<std::int64_t>(*size);
  out.root_base64 = std::string(note.substr(second + 1, third - second - 1));
  return true;
}

bool read_checks(JsonValue verdicts, Verdict& out) {
  for (JsonValue v = verdicts.first(); v.exists(); v = verdicts.after(v)) {
    out.checks.push_back({std::string(v["name"].text_or("")), std::string(v["result"].text_or("")),
                          v["checked"].integer_or(0), std::string(v["text"].text_or(""))});
    if (!is_result(out.checks.back().result)) return false;
  }
  // Exactly the eight, in order: a verdict that is left out must not read as passed.
  return std::equal(std::begin(kVerdictNames), std::end(kVerdictNames), out.checks.begin(),
                    out.checks.end(),
                    [](std::string_view name, const Verdict::Check& c) { return c.name == name; });
}

void read_runs(JsonValue runs, Verdict& out) {
  for (JsonValue run = runs.first(); run.exists(); run = runs.after(run)) {
    if (run["policy"].text_or("") == "pass") continue;
    out.run_problems.emplace(run["run"].text_or(""), run_problem_text(run));
  }
}

}  // namespace

bool Verdict::has_problem(std::string_view code) const {
  const auto is_it = [code](const Problem& p) { return p.code == code; };
  return (first_bad && is_it(*first_bad)) || std::any_of(problems.begin(), problems.end(), is_it);
}

void Verdict::forget_form(std::size_t key_epochs) {
  // A remark on values that no record names: a bundle has none, an earlier state cannot tell.
  std::erase_if(problems, [](const Problem& one) { return one.code == "disclosure_orphan"; });
  for (Check& check : checks) {
    if (check.name == "signatures" && check.result == "pass") {
      check.checked = static_cast<std::int64_t>(key_epochs);
      check.text = key_epochs <= 1
                       ? "the last checkpoint, and every other that is there, is signed by the one "
                         "key that the ledger has had"
                       : "the last checkpoint, the one at which each earlier key ended, and every "
                         "other that is there, is signed by the key that was in force at its "
                         "last record";
    } else if (check.name == "disclosure" && check.result == "pass") {
      check.checked = commitments;
      check.text = std::to_string(commitments) +
                   " committed values in all, shown or withheld; each that is shown is the one the "
                   "record commits to";
    } else if (check.name == "freshness" && check.result == "none") {
      check.text = "nothing outside the ledger says how new it is; give a pin with a minimum";
    }
  }
}

std::string_view Verdict::result_of(std::string_view name) const {
  for (const Check& check : checks) {
    if (check.name == name) return check.result;
  }
  return "unknown";
}

base::Result<Verdict> Verdict::parse(std::string_view json, int status) {
  JsonTape tape;
  if (!tape.parse(json) || !tape.root().is_object()) {
    return fail(Errc::malformed, "the verifier's answer is not a JSON object");
  }
  const JsonValue root = tape.root();
  if (root["format"].text_or("") != "ethos-verdict/1") {
    return fail(Errc::unsupported, "the verifier's answer is not of format ethos-verdict/1");
  }
  Verdict out;
  out.verifier = std::string(root["verifier"].text_or(""));
  out.exit = static_cast<int>(std::clamp<std::int64_t>(root["exit"].integer_or(3), 0, 255));
  if (out.exit != status) {
    return fail(Errc::mismatch, "the verifier's answer and its exit status disagree");
  }
  out.pin_fingerprint = std::string(root["pin"]["fingerprint"].text_or(""));
  out.origin = std::string(root["origin"].text_or(""));
  out.note = std::string(root["checkpoint"]["note"].text_or(""));
  if (!out.note.empty() && !read_note(out)) {
    return fail(Errc::malformed, "the verifier's answer holds a malformed checkpoint");
  }
  if (!read_checks(root["verdicts"], out)) {
    return fail(Errc::malformed, "the verifier's answer does not give the eight verdicts");
  }
  out.records = root["counts"]["records"].integer_or(0);
  out.runs = root["counts"]["runs"].integer_or(0);
  out.commitments = root["counts"]["commitments"].integer_or(0);
  if (const JsonValue pruned = root["pruned"]; pruned.is_object()) {
    out.pruned = {pruned["records"].integer_or(0),
                  pruned["runs"].integer_or(0),
                  pruned["from_ms"].integer_or(0),
                  pruned["until_ms"].integer_or(0),
                  {}};
    const JsonValue between = pruned["between"];
    for (JsonValue one = between.first(); one.exists(); one = between.after(one))
      out.pruned.between.emplace_back(one["from_ms"].integer_or(0), one["until_ms"].integer_or(0));
  }
  if (root["first_bad"].is_object()) out.first_bad = read_problem(root["first_bad"]);
  const JsonValue problems = root["problems"];
  for (JsonValue p = problems.first(); p.exists(); p = problems.after(p)) {
    out.problems.push_back(read_problem(p));
  }
  read_runs(root["runs"], out);
  return out;
}

}  // namespace ethos::reports
