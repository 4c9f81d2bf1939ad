// SPDX-License-Identifier: Apache-2.0
#include "reports/oscal.h"

#include <algorithm>
#include <map>
#include <set>

#include "reports/control_judge.h"
#include "reports/json_out.h"
#include "reports/json_report.h"
#include "reports/markdown.h"
#include "reports/sha256.h"
#include "reports/tally_rows.h"
#include "reports/uuid.h"
#include "reports/words.h"

namespace ethos::reports {
namespace {

constexpr std::string_view kNamespace = "urn:ethos:report";
constexpr std::string_view kFramework = "NIST SP 800-53r5";

class HashSink : public Sink {
 public:
  void write(std::string_view bytes) override { hasher_.add(bytes); }
  std::string digest() { return hex(hasher_.finish()); }

 private:
  Sha256 hasher_;
};

// A line of OSCAL markup: never empty, never with white space at its ends.
std::string line_of(std::string_view text) {
  std::string out = markdown_text(text);
  while (!out.empty() && out.back() == ' ') out.pop_back();
  out.erase(
      0, out.find_first_not_of(' ') == std::string::npos ? out.size() : out.find_first_not_of(' '));
  return out.empty() ? "(empty)" : out;
}

class Writer {
 public:
  Writer(const Model& model, Sink& sink) : model_(model), out_(sink) {
    const Source& source = model.source;
    base_ = source.origin + "\n" + std::to_string(source.size) + "\n" + source.root + "\n";
    definition_ = base_ + model.period.text() + "\n" + model.zone.name() + "\n" + model.title +
                  "\n" + model.control_map.digest + "\n";
    if (model.redaction)
      definition_ +=
          (model.redaction->is_applied ? "redacted " : "full ") + model.redaction->digest;
  }

  void write() {
    out_.open_object().key("assessment-results").open_object();
    out_.member("uuid", uuid_of("document\n" + definition_));
    metadata();
    out_.line().key("import-ap").open_object().member("href", "#" + definition_uuid());
    out_.member("remarks",
                "There is no assessment plan; the resource fixes period, scope and query of this "
                "report.")
        .close_object();
    out_.line().key("results").open_list();
    result();
    out_.close_list();
    back_matter();
    out_.close_object().close_object();
    out_.flush();
  }

 private:
  std::string definition_uuid() const { return uuid_of("definition\n" + definition_); }
  std::string tool_uuid() const { return uuid_of("generator\n" + model_.generator); }
  std::string subject_uuid(NameId tool) const {
    return uuid_of("tool\n" + model_.source.origin + "\n" + model_.text(tool));
  }

  void prop(std::string_view name, std::string_view value) {
    if (value.empty()) return;
    out_.open_object()
        .member("name", name)
        .member("ns", kNamespace)
        .member("value", value)
        .close_object();
  }
  void prop(std::string_view name, std::int64_t value) { prop(name, std::to_string(value)); }

  void metadata() {
    out_.line().key("metadata").open_object();
    out_.member("title", line_of((model_.verified ? "" : "NOT VERIFIED: ") + model_.title));
    out_.member("last-modified", utc_ms_text(model_.source.head_ms));
    out_.member("version", std::to_string(model_.source.size))
        .member("oscal-version", kOscalVersion);
    out_.key("props").open_list();
    prop("verified", model_.verified ? "yes" : "no");
    prop("ledger-origin", model_.source.origin);
    prop("ledger-size", model_.source.size);
    prop("ledger-root", model_.source.root);
    prop("pin", model_.verdict.pin_fingerprint);
    if (model_.redaction) {
      prop("redaction", model_.redaction->is_applied ? "applied" : "full");
      prop("counterpart", model_.redaction->counterpart);
    }
    for (const Verdict::Check& check : model_.verdict.checks)
      prop("verdict-" + check.name, check.result);
    out_.close_list().close_object();
  }

  void result() {
    out_.open_object().member("uuid", uuid_of("result\n" + definition_));
    out_.member("title", line_of(model_.period.text() + ", " + model_.zone.name()));
    out_.member("description", line_of(query_text(model_)));
    out_.member("start", utc_text(model_.period.from)).member("end", utc_text(model_.period.until));
    out_.line().key("props").open_list();
    for (const TallyRow& figure : tally_rows(model_)) {
      out_.open_object().member("name", figure.key).member("ns", kNamespace);
      out_.member("value", figure.now).member("class", "figure").close_object();
    }
    prop("exceptions", static_cast<std::int64_t>(model_.exceptions.size()));
    out_.close_list();
    definitions();
    reviewed();
    out_.line().key("observations").open_list();
    for (const ControlState& state : model_.controls) kind(state);
    const std::size_t count = std::min(model_.exceptions.size(), kMaxOscalExceptions);
    for (std::size_t i = 0; i < count; ++i) exception(model_.exceptions[i], i);
    if (count == 0 && model_.controls.empty()) nothing();
    out_.line().close_list();
    findings();
    out_.member("remarks", std::to_string(count) + " of " +
                               std::to_string(model_.exceptions.size()) +
                               " exceptions are given as observations; report.json has all.");
    out_.close_object();
  }

  void component(const std::string& uuid, const std::string& title, std::string_view description) {
    out_.line()
        .open_object()
        .member("uuid", uuid)
        .member("type", "software")
        .member("title", title);
    out_.member("description", description)
        .key("status")
        .open_object()
        .member("state", "operational")
        .close_object();
    out_.close_object();
  }

  void definitions() {
    out_.line().key("local-definitions").open_object();
    if (!model_.matrix.empty()) {
      out_.key("components").open_list();
      for (const MatrixRow& row : model_.matrix) {
        component(subject_uuid(row.tool), line_of(model_.text(row.tool)),
                  "Tool that was run under ethos-run.");
      }
      out_.close_list();
    }
    out_.key("assessment-assets").open_object().key("components").open_list();
    component(tool_uuid(), line_of(model_.generator),
              "Generator of this document, over what ethos-verify accepted.");
    out_.close_list().key("assessment-platforms").open_list().open_object();
    out_.member("uuid", uuid_of("platform\n" + definition_))
        .member("title", "the host that made the report");
    out_.key("uses-components")
        .open_list()
        .open_object()
        .member("component-uuid", tool_uuid())
        .close_object()
        .close_list();
    out_.close_object().close_list().close_object().close_object();
  }

  void reviewed() {
    std::set<std::string> ids;
    for (const ControlKind& kind : model_.control_map.kinds) {
      for (const std::string& id : ids_of(kind)) ids.insert(id);
    }
    out_.line().key("reviewed-controls").open_object();
    out_.member("description", "Controls that the evidence bears on; none is called satisfied.");
    out_.key("control-selections").open_list().open_object();
    if (ids.empty()) {
      out_.key("include-all").open_object().close_object();
    } else {
      out_.key("include-controls").open_list();
      for (const std::string& id : ids) out_.open_object().member("control-id", id).close_object();
      out_.close_list();
    }
    out_.close_object().close_list().close_object();
  }

  std::set<std::string> ids_of(const ControlKind& kind) const {
    std::set<std::string> ids;
    for (const ControlId& control : kind.controls) {
      const std::string id = control.framework == kFramework ? oscal_control_id(control.id) : "";
      if (!id.empty()) ids.insert(id);
    }
    return ids;
  }

  std::string kind_uuid(const ControlKind& kind) const {
    return uuid_of("kind\n" + definition_ + kind.kind);
  }

  void open_observation(const std::string& uuid, const std::string& title,
                        const std::string& description) {
    out_.line()
        .open_object()
        .member("uuid", uuid)
        .member("title", title)
        .member("description", description);
  }
  void origins() {
    out_.key("methods").open_list().text("TEST").close_list();
    out_.key("origins").open_list().open_object().key("actors").open_list().open_object();
    out_.member("type", "tool")
        .member("actor-uuid", tool_uuid())
        .close_object()
        .close_list()
        .close_object()
        .close_list();
  }
  void evidence(const std::vector<Ref>& refs) {
    if (refs.empty()) return;
    out_.key("relevant-evidence").open_list();
    for (const Ref& ref : refs) {
      out_.open_object().member("href", "#" + definition_uuid());
      out_.member("description", "Ledger record " + std::to_string(ref.seq) +
                                     ", leaf hash begins " + leaf_text(ref) + ".");
      out_.key("props").open_list();
      prop("record", std::to_string(ref.seq));
      prop("leaf", leaf_text(ref));
      out_.close_list().close_object();
    }
    out_.close_list();
  }

  void kind(const ControlState& state) {
    const ControlKind& kind = model_.control_map.kinds[state.kind];
    std::string words = std::string(label_of(state.state)) + ": " + state.statement + ".";
    if (!state.missing.empty()) words += " Missing: " + state.missing + ".";
    open_observation(kind_uuid(kind), line_of(kind.title), line_of(words));
    out_.key("props").open_list();
    prop("kind", kind.kind);
    prop("state", name_of(state.state));
    for (const std::string& id : ids_of(kind)) prop("bears-on", id);
    out_.close_list();
    origins();
    out_.key("types").open_list().text("control-objective").close_list();
    evidence(state.evidence);
    out_.member("collected", utc_ms_text(model_.source.head_ms));
    out_.member("remarks", line_of("Shows: " + says_text(state, kind) +
                                   ". Does not show: " + kind.does_not_show + "."))
        .close_object();
  }

  void exception(const Exception& row, std::size_t index) {
    const Run& run = model_.runs[row.run];
    open_observation(
        uuid_of("exception\n" + base_ + std::to_string(row.ref.seq) + "\n" +
                std::string(name_of(row.kind)) + "\n" + row.rule + "\n" + std::to_string(index)),
        line_of(std::string(label_of(row)) + " in a run of " + model_.text(run.tool)),
        line_of(row.tried + ": " + row.happened));
    out_.key("props").open_list();
    prop("run", run.id);
    prop("exception", name_of(row.kind));
    if (!row.rule.empty()) prop("rule", line_of(row.rule));
    out_.close_list();
    origins();
    out_.key("types").open_list().text("finding").close_list();
    out_.key("subjects").open_list().open_object().member("subject-uuid", subject_uuid(run.tool));
    out_.member("type", "component").close_object().close_list();
    evidence({row.ref});
    out_.member("collected", utc_ms_text(row.at_ms)).close_object();
  }

  void nothing() {
    open_observation(uuid_of("nothing\n" + definition_), "Nothing observed",
                     std::string(empty_period_text()));
    origins();
    out_.member("collected", utc_ms_text(model_.source.head_ms)).close_object();
  }

  void findings() {
    bool any = false;
    for (const ControlState& state : model_.controls) {
      if (state.state != Shown::contradicted) continue;
      const ControlKind& kind = model_.control_map.kinds[state.kind];
      for (const std::string& id : ids_of(kind)) {
        if (!any) out_.line().key("findings").open_list();
        any = true;
        out_.line().open_object().member(
            "uuid", uuid_of("finding\n" + definition_ + kind.kind + "\n" + id));
        out_.member("title", line_of(kind.title + " is contradicted"))
            .member("description", line_of(state.statement));
        out_.key("target")
            .open_object()
            .member("type", "objective-id")
            .member("target-id", id + "_obj");
        out_.key("status")
            .open_object()
            .member("state", "not-satisfied")
            .member("reason", "fail")
            .close_object()
            .close_object();
        out_.key("related-observations")
            .open_list()
            .open_object()
            .member("observation-uuid", kind_uuid(kind));
        out_.close_object().close_list().close_object();
      }
    }
    if (any) out_.line().close_list();
  }

  void back_matter() {
    HashSink json;
    write_json(model_, json);
    out_.line().key("back-matter").open_object().key("resources").open_list().open_object();
    out_.member("uuid", definition_uuid()).member("title", "Report definition and model");
    out_.member("description", line_of(query_text(model_))).key("rlinks").open_list().open_object();
    out_.member("href", "report.json")
        .member("media-type", "application/json")
        .key("hashes")
        .open_list()
        .open_object();
    out_.member("algorithm", "SHA-256").member("value", json.digest()).close_object().close_list();
    out_.close_object().close_list().close_object().close_list().close_object();
  }

  const Model& model_;
  JsonOut out_;
  std::string base_, definition_;
};

}  // namespace

std::string oscal_control_id(std::string_view id) {
  std::string out;
  for (const char c : id) {
    if (c >= 'A' && c <= 'Z') {
      out += static_cast<char>(c - 'A' + 'a');
    } else if ((c >= '0' && c <= '9') || c == '-') {
      out += c;
    } else if (c == '(') {
      out += '.';
    } else if (c != ')') {
      return {};
    }
  }
  const bool is_family = out.size() > 3 && out[2] == '-' && out[0] >= 'a' && out[0] <= 'z' &&
                         out[1] >= 'a' && out[1] <= 'z';
  return is_family ? out : std::string();
}

void write_oscal(const Model& model, Sink& sink) { Writer(model, sink).write(); }

}  // namespace ethos::reports
