// SPDX-License-Identifier: Apache-2.0
#include "ledger/erase.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>

#include "ledger/base/file_io.h"
#include "ledger/base/file_lock.h"
#include "ledger/base/paths.h"
#include "ledger/database.h"
#include "ledger/file_checks.h"
#include "ledger/record/canonical_json.h"
#include "ledger/record/commitment.h"
#include "ledger/store.h"

namespace ethos::ledger {
namespace {

using base::Errc;
using base::fail;
using base::Result;
using base::Unexpected;
using record::Digest;
using record::Json;

// so that a record stays within its 16,384 bytes.
constexpr std::size_t kMaxTargets = 300;

void collect(const Json& json, std::vector<record::Commitment>& out) {
  if (json.is(Json::Kind::array)) {
    for (const Json& item : json.items()) collect(item, out);
  } else if (json.is(Json::Kind::object)) {
    auto commitment = record::Commitment::from_json(json);
    if (commitment) out.push_back(std::move(*commitment));
    for (const record::JsonMember& member : json.members()) collect(member.value, out);
  }
}

// Commitments whose disclosed bytes hold the subject.
Result<std::set<Digest>> about_subject(const LedgerReader& reader, const std::string& subject) {
  std::set<Digest> out;
  auto ok = reader.disclosures([&](const Digest& c, std::string_view, std::string_view bytes) {
    if (bytes.find(subject) != std::string_view::npos) out.insert(c);
    return true;
  });
  if (!ok) return Unexpected(std::move(ok).error());
  return out;
}

class Selecting {
 public:
  Selecting(const LedgerReader& reader, const EraseSelector& selector)
      : reader_(reader), selector_(selector) {}

  Result<EraseSelection> run() {
    if (selector_.subject) {
      auto found = about_subject(reader_, *selector_.subject);
      if (!found) return Unexpected(std::move(found).error());
      about_ = std::move(*found);
    }
    out_.size = reader_.size();
    Result<void> result;
    auto ok = reader_.read(0, reader_.size(), [&](const StoredRecord& stored) {
      result = visit(stored);
      return result.has_value();
    });
    if (ok) ok = std::move(result);
    if (ok) ok = keep_present();
    if (!ok) return Unexpected(std::move(ok).error());
    return std::move(out_);
  }

 private:
  Result<void> visit(const StoredRecord& stored) {
    if (auto ok = out_.holds.on_record(stored.view.type, stored.view.body); !ok) return ok;
    const bool is_here = (!selector_.run || stored.view.run == selector_.run->text()) &&
                         (!selector_.seq || stored.seq == *selector_.seq);
    // Only a body with a commitment is worth building values of.
    if (!is_here || stored.view.body.find("\"c\":\"") == std::string_view::npos) return {};
    auto body = record::parse_canonical(stored.view.body);
    if (!body) return Unexpected(std::move(body).error());
    std::vector<record::Commitment> named;
    collect(*body, named);
    for (record::Commitment& c : named) {
      const bool is_wanted = (selector_.kinds.empty() || selector_.kinds.contains(c.kind)) &&
                             (!selector_.subject || about_.contains(c.c)) &&
                             (selector_.exact.empty() || selector_.exact.contains(c.c));
      if (!is_wanted || !seen_.insert(c.c).second) continue;
      out_.targets.push_back(
          {c.c, std::move(c.kind), std::string(stored.view.run), stored.seq, c.size});
    }
    return {};
  }

  // Erased or never kept: nothing to do.
  Result<void> keep_present() {
    std::vector<EraseTarget> present;
    for (EraseTarget& target : out_.targets) {
      auto found = reader_.disclosure(target.c);
      if (!found) return Unexpected(std::move(found).error());
      if (*found) present.push_back(std::move(target));
    }
    out_.targets = std::move(present);
    return {};
  }

  const LedgerReader& reader_;
  const EraseSelector& selector_;
  std::set<Digest> about_;
  std::set<Digest> seen_;
  EraseSelection out_;
};

Result<void> check_holds(const Holds& holds, const std::vector<EraseTarget>& targets) {
  for (const EraseTarget& target : targets) {
    const auto name = holds.covering(target.run);
    if (name) {
      return fail(Errc::refused, "hold " + *name + " covers " +
                                     (target.run.empty() ? "the ledger" : "run " + target.run) +
                                     ": nothing was erased");
    }
  }
  return {};
}

// The data.erase records of so many targets; their `c` ascend as texts.
Result<std::vector<PendingRecord>> erase_records(const std::vector<EraseTarget>& targets,
                                                 const Order& order) {
  std::vector<std::string> names;
  for (const EraseTarget& target : targets) names.push_back(target.c.base64());
  std::sort(names.begin(), names.end());
  std::vector<PendingRecord> out;
  for (std::size_t at = 0; at < names.size(); at += kMaxTargets) {
    Json list = Json::array();
    for (std::size_t i = at; i < std::min(names.size(), at + kMaxTargets); ++i) list.push(names[i]);
    auto body = record::encode_canonical(Json::object()
                                             .set("authority", order.authority)
                                             .set("reason", order.reason)
                                             .set("targets", std::move(list)));
    if (!body) return Unexpected(std::move(body).error());
    out.push_back({"data.erase", nullptr, std::move(*body), std::nullopt});
  }
  return out;
}

}  // namespace

Result<EraseSelection> select_erasure(const LedgerReader& reader, const EraseSelector& selector) {
  const bool is_given = selector.run || selector.seq || !selector.kinds.empty() ||
                        selector.subject || !selector.exact.empty();
  if (!is_given) return fail(Errc::usage, "erase: say what");
  if (selector.subject && selector.subject->size() < 3)
    return fail(Errc::usage, "--subject: less than three bytes would match by chance");
  if (selector.seq && *selector.seq >= reader.size())
    return fail(Errc::usage, "--seq " + std::to_string(*selector.seq) + ": the ledger has " +
                                 std::to_string(reader.size()) + " records");
  return Selecting(reader, selector).run();
}

Result<Committed> erase(Appender& appender, const EraseSelection& selection, const Order& order) {
  if (auto ok = check_order(order); !ok) return Unexpected(std::move(ok).error());
  if (selection.targets.empty()) return fail(Errc::usage, "nothing to erase");
  Operation operation;
  auto records = erase_records(selection.targets, order);
  if (!records) return Unexpected(std::move(records).error());
  operation.records = std::move(*records);
  for (const EraseTarget& target : selection.targets) operation.erased.push_back(target.c);
  operation.check = [&](Store& store, const Tail& tail) -> Result<void> {
    Holds holds = selection.holds;
    if (auto ok = follow_holds(holds, selection.size, store, tail); !ok) return ok;
    if (auto ok = check_holds(holds, selection.targets); !ok) return ok;
    return mark_erasure(appender.files());
  };
  return erase_by(appender, operation);
}

Result<void> mark_erasure(const LedgerFiles& files) {
  // Before the commit: whoever finds it knows that bytes may still lie in free pages.
  return base::replace_file(erasure_marker(files), {}, {.mode = 0600});
}

Result<Committed> erase_by(Appender& appender, const Operation& operation) {
  auto committed = appender.operate(operation);
  if (!committed) {
    // Nothing was written but in the one case that operate() tells; the marker does no harm then.
    if (committed.error().code != Errc::io && committed.error().code != Errc::no_space)
      ::unlink(erasure_marker(appender.files()).c_str());
    return committed;
  }
  if (auto ok = finish_erasure(appender.files()); !ok) {
    return Unexpected(std::move(ok).error().with_context(
        "erased and recorded, but old pages may still hold the bytes (try again: ethos-ledger "
        "erase --finish)"));
  }
  return committed;
}

Result<void> rewrite_erased(const LedgerFiles& files, Database& database) {
  if (auto ok = database.rebuild(); !ok) return ok;
  const std::string marker = erasure_marker(files);
  if (::unlink(marker.c_str()) != 0 && errno != ENOENT) return base::fail_errno(marker, errno);
  return {};
}

Result<void> finish_erasure(const LedgerFiles& files) {
  auto lock = base::FileLock::create(files.lock(), base::LockKind::exclusive, base::IfBusy::wait);
  if (!lock) return Unexpected(std::move(lock).error());
  if (auto ok = check_files(files); !ok) return ok;
  auto database = Database::open(files.database, OpenMode::serve);
  if (!database) return Unexpected(std::move(database).error());
  Store store(*database);
  auto ok = store.check_schema();
  if (ok) ok = database->use_log();
  return ok ? rewrite_erased(files, *database) : std::move(ok);
}

}  // namespace ethos::ledger
