// SPDX-License-Identifier: Apache-2.0
#include "reports/trace.h"

#include <algorithm>
#include <map>
#include <vector>

#include "ledger/base/base64.h"
#include "ledger/base/hex.h"
#include "reports/json_out.h"
#include "reports/tally_rows.h"
#include "reports/text.h"
#include "reports/words.h"

namespace ethos::reports {
namespace {

constexpr std::size_t kMaxRows = 4096;                    // of a list
constexpr std::size_t kMaxBytes = std::size_t{2} << 20U;  // of the statement: an envelope of 3 MiB
constexpr std::string_view kDigestMark = "sha256:";

std::string root_hex(const Model& model) {
  const auto bytes = base::decode_base64(model.source.root);
  return bytes ? base::encode_hex(*bytes) : std::string();
}

// The hex digits of `sha256:...`; empty for what is none (a withheld one).
std::string_view hex_of(std::string_view digest) {
  const bool is_one = digest.starts_with(kDigestMark) && digest.size() == kDigestMark.size() + 64;
  return is_one ? digest.substr(kDigestMark.size()) : std::string_view();
}

class Trace {
 public:
  explicit Trace(const Model& model) : model_(model), out_(sink_) {}

  std::string write(const Subject& report) {
    out_.open_object().member("_type", "https://in-toto.io/Statement/v1").key("subject");
    out_.open_list().open_object().member("name", report.first);
    digest(report.second);
    out_.close_object().close_list();
    out_.member("predicateType", "https://in-toto.io/attestation/runtime-trace/v0.1");
    out_.key("predicate").open_object();
    monitor();
    out_.key("monitoredProcess").open_object();
    out_.member("hostID", "urn:ethos:ledger:" + model_.source.origin);
    out_.member("type", "urn:ethos:runs-of-a-period");
    out_.member("event", utc_text(model_.period.from) + "/" + utc_text(model_.period.until) +
                             " runs " + std::to_string(model_.runs.size()) + " " +
                             model_.population);
    out_.close_object().key("monitorLog").open_object();
    processes();
    networks();
    programs();
    refusals();
    out_.close_object().key("metadata").open_object();
    times();
    out_.close_object().close_object().close_object();
    out_.flush();
    return sink_.text();
  }

 private:
  void digest(std::string_view hex) {
    out_.key("digest").open_object().member("sha256", hex).close_object();
  }

  void monitor() {
    out_.key("monitor").open_object().member("type", "urn:ethos:monitor:ethos-run");
    out_.key("configSource").open_object();
    out_.member("uri", "urn:ethos:checkpoint:" + model_.source.origin + ":" +
                           std::to_string(model_.source.size));
    digest(root_hex(model_));
    out_.close_object().key("tracePolicy").open_object();
    counted("observe", model_.observe);
    counted("sensors", model_.sensors);
    counted("weaker", model_.weaker);
    // What a list below does not show is still counted here.
    out_.key("figures").open_object();
    for (const TallyRow& figure : tally_rows(model_))
      out_.member(figure.key, parse_decimal(figure.now).value_or(0));
    out_.close_object().close_object().close_object();
  }

  void counted(std::string_view key, const std::vector<CountedName>& rows) {
    out_.key(key).open_list();
    for (const CountedName& row : rows) {
      out_.open_object().member("name", model_.text(row.name)).member("runs", row.runs);
      out_.close_object();
    }
    out_.close_list();
  }

  void ref(const Ref& ref) { out_.member("seq", ref.seq).member("leaf", leaf_text(ref)); }

  // Whether one more row of a list goes in.
  bool has_room(std::size_t rows) {
    out_.flush();
    return rows < kMaxRows && sink_.text().size() < kMaxBytes;
  }

  template <typename Row, typename Fits, typename Put>
  void list(std::string_view key, const std::vector<Row>& rows, Fits fits, Put put) {
    std::size_t shown = 0;
    std::size_t left_out = 0;
    out_.key(key).open_list();
    for (const Row& row : rows) {
      if (!fits(row)) continue;
      if (left_out != 0 || !has_room(shown)) {
        ++left_out;
        continue;
      }
      ++shown;
      out_.open_object();
      put(row);
      out_.close_object();
    }
    out_.close_list();
    if (left_out != 0)
      out_.member("ethos_" + std::string(key) + "_left_out", std::uint64_t{left_out});
  }

  void processes() {
    list(
        "process", model_.runs, [](const Run&) { return true; },
        [this](const Run& run) {
          out_.member("eventType", "process").member("run", run.id);
          out_.member("processBinary", model_.text(run.exe_path))
              .member("tool", model_.text(run.tool));
          out_.member("state", name_of(run.state)).member("at", utc_ms_text(run.started_ms));
          if (run.exit_code) out_.member("exit", *run.exit_code);
          if (run.signal) out_.member("signal", *run.signal);
          out_.member("network", model_.text(run.network));
          out_.member("denied_acts", run.denied_acts).member("lost_acts", run.lost_acts);
          ref(run.opened);
        });
  }

  void act(const Denial& row) {
    out_.member("at", utc_ms_text(row.at_ms)).member("run", model_.runs[row.run].id);
    out_.member("action", model_.text(row.operation)).member("outcome", model_.text(row.outcome));
    out_.member("declared", false).member("count", row.count).member("mark", model_.text(row.mark));
    ref(row.ref);
  }

  static bool is_network(const Denial& row) { return row.capability == Capability::network; }

  void networks() {
    list("network", model_.denials, is_network, [this](const Denial& row) {
      out_.member("address", model_.text(row.object)).member("direction", "outbound");
      act(row);
    });
  }

  // Hashed by the supervisor before they started. What was only read is not known.
  void programs() {
    std::map<std::string, const Run*> seen;
    for (const Run& run : model_.runs) {
      const std::string_view hex = hex_of(model_.text(run.exe_sha256));
      if (!hex.empty()) seen.emplace(std::string(hex) + model_.text(run.exe_path), &run);
    }
    std::vector<const Run*> first;
    for (const auto& [key, run] : seen) first.push_back(run);
    list(
        "fileAccess", first, [](const Run*) { return true; },
        [this](const Run* run) {
          out_.member("name", model_.text(run->exe_path));
          digest(hex_of(model_.text(run->exe_sha256)));
          out_.key("annotations").open_object().member("action", "executed").close_object();
        });
  }

  void refusals() {
    list(
        "ethos_denials", model_.denials, [](const Denial& row) { return !is_network(row); },
        [this](const Denial& row) {
          out_.member("object", model_.text(row.object)).member("rule", model_.text(row.rule));
          out_.member("phase", model_.text(row.phase))
              .member("capability", name_of(row.capability));
          act(row);
        });
  }

  void times() {
    if (model_.runs.empty()) return;
    std::int64_t first = model_.runs.front().started_ms;
    std::int64_t last = first;
    for (const Run& run : model_.runs) {
      first = std::min(first, run.started_ms);
      last = std::max(last, run.ended ? run.ended_ms : run.started_ms);
    }
    out_.member("buildStartedOn", utc_ms_text(first)).member("buildFinishedOn", utc_ms_text(last));
  }

  const Model& model_;
  StringSink sink_;
  JsonOut out_;
};

}  // namespace

base::Result<std::string> trace_statement(const Model& model, const Subject& report) {
  if (!model.verified)
    return base::fail(base::Errc::refused, "a report that is not verified is not attested");
  return Trace(model).write(report);
}

}  // namespace ethos::reports
