// SPDX-License-Identifier: Apache-2.0
#include "reports/acts.h"
#include "reports/limit_forms.h"
#include "reports/words.h"

namespace ethos::reports {

const std::vector<Term>& glossary() {
  static const std::vector<Term> terms = {
      {"Aborted",
       "a run whose ethos-run disappeared (killed, power lost); recovery wrote its end later. How "
       "it ended is not known."},
      {"Acts / Records",
       "equal acts of one run are joined into one record with a count. Acts is the sum of these "
       "counts."},
      {"Approval / Decision",
       "what a control plane said before the run, bound to the run by its first record."},
      {"Attempt",
       "an act that was reported and then left to the kernel to decide; the answer was not seen."},
      {"Base runtime",
       "what each cage has without a record of its own: /usr to read and to start programs from, "
       "/dev, a made /etc."},
      {"Bundle", "one file with a whole ledger or a part of it, to be checked without the ledger."},
      {"Cage",
       "what ethos-run builds around a tool from namespaces, a system call filter and limits. It "
       "stood means that ethos-run read it back from the kernel and recorded what it got, before "
       "the tool was released."},
      {"Capability",
       "two things. In this report: one kind of thing that a tool may get (a capability.grant "
       "record). Of the kernel: a part of root's power (CAP_...); a cage has none of these."},
      {"Catalog", "declarations of usual tools that are installed with ethos-run."},
      {"Ceiling",
       "the most that a declaration of an origin may ask for; a start that asks for more is "
       "refused. Which ones there were: Strength of enforcement."},
      {"Cgroup / rlimit / tmpfs",
       "by what the kernel holds a limit: for the whole cage together; for each process by itself; "
       "by the size of a file system in memory."},
      {"Checkpoint",
       "the signed statement of size and root hash of the ledger that this report covers, no "
       "record more."},
      {"Commitment",
       "a salted hash that stands in a record in place of a value, so that the value can be shown "
       "or withheld later."},
      {"Control plane", "a service of yours that allows or refuses runs before they start."},
      {"Cosignature / Witness",
       "an outside party's signature under a checkpoint: it saw this state, and none that "
       "contradicts it."},
      {"Days",
       "local calendar days of the zone named on top; a day on which the clock changes has 23 or "
       "25 hours."},
      {"Declaration", "the document that says what a tool may get; its origin is where it lay."},
      {"Denial",
       "an act that was refused while the tool ran or its results were taken out. Refused to start "
       "is told apart."},
      {"Digest / SHA-256",
       "a number that bytes give and that no other known bytes give; printed in 64 hex digits."},
      {"Drift", "grants of a tool that differ from those it had before."},
      {"Env", "the grant of environment variables, by name; env none: not one of the caller's."},
      {"Errno",
       "the number by which the kernel says why a call failed. EPERM, EACCES: it was refused, also "
       "because the content is hidden. ENOENT in a denial: the host has it, and the tool was told "
       "that "
       "there is nothing of that name. What nobody has is no denial."},
      {"Exception",
       "an event of one of the kinds that the section Exceptions names: not confirmed, not ended, "
       "lost, refused, or at a limit. Other deviations are not among them, and that section says "
       "where they are. An exit of a tool other than 0 is none: what it means, the tool says."},
      {"Export", "a file that was brought out of a run's staged write grant when the run ended."},
      {"Fs.read / fs.write / fs.exec / fs.hide",
       "grants about files, as records name them: to read, to write, to start programs from a "
       "place, and which content is hidden below a read grant."},
      {"Gap", "acts that were counted and have no record of their own."},
      {"Genesis", "record 0, with which a ledger begins: it names the ledger and its first keys."},
      {"Git rule",
       "how a repository's Git data is kept from a tool: `git none` masks .git in every directory, "
       "read gives it for reading."},
      {"Grant",
       "a capability a run got, recorded before the tool started. In force means that the cage "
       "stood (sandbox.enforced)."},
      {"Held / Reached / Met or near",
       "a limit is held in a run that had it in force. Met means that a record says so, near that "
       "a look saw the run close to it; then a refusal is presumed and not seen. Whether "
       "each refusal leaves a record depends on what holds the limit (Limits in force)."},
      {"Hidden",
       "content that was kept from the tool (EACCES), of files below a read grant whose names fit "
       "a "
       "pattern. Not the names: a tool may see that such a file is there."},
      {"Interpreter",
       "a program that does what a script or its arguments say: a shell, Python. Its digest does "
       "not tell what it was told to do. By its name, so never certain."},
      {"Kernel audit / Landlock",
       "the kernel's rules for files and its own report of what they refused, where the host has "
       "one."},
      {"Key epoch / Epoch",
       "the records whose checkpoints one signing key may sign; counted from 0."},
      {"Layer",
       "what a tool wrote under a staged grant, in memory, before any of it is brought out."},
      {"Legal hold", "an order that keeps records from being dropped."},
      {"Limit of time / wall_ms",
       "the longest that a run may take by the clock, from its release."},
      {"Mark",
       "how the object of a denial is known: K from the kernel, S measured by the supervisor, A "
       "read from the tool's memory, P a probe."},
      {"Namespaces",
       "the kernel's separate views of files, processes and network that a cage is made of."},
      {"Notified call",
       "a system call that the kernel holds until the supervisor has answered; so is it known."},
      {"Observation",
       "which calls were notified: all, those that write, or none (off). What is not observed is "
       "still refused."},
      {"Openat / openat2", "the calls by which a program opens a file, to read or to write it."},
      {"Origin", "the name of a ledger, never used twice; of a declaration, where it lay."},
      {"Outcome", "denied: refused; attempt: left to the kernel."},
      {"Peak / Highest seen",
       "the largest figure of a run: of memory the kernel's for the largest process at its end (or "
       "of the whole cage, by a cgroup), of processes the largest at a look."},
      {"Phase",
       "setup: before the tool started; run: while it ran; commit: while its results were taken "
       "out."},
      {"pidfd", "the kernel's handle by which the supervisor learns that the tool has ended."},
      {"Pin",
       "what the auditor holds from another way: the ledger's name, first record and root key."},
      {"Population", "all runs of the period, fixed by a digest before a sample is drawn."},
      {"Presumed", "concluded from figures that were seen; the act itself was not seen."},
      {"Profile",
       "a named set of what a kind of tool gets and of its limits, on which a declaration builds "
       "(Strength of enforcement)."},
      {"Program start",
       "a call (execve) that starts a program's file. The tool's own start is one of them; a "
       "process that only makes a copy of itself (fork) starts no program, so there may be many "
       "processes and one start."},
      {"Prune / Dropped", "old records were removed for retention; their hashes are still there."},
      {"Record number and leaf hash",
       "#seq is the record's place in the ledger; the 16 hex digits are the start of its RFC 6962 "
       "leaf hash."},
      {"Redaction", "values withheld from this report by a policy, counted."},
      {"Refused by", refusers_text()},
      {"Release",
       "the moment at which the tool was let go, after its cage stood and was recorded. From it "
       "time is counted (Ran for)."},
      {"Revision",
       "the commit that the workspace's Git data named when the run was opened. Whether the files "
       "differed from it is not recorded."},
      {"RLIMIT_NPROC / RLIMIT_DATA",
       "rlimits of the number of processes (of the run's own user) and of a process's memory."},
      {"Root", "one hash over all records that a checkpoint covers."},
      {"Rule", "the reason why an act was refused, in one word."},
      {"Run",
       "one start of one tool under ethos-run, from run.open to run.close. It belongs to the "
       "period in which it was opened."},
      {"SARIF", "the file format of a tool's findings (OASIS SARIF 2.1.0), written after the run."},
      {"Scratch", "memory for a run's own temporary files, gone when it ends."},
      {"Seal", "a record that ends a ledger for good."},
      {"Seccomp / system call sensor",
       "the kernel's filter for calls of a program; the sensor is told of calls that it refuses."},
      {"Seed", "a text of the auditor's from which the sample follows."},
      {"Sensor", "what saw acts while a tool ran; a sensor that was not live saw nothing."},
      {"Staged",
       "written to a place of the run's own and brought out only when the tool ended by "
       "itself."},
      {"State of evidence",
       "shown: by the kernel (a call of which it told, a counter, what was read back of a cage) or "
       "by a measurement (a digest, what the verifier computed); of an attempt that was refused, "
       "this shows the attempt and the refusal, and no breach. Recorded: ethos-run or the ledger's "
       "owner wrote it down, and nothing else says so. In part: some of either, and what is "
       "missing "
       "is named. No such "
       "event recorded: an event of that kind would have left a record, and there is none. Absent "
       "or not recorded: a safeguard that was not taken, or something that these records do not "
       "hold. Contradicted: the verifier does not confirm it."},
      {"Status of ethos-run / Exit of the tool",
       "two numbers. ethos-run ends with the tool's own exit unless: 120 refused before the start, "
       "121 ended at a limit, 122 output was not brought out, or acts were denied, or counted "
       "without a record, and whoever "
       "started ethos-run had asked for it (--fail-on-denial), 124 ended at the limit of time, 125 "
       "ethos-run failed, 126 not "
       "executable, 127 not found, above 128 a signal."},
      {"Straddling run",
       "a run that was opened in one period and ended in another. It is counted once, where it was "
       "opened."},
      {"Supervisor",
       "the part of ethos-run that watches the cage from outside. It answers notified calls, looks "
       "at memory and processes, and ends runs; single requests beyond a limit are refused by the "
       "kernel."},
      {"System directories",
       "system: before a path means the host's own directories (/usr, /etc, /opt and the like), "
       "workspace: the tree that the tool worked on, host: elsewhere."},
      {"Tie-out",
       "a table in which each record stands in exactly one place, so that sums can be "
       "checked."},
      {"Time stamp / Anchor",
       "an authority's signed statement that a state of the ledger existed by a certain time."},
      {"Tree", "the Merkle tree (RFC 6962) over all records, whose top is the root."},
      {"Unused",
       "use that takes effect would have left a record, and there is none: nothing came out of a "
       "write grant. What was written in the run's own layer and never came out is not told."},
      {"Use is not recorded",
       "this kind of use leaves no record; neither use nor its absence is claimed."},
      {"Used", "a record shows use: a file that was exported from a write grant, a program start."},
      {"Verdict",
       "the verifier's answer to one of eight questions: holds, fails, incomplete (true, and "
       "something is missing), or not checked, which affirms nothing."},
      {"Waiver", "an accepted deviation with owner and last day."},
      {"Weaker form", weaker_meaning()},
      {"Workspace", "the directory of the project that the run was started for."},
      {"Zone / tzdata", "the calendar by which days are told, and the version of its data."},
  };
  return terms;
}

}  // namespace ethos::reports
