// SPDX-License-Identifier: Apache-2.0
#include "verify/transcript.h"

#include <unistd.h>

#include "verify/build_version.h"
#include "verify/encoding.h"
#include "verify/report_text.h"
#include "verify/times.h"

namespace ethos::verify {
namespace {

std::string quoted(const std::string& argument) {
  const bool plain = !argument.empty() && argument.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@") == std::string::npos;
  if (plain) return argument;
  std::string out = "'";
  for (const char c : printable(argument, 4000)) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

void write_problems(std::ostream& out, const Findings& findings) {
  out << "\n== Problems, " << findings.total() << " in all\n";
  for (const Problem& problem : findings.kept()) {
    const CodeInfo& info = code_info(problem.code);
    out << "\n" << info.name << "  (" << verdict_name(info.verdict) << ", " << severity_name(info.severity) << ")\n";
    if (problem.seq >= 0) out << "  record    " << problem.seq << "\n";
    if (problem.offset >= 0) out << "  byte      " << problem.offset << "\n";
    if (!problem.run.empty()) out << "  run       " << problem.run << "\n";
    out << "  what      " << problem.text << "\n";
    if (!problem.expected.empty()) out << "  expected  " << printable(problem.expected, 4000) << "\n";
    if (!problem.found.empty()) out << "  found     " << printable(problem.found, 4000) << "\n";
    out << "  means     " << info.meaning << "\n  because   " << info.cause << "\n";
  }
}

void write_known(std::ostream& out, const std::vector<KnownState>& known, const Zone& zone) {
  constexpr const char* kFrom[] = {"pin", "memory", "report"};
  constexpr const char* kAnswers[] = {"held", "behind", "DIFFERS", "not compared", "later than asked for", "DAMAGED: its signature or sum is wrong"};
  if (known.empty()) return;
  out << "\n== States held already\n";
  for (const KnownState& state : known) {
    out << "  " << kFrom[static_cast<std::size_t>(state.from)] << "  size " << state.size << "  root " << state.root.base64();
    if (state.at_ms > 0) out << "  seen " << zoned_text(state.at_ms, zone);
    out << "  " << kAnswers[static_cast<std::size_t>(state.answer)] << "\n";
  }
}

}  // namespace

bool write_transcript(std::ostream& out, const SessionOptions& options, const AuditReport& report,
                      const ReportContext& context, Spool& runs) {
  out << "Transcript of a verification by ethos-verify " << kBuildVersion << "\n  at        " << zoned_text(options.now_ms, context.zone) << " (this host's clock)\n  command   ethos-verify";
  for (const std::string& argument : options.arguments) out << " " << quoted(argument);
  out << "\n  exit      " << context.exit << "\n";
  for (const NamedDigest& file : context.digests) {
    out << "  " << file.what << std::string(file.what.size() < 10 ? 10 - file.what.size() : 1, ' ') << printable(file.name, 1000) << "  sha256 " << file.sha256 << "\n";
  }
  out << "\n== Answer\n\n";
  const bool complete = write_text(out, report, context, runs);
  write_problems(out, report.findings);
  write_known(out, report.known, context.zone);
  // Two notes that contradict each other convict by themselves: whoever has both needs nothing else.
  for (const KnownState& state : report.known) {
    if (state.answer == KnownState::Answer::differs && state.is_signed) out << "\n== The checkpoint that was seen before\n\n" << state.note;
  }
  if (!report.checkpoint_note.empty()) out << "\n== The checkpoint, as signed\n\n" << report.checkpoint_note;
  out << "\n== What this does not show\n\n"
         "Acts that no source observed; that the kernel told the truth; what was recorded after this checkpoint; whether whoever\n"
         "holds the current key recorded runs that never were. Times are the host's own unless the verdict `time` says otherwise.\n";
  return complete && out.good();
}

}  // namespace ethos::verify
