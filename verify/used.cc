// SPDX-License-Identifier: Apache-2.0
#include "verify/used.h"

#include <algorithm>

#include "verify/effective.h"
#include "verify/encoding.h"
#include "verify/times.h"
#include "verify/view.h"

namespace ethos::verify {
namespace {

constexpr std::size_t kMaxCommand = 16384;  // more is not shown
constexpr JsonLimits kNormal{std::size_t{1} << 20U, 16, 100'000};
constexpr JsonLimits kExecs{std::size_t{16} << 20U, 6, 100'000};

// Each argument with a NUL byte behind it.
std::vector<std::string> arguments_of(std::string_view bytes) {
  std::vector<std::string> out;
  while (!bytes.empty()) {
    const auto end = std::min(bytes.find('\0'), bytes.size());
    out.emplace_back(bytes.substr(0, end));
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
  }
  return out;
}

void read_close(const Value& close, DocumentReader& reader, Used& out) {
  if (!close.is_object()) return;
  out.duration_ms = close.at("duration_ms").number();
  out.cpu_ms = close.at("usage").at("cpu_ms").number();
  out.max_rss_bytes = close.at("usage").text_at("max_rss_bytes");
  if (!close.has("execs")) return;
  out.programs_started = close.at("execs").text_at("total");
  const auto list = reader.open(close.at("execs").at("list"));
  const auto parsed = list ? parse_canonical(*list, kExecs) : Result<Value>(Error{});
  if (!parsed) return;
  out.programs.emplace();
  for (const Value& one : parsed->items()) {
    out.has_more_programs = out.programs->size() == Used::kMaxPrograms;
    if (out.has_more_programs) break;
    out.programs->push_back({path_text(one.at("path"), reader), one.text_at("count")});
  }
}

std::string quoted(const std::string& word) {
  const bool plain =
      !word.empty() &&
      word.find_first_not_of(
          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%") ==
          std::string::npos;
  if (plain) return word;
  std::string out = "'";
  for (const char c : printable(word, 2000))
    out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string joined(const std::vector<std::string>& words) { return command_text(words); }

void read_facts(const Value& open, DocumentReader& reader, Used& out) {
  const auto bytes = reader.open(open.at("facts"));
  const auto facts = bytes ? parse_canonical(*bytes, kDocumentLimits) : Result<Value>(Error{});
  if (!facts) return;
  out.has_facts = true;
  for (const Value& hide : facts->at("hides").items()) {
    ++out.hidden_total;
    if (out.hidden.size() < Used::kMaxHidden)
      out.hidden.push_back(path_text(hide.at("path"), reader) +
                           (hide.text_at("type") == "dir" ? "/" : ""));
  }
  const Value& system = facts->at("system");
  for (const Value& place : system.at("dirs").items()) out.runtime.push_back(place.text_at("at"));
  for (const Value& place : system.at("etc").items()) out.etc.push_back(place.text_at("at"));
}

std::string listed(const std::vector<std::string>& places) {
  std::string out;
  for (const std::string& place : places) out += (out.empty() ? "" : ", ") + printable(place, 200);
  return out;
}

std::vector<std::string> facts_words(const Used& used) {
  if (!used.has_facts) return {"base runtime, and the names of what was hidden: not disclosed"};
  std::vector<std::string> out;
  out.push_back("base runtime: " + listed(used.runtime) +
                " and the links to it (read and start), /proc and /dev/null, zero, full, random, "
                "urandom, in a made /etc: " +
                (used.etc.empty() ? std::string("nothing of the host's") : listed(used.etc)) + " (read)");
  if (used.hidden_total > 0) {
    const std::uint64_t more = used.hidden_total - used.hidden.size();
    out.push_back("names of what was hidden: " + listed(used.hidden) +
                  (more > 0 ? " and " + std::to_string(more) + " more" : std::string()));
  }
  return out;
}

// Whether arguments were added to the declared command is told by their number alone.
std::string added_words(const Used& used) {
  const std::int64_t more = used.argc - static_cast<std::int64_t>(used.declared.size());
  if (used.argc < 0 || more < 0) return " (declared; the words that ran are not disclosed)";
  if (more == 0) return " (declared; of the words that ran only the number is known, which is the same: no argument was added)";
  return " (declared; of the words that ran only the number is known: " + std::to_string(more) +
         (more == 1 ? " argument that was added and is" : " arguments that were added and are") +
         " not disclosed)";
}

}  // namespace

std::string command_text(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + quoted(word);
  return printable(out, 4000);
}

std::vector<std::string> declared_command(const RunEvidence& run, DocumentReader& reader) {
  std::vector<std::string> out;
  const auto normal = reader.open(run.open.at("normal"));
  const auto parsed = normal ? parse_canonical(*normal, kNormal) : Result<Value>(Error{});
  if (parsed) {
    for (const Value& word : parsed->at("command").items()) out.push_back(word.text());
  }
  return out;
}

Used used_of(const RunEvidence& run, DocumentReader& reader) {
  Used out;
  if (const auto bytes = reader.open(run.open.at("argv"))) {
    out.command_bytes = bytes->size();
    if (bytes->size() <= kMaxCommand) out.command = arguments_of(*bytes);
  }
  out.declared = declared_command(run, reader);
  read_facts(run.open, reader, out);
  if (run.open.at("argc").is_integer()) out.argc = run.open.at("argc").number();
  out.has_end = run.state == RunEvidence::State::closed;
  out.is_cut = !out.has_end && run.has_enforced();
  if (run.open.has("exe")) {
    out.exe = path_text(run.open.at("exe").at("path"), reader);
    out.exe_sha256 = run.open.at("exe").text_at("sha256");
  }
  read_close(run.close, reader, out);
  out.output_bytes = run.output_bytes;
  out.artifacts_total = run.artifact_records;
  for (std::size_t i = 0; i < run.artifact_texts.size(); ++i) {
    const auto body = parse_canonical(run.artifact_texts[i], kRecordLimits);
    if (!body) continue;
    out.artifacts.push_back({run.artifact_seqs[i], body->text_at("action"),
                             path_text(body->at("path"), reader), body->text_at("type"),
                             body->text_at("size"), body->text_at("sha256")});
  }
  return out;
}

Value used_json(const Used& used) {
  Value out = Value::object();
  if (used.command) {
    Value words = Value::array();
    // What is no UTF-8 is made visible.
    for (const std::string& word : *used.command)
      words.push(Value::of(printable(word, kMaxCommand)));
    out.set("command", std::move(words));
  }
  if (!used.command && used.command_bytes > 0)
    out.set("command_bytes", Value::of(static_cast<std::int64_t>(used.command_bytes)));
  if (!used.declared.empty()) {
    Value words = Value::array();
    for (const std::string& word : used.declared) words.push(Value::of(word));
    out.set("declared_command", std::move(words));
  }
  if (!used.exe.empty())
    out.set("exe", Value::of(used.exe)).set("exe_sha256", Value::of(used.exe_sha256));
  if (used.duration_ms >= 0) {
    out.set("duration_ms", Value::of(used.duration_ms)).set("cpu_ms", Value::of(used.cpu_ms));
    out.set("max_rss_bytes", Value::of(used.max_rss_bytes));
  }
  if (!used.programs_started.empty()) out.set("programs_started", Value::of(used.programs_started));
  if (used.programs) {
    Value list = Value::array();
    for (const Used::Program& program : *used.programs) {
      Value v = Value::object();
      v.set("path", Value::of(program.path)).set("count", Value::of(program.count));
      list.push(std::move(v));
    }
    out.set("programs", std::move(list));
  }
  if (used.has_facts) {
    const auto texts = [](const std::vector<std::string>& list) {
      Value v = Value::array();
      for (const std::string& text : list) v.push(Value::of(text));
      return v;
    };
    out.set("hidden_names", texts(used.hidden));
    out.set("base_runtime", texts(used.runtime)).set("base_etc", texts(used.etc));
  }
  Value artifacts = Value::array();
  for (const Used::Artifact& one : used.artifacts) {
    Value v = Value::object();
    v.set("seq", Value::of(one.seq))
        .set("action", Value::of(one.action))
        .set("path", Value::of(one.path));
    v.set("type", Value::of(one.type)).set("size", Value::of(one.size));
    if (!one.sha256.empty()) v.set("sha256", Value::of(one.sha256));
    artifacts.push(std::move(v));
  }
  out.set("artifacts", std::move(artifacts))
      .set("artifacts_total", Value::of(static_cast<std::int64_t>(used.artifacts_total)));
  out.set("output_bytes", Value::of(std::to_string(used.output_bytes)));
  return out;
}

std::vector<std::string> used_words(const Used& used) {
  std::vector<std::string> out = facts_words(used);
  if (used.command) {
    out.push_back("command: " + joined(*used.command));
  } else if (used.command_bytes > 0) {
    out.push_back("command: " + (used.declared.empty() ? std::string() : joined(used.declared) + " as declared, and ") +
                  "disclosed: " + std::to_string(used.command_bytes) +
                  " bytes, more than is shown here (--show prints the record)");
  } else {
    out.push_back("command: " + (used.declared.empty() ? std::string("not disclosed")
                                                       : joined(used.declared) + added_words(used)));
  }
  if (!used.exe.empty())
    out.push_back("its program: " + printable(used.exe, 300) + " " + used.exe_sha256);
  if (used.duration_ms >= 0) {
    out.push_back("it used: " + duration_text(used.duration_ms) + ", " +
                  duration_text(used.cpu_ms) + " of processor time, at most " + used.max_rss_bytes +
                  " bytes of memory in one process, " + std::to_string(used.output_bytes) +
                  " bytes of output");
  }
  if (used.is_cut)
    out.emplace_back("it used, and it started: not recorded, because that stands in the end that the run does not have");
  if (!used.programs_started.empty()) {
    std::string line = "it started: " + used.programs_started +
                       (used.programs_started == "1" ? " program" : " programs");
    if (!used.programs) line += (used.programs_started == "1" ? " (which one is not disclosed)" : " (which ones is not disclosed)");
    for (std::size_t i = 0; used.programs && i < used.programs->size(); ++i) {
      const Used::Program& program = (*used.programs)[i];
      line += (i == 0 ? ": " : ", ") + printable(program.path, 200) +
              (program.count == "1" ? "" : " x" + program.count);
    }
    out.push_back(line + (used.has_more_programs ? ", ..." : ""));
  }
  if (used.artifacts_total == 0) {
    out.emplace_back(
        used.has_end
            ? "it left: no file in its workspace was made, changed or deleted"
            : "it left: nothing is recorded; files are brought out at the end, which is not there");
  }
  for (const Used::Artifact& one : used.artifacts) {
    out.push_back("it left: " + one.action + " " + (one.type == "directory" ? "directory " : "") +
                  printable(one.path, 300) +
                  (one.sha256.empty() ? "" : ", " + one.size + " bytes, " + one.sha256) +
                  " (record " + std::to_string(one.seq) + ")");
  }
  if (used.artifacts_total > used.artifacts.size())
    out.push_back("it left: and " + std::to_string(used.artifacts_total - used.artifacts.size()) +
                  " more (--json lists the first " + std::to_string(RunEvidence::kMaxArtifacts) +
                  " only)");
  return out;
}

}  // namespace ethos::verify
