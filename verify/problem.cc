// SPDX-License-Identifier: Apache-2.0
#include "verify/problem.h"

#include <algorithm>
#include <cassert>

namespace ethos::verify {
namespace {

using V = VerdictName;
using S = Severity;

// In the order of the enumeration; the test walks it.
constexpr std::array<CodeInfo, kCodes> kTable{{
    {Code::not_canonical, "not_canonical", V::integrity, S::fail,
     "a record's bytes are not in the one form that records have",
     "the bytes were changed after they were written; the writer never stores another form"},
    {Code::too_long, "too_long", V::integrity, S::fail, "a record is longer than 16,384 bytes",
     "the bytes were not written by this product"},
    {Code::envelope, "envelope", V::integrity, S::fail,
     "the outer keys of a record are not exactly those of the format",
     "the record was edited or made by hand"},
    {Code::unknown_type, "unknown_type", V::integrity, S::unknown,
     "a record has a type that this verifier does not know",
     "a newer product wrote it: use the verifier of that version. Nothing is said about the ledger"},
    {Code::unknown_version, "unknown_version", V::integrity, S::unknown,
     "the ledger, a record or its genesis names a format version that this verifier does not know",
     "a newer product wrote it: use the verifier of that version"},
    {Code::seq_gap, "seq_gap", V::integrity, S::fail,
     "record numbers do not run 0, 1, 2, ... without a hole",
     "a record was removed, added, repeated or moved"},
    {Code::prev_mismatch, "prev_mismatch", V::integrity, S::fail,
     "a record does not name the hash of the record before it",
     "the record before it was changed, or one was put between or taken out"},
    {Code::stored_hash_mismatch, "stored_hash_mismatch", V::integrity, S::fail,
     "the stored hash of a record is not the hash of its bytes",
     "the bytes or the hash were changed in the file; someone with write access did this"},
    {Code::wrong_origin, "wrong_origin", V::integrity, S::fail,
     "a record or checkpoint belongs to another ledger", "it was copied here from another ledger"},
    {Code::root_mismatch, "root_mismatch", V::integrity, S::fail,
     "a signed root is not the root of the records",
     "records up to that size are not the ones that were signed"},
    {Code::genesis, "genesis", V::integrity, S::fail,
     "record 0 is not a genesis record, or another record is one",
     "the beginning of the ledger was cut off, replaced or repeated"},
    {Code::note_malformed, "note_malformed", V::signatures, S::fail,
     "a checkpoint or revocation is not a well-formed signed note", "its bytes were changed"},
    {Code::bad_signature, "bad_signature", V::signatures, S::fail,
     "a signature by a known key is wrong",
     "the signed text or the signature was changed, or it was signed by someone without the key"},
    {Code::unknown_key, "unknown_key", V::signatures, S::fail,
     "a checkpoint bears no signature by the key of its epoch",
     "it was signed by a key that this ledger never named"},
    {Code::epoch_violation, "epoch_violation", V::signatures, S::fail,
     "a key signed a size that is not its own, or a key record breaks the rules",
     "someone used an old or a later key outside its time: a stolen retired key does this"},
    {Code::missing_handover, "missing_handover", V::signatures, S::fail,
     "the checkpoint at a change of keys does not bear both signatures",
     "the new key was not named by the holder of the old one"},
    {Code::revoked_key, "revoked_key", V::signatures, S::remark,
     "part of the history is signed only by a key that was revoked later",
     "the key was revoked with an earlier last trusted size; the later key alone vouches for that part"},
    {Code::checkpoint_missing, "checkpoint_missing", V::signatures, S::fail,
     "a checkpoint that must be there is missing", "it was deleted from the file"},
    {Code::tail_unsigned, "tail_unsigned", V::signatures, S::fail,
     "records stand after the last signed checkpoint, or a checkpoint covers more records than there are",
     "records were added without the key, or the newest ones were cut off"},
    {Code::pin_origin, "pin_origin", V::trust, S::fail, "the ledger has another origin than the pin",
     "this is not the ledger that you pinned: is this the right pin, and is this the right ledger?"},
    {Code::pin_genesis, "pin_genesis", V::trust, S::fail,
     "record 0 or the root key is not the pinned one",
     "the whole ledger was made anew under the same name"},
    {Code::pin_root, "pin_root", V::trust, S::fail,
     "the ledger's history differs from the one the pin remembers",
     "history was rewritten by someone with the signing key, or the ledger was forked"},
    {Code::behind_pin, "behind_pin", V::completeness, S::incomplete,
     "the ledger has fewer records than the pin remembers", "the ledger was cut, or this is an old copy"},
    {Code::fork, "fork", V::trust, S::fail,
     "two validly signed checkpoints of one ledger contradict each other",
     "the holder of the key showed two histories; the two texts convict by themselves"},
    {Code::schema, "schema", V::integrity, S::fail,
     "the database does not hold exactly the tables of the format",
     "a view, trigger, index or table was added or changed, which could show other rows"},
    {Code::integrity_check, "integrity_check", V::integrity, S::fail,
     "the database file is damaged", "bytes of the file were changed outside SQLite, or the disk failed"},
    {Code::typeof_, "typeof", V::integrity, S::fail, "a column holds a value of another type",
     "the row was written by something other than this product"},
    {Code::tail_row, "tail_row", V::integrity, S::fail,
     "the writer's own summary of the tree does not fit the records",
     "the table `tail` was changed, or the file was put together from two states"},
    {Code::sibling_journal, "sibling_journal", V::integrity, S::fail,
     "a rollback journal lies beside the database",
     "this product never leaves one; opening the ledger with other programs would undo records"},
    {Code::log_tail, "log_tail", V::completeness, S::incomplete,
     "the write-ahead log holds bytes after its last valid commit",
     "a commit was interrupted (power cut, kill), or the log was damaged and its newest commits are lost"},
    {Code::behind_highwater, "behind_highwater", V::completeness, S::incomplete,
     "the file beside the ledger remembers a later signed checkpoint than the ledger holds",
     "the newest records were cut off, or an old copy was put back"},
    {Code::run_seq_gap, "run_seq_gap", V::integrity, S::fail,
     "the records of a run are not numbered without a hole", "a record of that run was removed or added"},
    {Code::run_prev_mismatch, "run_prev_mismatch", V::integrity, S::fail,
     "a record does not name the hash of its run's previous record",
     "a record of that run was removed, changed or moved"},
    {Code::run_order, "run_order", V::policy, S::fail,
     "a record stands where the order of a run does not allow it",
     "the writer misbehaved, or records were made by hand with the key"},
    {Code::run_count, "run_count", V::policy, S::fail,
     "run.close states another number of records than the run has",
     "the writer misbehaved, or records were made by hand with the key"},
    {Code::body_key, "body_key", V::integrity, S::fail,
     "a record's body has a key too many or too few for its type",
     "the record was made by hand, or by another version of the product than this verifier knows"},
    {Code::body_type, "body_type", V::integrity, S::fail,
     "a value in a record's body has another form than its type asks for",
     "the record was made by hand, or by another version of the product than this verifier knows"},
    {Code::erase_unknown, "erase_unknown", V::integrity, S::fail,
     "a data.erase record names a value that no earlier record holds", "the record was made by hand"},
    {Code::disclosure_mismatch, "disclosure_mismatch", V::disclosure, S::fail,
     "a disclosed value is not the one that was committed to", "the disclosed bytes were changed"},
    {Code::disclosure_missing, "disclosure_missing", V::disclosure, S::incomplete,
     "a committed value of a kind that must be here is neither disclosed nor recorded as erased",
     "the bytes were deleted without the record that erasing leaves; in a bundle its manifest, which nobody signs, says which kinds must be here"},
    {Code::disclosure_orphan, "disclosure_orphan", V::disclosure, S::remark,
     "a disclosed value belongs to no record", "it proves nothing and was not used"},
    {Code::blob_missing, "blob_missing", V::disclosure, S::incomplete,
     "a text that a record names by digest is not there", "it was deleted from the file"},
    {Code::blob_mismatch, "blob_mismatch", V::disclosure, S::fail,
     "a text does not have the digest it is stored under", "its bytes were changed"},
    {Code::blob_orphan, "blob_orphan", V::disclosure, S::remark,
     "a text belongs to no record", "it proves nothing and was not used"},
    {Code::declaration_malformed, "declaration_malformed", V::policy, S::fail,
     "the committed declaration cannot be read, yet a run was made from it",
     "the writer accepted what the format refuses"},
    {Code::normal_mismatch, "normal_mismatch", V::policy, S::fail,
     "the run's rules do not follow from its declaration",
     "the writer widened or changed what was declared"},
    {Code::grant_mismatch, "grant_mismatch", V::policy, S::fail,
     "the grants recorded are not those that the rules give",
     "the tool was granted something else than its declaration and ceilings allow"},
    {Code::plan_mismatch, "plan_mismatch", V::policy, S::fail,
     "the plan is not the one that the grants give", "the cage was planned wider or otherwise than granted"},
    {Code::enforced_mismatch, "enforced_mismatch", V::policy, S::fail,
     "what the kernel showed of the cage is not what the plan asked for",
     "the cage in force was another or a weaker one"},
    {Code::probe_unexpected, "probe_unexpected", V::policy, S::fail,
     "an act that had to fail inside the cage did not fail as it should", "a wall of the cage was not there"},
    {Code::weaker_unnamed, "weaker_unnamed", V::policy, S::fail,
     "a limit was held by a weaker means and the record does not say so", "the writer hid a weakness"},
    {Code::filter_allows, "filter_allows", V::policy, S::fail,
     "the system call filter lets something through that it must stop",
     "the filter given to the kernel was too wide"},
    {Code::counts_mismatch, "counts_mismatch", V::policy, S::fail,
     "the figures of a closing record do not fit the run's records or each other",
     "something was left out, or made by hand"},
    {Code::contradiction, "contradiction", V::policy, S::fail,
     "a record says two things that cannot both be true, or one that the run's other records rule out",
     "the writer misbehaved, or the record was made by hand with the key"},
    {Code::ceiling_exceeded, "ceiling_exceeded", V::policy, S::fail,
     "a run goes beyond a ceiling that was in force", "the ceiling was not applied"},
    {Code::not_recomputed, "not_recomputed", V::policy, S::unknown,
     "a run's grants could not be recomputed", "the documents it was decided from are withheld, erased or missing"},
    {Code::sarif_mismatch, "sarif_mismatch", V::statements, S::fail,
     "a SARIF file says something else than the ledger", "the file was changed, or is of another run"},
    {Code::sarif_partial, "sarif_partial", V::disclosure, S::incomplete,
     "a SARIF file lacks results that the ledger lists, or suppresses denials; what it holds is the ledger's",
     "the file was filtered, split or suppressed, or somebody left findings out"},
    {Code::period_empty, "period_empty", V::statements, S::unknown,
     "no run lies in the period asked for", "the period is another one, or its runs are not in this ledger"},
    {Code::run_open, "run_open", V::completeness, S::incomplete, "a run has no end",
     "it still runs, its runner was killed, or its newest records were cut off"},
    {Code::run_aborted, "run_aborted", V::completeness, S::remark,
     "a run was aborted: its runner (ethos-run) was gone, and recovery ended it without a run.close",
     "a crash or a kill, or a power cut where the host was started anew in between; what the run did last may be unrecorded"},
    {Code::unsealed, "unsealed", V::completeness, S::remark, "the ledger has no seal record",
     "more may have been recorded later"},
    {Code::after_seal, "after_seal", V::integrity, S::fail, "a record stands after the ledger's seal",
     "somebody went on writing with the key after the ledger was ended"},
    {Code::resume_missing, "resume_missing", V::time, S::fail,
     "the clock jumped between two records and no ledger.resume record says so",
     "the writer never leaves it out: the record was made by hand with the key, with times that somebody chose"},
    {Code::assertion_failed, "assertion_failed", V::statements, S::fail,
     "an assertion does not hold", "the record named is the counter-example"},
    {Code::assertion_unknown, "assertion_unknown", V::statements, S::unknown,
     "the records cannot say whether an assertion holds", "of the run named, acts were lost, not looked for, or cut off"},
    {Code::assertion_empty, "assertion_empty", V::statements, S::unknown,
     "an assertion had no run to judge", "no run fits the tool or the period asked for"},
    {Code::no_pin, "no_pin", V::trust, S::unknown,
     "no pin was given, so nobody vouches for the ledger's keys",
     "anyone can make a ledger whose own keys fit; give --pin with a pin from a source you trust"},
    {Code::no_records, "no_records", V::integrity, S::unknown, "the ledger holds no record",
     "it is empty or could not be read; nothing was checked"},
    {Code::bundle, "bundle", V::integrity, S::fail, "the bundle is not built as bundles are",
     "it was cut off or damaged on its way (fetch it again), changed, or made by something else; a second reader could see other contents in it"},
    {Code::bundle_missing, "bundle_missing", V::integrity, S::unknown,
     "the bundle lacks something that it must hold", "it was left out or taken out; ask for the bundle again"},
    {Code::proof_mismatch, "proof_mismatch", V::integrity, S::fail,
     "a proof does not lead from a record or an earlier checkpoint to the signed root",
     "the record, the proof or the checkpoint was changed, or is of another history"},
    {Code::state_not_compared, "state_not_compared", V::trust, S::unknown,
     "the state that the pin or the memory holds could not be compared with this evidence",
     "evidence of one run shows only its own checkpoint. Ask for it with `ethos-ledger bundle --run ID --since SIZE`, or for "
     "the whole ledger; or take the pin for its names alone with --no-min"},
    {Code::behind_memory, "behind_memory", V::completeness, S::incomplete,
     "the ledger has fewer records than you were shown before",
     "the newest records were cut off, or this is an older copy than the last one you checked"},
    {Code::memory_root, "memory_root", V::trust, S::fail,
     "the ledger's history differs from the one you were shown before",
     "history was rewritten by someone with the signing key, or you are shown another history than before; where both "
     "checkpoints are signed by keys of this ledger, the two convict by themselves"},
    {Code::tiles, "tiles", V::integrity, S::fail, "the directory of tiles is not what its checkpoint says",
     "a tile was changed, or comes from another state of the log"},
    {Code::tiles_missing, "tiles_missing", V::integrity, S::unknown,
     "the directory of tiles lacks a file that the tree of its checkpoint has",
     "it was not copied, or taken out; or the ledger was pruned: then the entries of what was dropped are in no directory "
     "of tiles, and a bundle of the ledger can be verified instead"},
    {Code::handover_unseen, "handover_unseen", V::signatures, S::unknown,
     "keys changed, and the checkpoint signed by both is not here",
     "a directory of tiles has it only as checkpoint.d/SIZE. Use a bundle, or a pin or memory of a state after the change"},
    {Code::proof_malformed, "proof_malformed", V::integrity, S::fail, "the proof is not a tlog-proof of one record",
     "its bytes were changed, or it was made by something else"},
    {Code::record_missing, "record_missing", V::integrity, S::unknown,
     "a record that the proof speaks of was not given", "give its exact bytes with --record"},
    {Code::key_not_listed, "key_not_listed", V::trust, S::unknown,
     "the last checkpoint is signed by a key that your policy does not list",
     "the ledger changed its key since the policy was written, or this is not the ledger that it speaks of"},
    {Code::quorum_unmet, "quorum_unmet", V::trust, S::unknown,
     "no checkpoint bears the cosignatures that your policy asks for",
     "the witnesses were not asked, did not answer, or refused because the history they know is another"},
    {Code::quorum_behind, "quorum_behind", V::completeness, S::incomplete,
     "the newest records are not under a checkpoint with the cosignatures that your policy asks for",
     "the witnesses have not been asked yet, or refused what came last"},
    {Code::bad_cosignature, "bad_cosignature", V::signatures, S::fail, "a cosignature by a witness you named is wrong",
     "the checkpoint or the cosignature was changed, or it was made without the witness's key"},
    {Code::report_mismatch, "report_mismatch", V::statements, S::fail, "a report says something else than the ledger",
     "the report was changed after it was made, or was made of other records"},
    {Code::report_unknown, "report_unknown", V::statements, S::unknown,
     "whether a report follows from this ledger cannot be told",
     "it was made of more records than are here, is redacted, or is of another version"},
    {Code::pruned, "pruned", V::statements, S::unknown,
     "records of the runs asked about were dropped, so what these did cannot be told any more",
     "somebody had old runs pruned; the record named says who and why. Ask about a period after it, or for an older bundle"},
    {Code::prune_mismatch, "prune_mismatch", V::integrity, S::fail,
     "records have no bytes, and the orders to drop records do not say so",
     "the bytes were deleted in the file, or another list of records was dropped than was recorded"},
    {Code::anchor_mismatch, "anchor_mismatch", V::time, S::fail,
     "a recorded time stamp is not one of the checkpoint that it names",
     "the token or the checkpoint was changed, or the record was made by hand"},
    {Code::hold_broken, "hold_broken", V::integrity, S::fail,
     "records were dropped or values erased under a hold, or holds do not begin and end as they must",
     "somebody with the key destroyed what was to be kept, or the record was made by hand"},
    {Code::memory_damaged, "memory_damaged", V::trust, S::unknown,
     "a state in your own --memory bears a signature that is not over what it says",
     "bytes of your file were changed or lost; it says nothing of the ledger. Take an older copy of the file, or leave the option out"},
    {Code::tool_unseen, "tool_unseen", V::statements, S::remark,
     "an assertion names a tool of which no run was judged", "the name is misspelt, or that tool did not run then"},
    {Code::clock_stepped, "clock_stepped", V::time, S::remark,
     "the host's clock was set forward or back while records were made, as ledger.resume records say",
     "a correction of the clock, a suspended host, or somebody who chose the times; the steady clock counts on through it"},
    {Code::run_unknown, "run_unknown", V::statements, S::unknown,
     "the run or record that was asked for is not in this evidence",
     "the id or number is another one, or what it names is not in this ledger, bundle or earlier state"},
    {Code::dated_back, "dated_back", V::time, S::remark,
     "runs began, by the host's clock, before records that came earlier in the ledger",
     "the clock had been set forward and was set back, or whoever holds the key added runs later and chose their dates: "
     "believe the order of the records, and ask from when somebody outside held them (--memory, --run)"},
    {Code::steady_back, "steady_back", V::time, S::remark,
     "the clock that nobody can set ran back by more than an hour within one start of the host",
     "a program was stopped for long before it wrote, it ran in a time namespace or in a machine restored from a snapshot, "
     "or somebody chose the times"},
    {Code::memory_time, "memory_time", V::time, S::remark,
     "a line of your own --memory has a time that cannot be: in the future, or before the records that it holds were made",
     "your clock or the host's was wrong, or somebody changed your file, whose times nothing protects: do not rest on it"},
    {Code::sarif_late, "sarif_late", V::statements, S::remark,
     "a record that names a run's SARIF file came after something that it should have come before, so that it may name another file",
     "a runner names it at once. It was stopped for long, or the key was changed or a pin made in that moment; or whoever holds the key "
     "wrote the record later, perhaps in the place of one that was dropped. With --sarif such a file is never said to be what was written"},
    {Code::behind_at, "behind_at", V::completeness, S::incomplete,
     "the evidence is older than the state that --at names",
     "the newest records were cut off, or this is an older copy than the one that the checkpoint is of"},
}};

constexpr bool in_order() {
  for (std::size_t i = 0; i < kTable.size(); ++i) {
    if (static_cast<std::size_t>(kTable[i].code) != i) return false;
  }
  return true;
}
static_assert(in_order(), "kTable follows the order of Code");

// What a failure says about others: where bytes were changed, all that follows from them is wrong.
int rank(VerdictName verdict) {
  switch (verdict) {
    case V::integrity: return 0;
    case V::signatures: return 1;
    case V::trust: return 2;
    case V::statements: return 4;  // says nothing of the evidence
    default: return 3;
  }
}

constexpr std::array<std::string_view, kVerdicts> kVerdictNames{
    "integrity", "signatures", "trust", "completeness", "freshness", "time", "disclosure", "policy", "statements"};

}  // namespace

const CodeInfo& code_info(Code code) { return kTable[static_cast<std::size_t>(code)]; }

const CodeInfo* find_code(std::string_view name) {
  for (const CodeInfo& info : kTable) {
    if (info.name == name) return &info;
  }
  return nullptr;
}

std::string_view verdict_name(VerdictName name) {
  return kVerdictNames[static_cast<std::size_t>(name)];
}

void Findings::weigh(const Problem& problem) {
  const int own = rank(code_info(problem.code).verdict);
  const int held = has_first_ ? rank(code_info(first_.code).verdict) : 0;
  // Statements are told in the order in which they were asked, as the verdict tells them.
  const bool earlier = own != rank(V::statements) && problem.seq >= 0 && (first_.seq < 0 || problem.seq < first_.seq);
  if (has_first_ && own >= held && !(own == held && earlier)) return;
  first_ = problem;
  has_first_ = true;
}

void Findings::add(Problem problem) {
  const CodeInfo& info = code_info(problem.code);
  ++counts_[static_cast<std::size_t>(problem.code)];
  ++total_;
  Severity& worst = worst_[static_cast<std::size_t>(info.verdict)];
  std::optional<Problem>& leading = leading_[static_cast<std::size_t>(info.verdict)];
  if (info.severity > worst || !leading) leading = problem;
  if (info.severity > worst) worst = info.severity;
  if (info.severity == Severity::fail) weigh(problem);
  if (kept_.size() < kKept) kept_.push_back(std::move(problem));
}

void Findings::prepend(const Findings& earlier) {
  Findings both = earlier;
  for (const Problem& problem : kept_) both.add(problem);
  // Of what is not kept only the numbers are known; add() has counted the kept ones again.
  both.total_ = earlier.total_ + total_;
  for (std::size_t i = 0; i < kCodes; ++i) both.counts_[i] = earlier.counts_[i] + counts_[i];
  for (std::size_t i = 0; i < kVerdicts; ++i) both.worst_[i] = std::max(earlier.worst_[i], worst_[i]);
  if (has_first_) both.weigh(first_);
  for (std::size_t i = 0; i < kVerdicts; ++i) {
    const bool is_graver = leading_[i] && (!earlier.leading_[i] || code_info(leading_[i]->code).severity > code_info(earlier.leading_[i]->code).severity);
    both.leading_[i] = is_graver ? leading_[i] : earlier.leading_[i];
  }
  *this = std::move(both);
}

}  // namespace ethos::verify
