// SPDX-License-Identifier: Apache-2.0
#include "verify/glossary.h"

#include <algorithm>
#include <array>
#include <iomanip>
#include <string>

namespace ethos::verify {
namespace {

struct Entry {
  std::string_view word;
  std::string_view meaning;
};

// clang-format off
constexpr auto kEntries = std::to_array<Entry>({
    // Answers
    {"VERIFIED", "everything that was asked for was checked and holds (exit status 0)"},
    {"NOT VERIFIED", "something was changed, forged or does not fit (exit status 1)"},
    {"NOT AS STATED", "the evidence holds, and a statement about it (--assert, --sarif, --report) does not (exit status 1)"},
    {"UNVERIFIABLE", "nothing wrong was found, and something that is needed could not be checked (exit status 3)"},
    {"PASS", "checked, and it holds"},
    {"FAIL", "it does not hold: something was changed or forged, or, of `statements`, is not as stated"},
    {"INCOMPLETE", "what is there is true, and something is missing; of runs without an end this may be nothing but that they still ran (exit status 4)"},
    {"UNKNOWN", "it could not be checked; the text says what was missing"},
    {"-", "nothing of the kind was there or was given, so nothing is said"},
    {"remark", "worth knowing, and no fault: it changes no answer"},
    {"empty", "of an assertion: no run was there to be judged, which is no pass"},
    {"partial", "of a SARIF file: all of it is the ledger's, and results that the ledger lists are not in it or are suppressed"},
    // Parts of a ledger
    {"record", "one entry of the ledger, with a number (`seq`) and the hash of the one before it"},
    {"checkpoint", "the signed statement of how many records there are and what the root of their tree is"},
    {"root", "one hash that stands for all records up to a checkpoint"},
    {"root key", "signs nothing but revocations of other keys; its public part is in the pin, so that a thief of a signing key cannot revoke"},
    {"pin", "what you trust: the ledger's name, hash of record 0 and root key, with a fingerprint over them"},
    {"fingerprint", "20 characters over what a pin says, short enough to be read out; `min` is not in it"},
    {"min", "part of a pin: a size and root that the ledger had at least"},
    {"memory", "your own file of the states that you found good (--memory)"},
    {"origin", "the name of the ledger; of a run: where its declaration came from"},
    {"genesis", "record 0, which names the first key"},
    {"epoch", "the records that one signing key signs; the next one begins with a key.epoch record"},
    {"age", "a key was replaced because it was older than seven days"},
    {"count", "a key was replaced because it had signed so many records"},
    {"command", "a key was replaced on command; of a run: the words that were started"},
    {"serve", "a key was replaced because the ledger's service started"},
    {"revoked", "a key was replaced because the root key revoked the one before"},
    {"handover", "the checkpoint at which the old key and the new one both sign"},
    {"seal", "the last record of a ledger that was ended; nothing may follow it"},
    {"hold", "an order that nothing may be erased or dropped, until it is released"},
    {"prune", "old runs were dropped by an order that is a record itself; their hashes stay"},
    {"erased", "a committed value that was deleted, as a data.erase record says"},
    {"withheld", "a committed value that is not here, as the format allows: it was left out of the bundle, or never kept"},
    {"disclosed", "the bytes of a committed value are here, and are the right ones"},
    {"committed value", "one of which the record holds a salted hash; the bytes travel beside it, or do not"},
    {"bundle", "a tar archive of records, checkpoint, proofs and values, made by `ethos-ledger bundle`"},
    {"manifest", "manifest.json of a bundle: what was put in. Nobody signs it"},
    {"tiles", "the ledger as a directory of files (C2SP tlog-tiles)"},
    {"blob", "a text that a record names by its digest: a ceiling, or a filter's program"},
    {"witness", "somebody else who saw a checkpoint and signed it too (a cosignature)"},
    {"time stamp", "a token of an authority that says when it saw a checkpoint (RFC 3161)"},
    {"fixed basics", "HOME=/tmp/home, LANG=C.UTF-8, PATH=/usr/bin:/bin, TMPDIR=/tmp, which every run has"},
    {"steady clock", "counts on from the start of the host, and nobody can set it"},
    {"by a clock that was set before", "before this run began the host's clock was set while records were made, as a ledger.resume record says: its date is as good as that"},
    // Runs
    {"runner", "ethos-run, the process that built the cage, watched the tool and wrote the run's records"},
    {"opened", "a run that is recorded to have begun, and no more"},
    {"refused", "a run that was not started, or an act or limit that was turned down"},
    {"running", "a run without an end here: it still ran, was killed, or its newest records are missing"},
    {"closed", "a run with an end of its own"},
    {"aborted", "a run whose runner (ethos-run) was gone; recovery ended it later, and what it did last may be unrecorded"},
    {"supervisor_gone", "why a run was aborted: its runner (ethos-run) was gone, by a crash, a kill or a power cut"},
    {"recovery", "ends runs whose runner is gone: `ethos-ledger recover`, or the next writer"},
    {"tool", "the program that is run; of an end: it ended by itself"},
    {"wall", "it was ended because its time was over"},
    {"interrupted", "it was ended by a signal to the runner"},
    {"staged", "what is written goes into a layer in memory, and is brought out at the end as the grant allows"},
    {"scratch", "a /tmp of the run's own, in memory, gone at its end"},
    {"base runtime", "the system's programs and libraries, which every run can read and start"},
    {"weaker than asked for first", "a limit that a cgroup can hold for all processes together was held by another means, because the host gave none"},
    {"catalog", "the declaration was one that ships with ethos"},
    {"workspace", "the directory that the tool worked on; of a declaration: the developers' own file in it"},
    {"revision", "the declaration was that of a commit"},
    {"pinned", "the declaration was given by its digest"},
    {"options", "the declaration was given on the command line"},
    {"learn", "the declaration was made up by `ethos-run learn` for one look at a tool, or to try a proposal: nobody wrote it, the widest may be all that the ceilings allow, and what the tool wrote was thrown away"},
    {"lint-offline", "profile: reads the workspace, writes what is declared, starts programs of the system"},
    {"build-offline", "profile: also starts programs of the workspace and of its scratch space, with larger limits"},
    {"no-proc", "profile: as lint-offline, without /proc"},
    {"observe", "which refused acts leave a record: `off` none, `writes` all but opens for reading, `all` those too"},
    {"off", "observe: what is refused leaves no record"},
    {"writes", "observe: refused opens for reading leave no record, other refusals do"},
    {"all", "observe: refused opens for reading leave a record too"},
    {"none", "network: not even loopback; git: an empty .git; of a verdict: nothing is said"},
    {"loopback", "network: a loopback of the run's own, which reaches nobody else"},
    {"read", "git: the repository could be read without its configuration and hooks"},
    {"system", "a path of the system (/usr and the like)"},
    {"host", "a path of the host outside of workspace and system"},
    // Who holds a limit, and who sees
    {"cgroup", "the kernel holds the limit, for all processes of the run together: the strongest means"},
    {"rlimit", "the kernel holds the limit, for each process alone"},
    {"tmpfs", "the size of a file system in memory holds the limit"},
    {"supervisor", "ethos-run looks again and again, and ends the run: the weakest means; as a source: ethos-run"},
    {"cgroup_events", "live source: what the kernel says of the run's cgroup (limits)"},
    {"landlock_audit", "live source: the kernel's own audit of what Landlock refused"},
    {"output_counter", "live source: counts bytes of output"},
    {"pidfd", "live source: tells when the tool ends"},
    {"seccomp_notify", "live source: asks ethos-run about each call that the filter hands over"},
    {"timer", "live source: the time that a run may take"},
    {"plan", "source of a denial: it was refused before anything was built"},
    {"launcher", "source of a denial: it failed while the cage was built"},
    {"seccomp", "source of a denial: the filter of system calls and ethos-run"},
    {"commit", "source or phase of a denial: what the tool wrote was not brought out"},
    {"setup", "phase of a denial: before the tool started"},
    {"run", "phase of a denial: while the tool ran"},
    {"K", "mark: the kernel's word"},
    {"S", "mark: a measurement of ethos-run"},
    {"A", "mark: read from the tool's memory, which may have changed in between"},
    {"P", "mark: shown by a trial or the state of things"},
    {"denied", "the act was refused"},
    {"attempt", "the act was seen, and whether it was refused is not known"},
    // Rules of denials
    {"outside-grants", "rule: the place was not granted"},
    {"hidden", "rule: the place was hidden"},
    {"no-network", "rule: no network was granted"},
    {"git", "rule: the repository was not granted"},
    {"conflict", "rule: what was declared cannot be granted together"},
    {"ceiling", "rule: more was declared than a ceiling allows"},
    {"syscall", "rule: the call is not among those that a tool may make"},
    {"arch", "rule: a call of another processor architecture"},
    {"quota", "rule: more than may be brought out"},
    {"permission", "rule: the tool's ids, or the cage itself, may not"},
    {"limit", "a bound on what a run may use; as a rule or an end: one was reached or cannot be held"},
    // Gaps
    {"gap", "something was seen, or may have happened, and is not recorded one by one"},
    {"flood", "gap: more denials than there was room for"},
    {"target_gone", "gap: the process was gone before its call was read"},
    {"unreadable", "gap: the call's arguments could not be read"},
    {"source_lost", "gap: a source of denials stopped"},
    {"mask_lost", "gap: a hidden file was replaced on the host, which ended the run"},
    {"programs", "gap: programs were started that are not in the list"},
    {"audit_lost", "gap: the kernel's audit lost messages"},
    {"audit_cut", "gap: a message of the kernel's audit was cut off"},
    {"artifact_unread", "gap: a file that came out, or the program, could not be read for its digest"},
    {"not_hidden", "gap: something came to match a hide pattern while the tool ran, and was not hidden"},
    // Limits
    {"wall_ms", "limit: milliseconds that a run may take"},
    {"memory_bytes", "limit: memory; of each process where an rlimit holds it"},
    {"swap_bytes", "limit: swap"},
    {"cpu_percent", "limit: share of processors, 100 for one"},
    {"io_read_bps", "limit: bytes a second read from each disk"},
    {"io_write_bps", "limit: bytes a second written to each disk"},
    {"pids", "limit: processes and threads"},
    {"output_bytes", "limit: bytes of output"},
    {"file_bytes", "limit: size of one file that is written"},
    {"open_files", "limit: descriptors of one process"},
    {"scratch_bytes", "limit: scratch space"},
    {"staged_bytes", "limit: what may be written before it is brought out"},
    {"inodes", "limit: number of files in scratch and staged space"},
    {"killed", "a limit was reached, and something was ended"},
    {"throttled", "a limit was reached, and the run was slowed"},
    {"truncated", "a limit was reached, and the rest was thrown away"},
    // Files
    {"created", "a file or directory that was not there came out of the run"},
    {"replaced", "a file of before has other contents"},
    {"deleted", "a file of before was removed"},
    // Kinds of committed values
    {"argv", "kind: the command line"},
    {"argc", "of run.open: the number of words of the command line; that is known also where `argv` is withheld"},
    {"execs", "kind: programs that were started, with how often"},
    {"output", "kind: what the tool printed; kept only when the run was told to"},
    {"source", "kind: the declaration's bytes; of a denial: who saw it"},
    {"normal", "kind: the tool's declaration with all defaults"},
    {"facts", "kind: what the host was found to be before the run"},
    {"mounts", "kind: the table of mounts that the kernel showed inside the cage"},
    {"list", "kind: a list that is too long for a record"},
    {"sarif", "kind: the list of the results in a SARIF file"},
    {"path", "kind: a path that may name a person"},
    {"actor", "kind: on whose behalf it was run"},
    {"task", "kind: which task it was run for"},
    {"decision", "kind: what a policy engine answered before the run"},
    // Capabilities
    {"fs.read", "grant: reading of a path and what is below"},
    {"fs.write", "grant: writing there; `delete`: deleting what was there before"},
    {"fs.exec", "grant: starting programs there"},
    {"exec.memory", "grant: running code that lies in no file"},
    {"exec.scratch", "grant: starting programs in scratch space"},
    {"fs.hide", "what is hidden in all that is granted"},
    {"network", "grant: `none` or `loopback`"},
    {"env", "grant: variables that are passed on, or have a fixed value"},
    // Types of records
    {"ledger.genesis", "record 0"},
    {"ledger.resume", "the host's clock was set, or the host was started anew"},
    {"ledger.hold", "nothing may be erased or dropped from here on"},
    {"ledger.release", "the end of a hold"},
    {"ledger.seal", "the end of the ledger"},
    {"ledger.anchor", "a time stamp of an authority"},
    {"ledger.prune", "an order to drop records of old runs"},
    {"key.epoch", "names the next signing key"},
    {"key.revoke", "takes a signing key back, signed by the root key"},
    {"data.erase", "committed values were erased"},
    {"run.open", "a run begins: who, what, by which declaration"},
    {"capability.grant", "one thing that a run was granted"},
    {"sandbox.enforced", "what the kernel showed of the cage before the tool started"},
    {"runtime.sandbox_denial", "an act that was refused"},
    {"resource.limit", "a limit that was reached"},
    {"output.captured", "how much a stream held"},
    {"artifact.exported", "a file that a run brought out"},
    {"sarif.written", "the SARIF file that was written of a run"},
    {"run.gap", "something is not recorded one by one"},
    {"run.close", "a run's own end"},
    {"run.abort", "a run's end by recovery"},
});
// clang-format on

}  // namespace

std::string_view meaning_of(std::string_view word) {
  const auto at = std::find_if(kEntries.begin(), kEntries.end(), [&](const Entry& entry) { return entry.word == word; });
  if (at != kEntries.end()) return at->meaning;
  // `pass` for PASS.
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  const auto same = [&](const Entry& entry) {
    return std::equal(word.begin(), word.end(), entry.word.begin(), entry.word.end(), [&](char a, char b) { return lower(a) == lower(b); });
  };
  const auto other = std::find_if(kEntries.begin(), kEntries.end(), same);
  return other == kEntries.end() ? std::string_view() : other->meaning;
}

void list_words(std::ostream& out) {
  for (const Entry& entry : kEntries) out << std::left << std::setw(23) << entry.word << " " << entry.meaning << "\n";
}

}  // namespace ethos::verify
