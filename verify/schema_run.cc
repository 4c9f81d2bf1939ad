// SPDX-License-Identifier: Apache-2.0
// Field tables of the records that belong to a run (events.md), in the order of that page.
#include <algorithm>
#include <array>

#include "verify/contradiction.h"
#include "verify/quick_fields.h"
#include "verify/quick_path.h"
#include "verify/schema.h"

namespace ethos::verify {
namespace {

bool tool_name(const View& v) {
  return text<1, 64>(v) && std::all_of(v.raw().begin(), v.raw().end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '+' || c == '-';
  });
}

bool revision(const View& v) {
  return v.is_string() && (v.raw().size() == 40 || v.raw().size() == 64) &&
         v.raw().find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool ascending_texts(const View& v) {
  std::string last;
  bool first = true;
  return v.each_element([&](const View& item) {
    const std::string own = item.text();
    const bool good = text<1, 64>(item) && (first || last < own);
    first = false;
    last = own;
    return good;
  });
}

// run.open ------------------------------------------------------------------------------------

constexpr std::array kCaller{Field{"gid", count}, Field{"login_uid", count, false}, Field{"pid", count},
                             Field{"uid", count}};
constexpr std::array kCeiling{Field{"name", text<1, 64>}, Field{"sha256", digest}};
constexpr std::array kDecision{Field{"authenticated", boolean}, Field{"doc", commitment<"decision">},
                               Field{"policy", text<0, 512>}, Field{"verdict", text<0, 64>}};
using Measured = bool (*)(const View&);
constexpr Measured measured = one_of<"before_start", "after_start">;
constexpr std::array kInterpreter{Field{"measured", measured}, Field{"path", path},
                                  Field{"sha256", digest}, Field{"size", count}};
// The kernel goes through five interpreters, and the first stands alone.
bool interpreters(const View& v) {
  constexpr std::size_t kMost = 4;
  std::size_t count = 0;
  return v.each_element([&](const View& item) { return ++count <= kMost && object<kInterpreter>(item); }) && count > 0;
}
constexpr std::array kExe{Field{"interpreter", object<kInterpreter>, false},
                          Field{"interpreters", interpreters, false}, Field{"measured", measured},
                          Field{"path", path}, Field{"sha256", digest}, Field{"size", count}};
constexpr std::array kHost{Field{"arch", text<1, 64>}, Field{"cgroup", one_of<"v2", "hybrid", "v1", "none">},
                           Field{"kernel", text<1, 128>}, Field{"landlock_abi", integer}};
constexpr std::array kRepository{Field{"dirty", digest, false}, Field{"layout", one_of<"directory", "file">},
                                 Field{"revision", revision, false}};
constexpr std::array kWorkspace{Field{"dev", big}, Field{"ino", big}, Field{"path", commitment<"workspace">}};

constexpr std::array kOpen{
    Field{"actor", commitment<"actor">, false},
    Field{"argc", count},
    Field{"argv", commitment<"argv">},
    Field{"caller", object<kCaller>},
    Field{"ceilings", array_of<object<kCeiling>>},
    Field{"class", one_of<"namespace", "microvm">},
    Field{"decision", object<kDecision>, false},
    Field{"exe", object<kExe>, false},
    Field{"facts", commitment<"facts">, false},
    Field{"host", object<kHost>},
    Field{"normal", commitment<"normal">, false},
    Field{"observe", one_of<"off", "writes", "all">},
    Field{"origin", one_of<"catalog", "workspace", "revision", "pinned", "options", "learn">},
    Field{"plan", commitment<"plan">, false},
    Field{"product", text<1, 64>},
    Field{"profile", text<1, 32>},
    Field{"repository", object<kRepository>, false},
    Field{"source", commitment<"source">, false},
    Field{"source_revision", revision, false},
    Field{"task", commitment<"task">, false},
    Field{"tool", tool_name},
    Field{"workspace", object<kWorkspace>}};

// runtime.sandbox_denial ----------------------------------------------------------------------

constexpr std::array kAddress{Field{"address", text<0, 256>}};
constexpr std::array kText{Field{"text", text<0, 256>}};
bool denial_object(const View& v) { return path(v) || object<kAddress>(v) || object<kText>(v); }

using SourceForm = bool (*)(const View&);
constexpr SourceForm denial_source =
    one_of<"plan", "launcher", "seccomp", "landlock_audit", "supervisor", "commit">;
constexpr std::array kSyscall{Field{"arch", text<1, 32>}, Field{"nr", integer}};

constexpr std::array kDenial{
    Field{"cause", text<0, 512>, false},
    Field{"count", integer_from<1>},
    Field{"errno", count},
    Field{"fix", text<0, 512>, false},
    Field{"mark", mark},
    Field{"object", denial_object, false},
    Field{"operation", text<1, 64>},
    Field{"outcome", one_of<"denied", "attempt">},
    Field{"phase", one_of<"setup", "run", "commit">},
    Field{"rule", text<1, 64>, false},
    Field{"source", denial_source},
    Field{"syscall", object<kSyscall>, false}};

}  // namespace

// Denials come in large numbers: each of their values is read as what it is.
template <>
struct QuickForm<text<0, 512>> : QuickString<0, 512> {};
template <>
struct QuickForm<text<1, 64>> : QuickString<1, 64> {};
template <>
struct QuickForm<text<1, 32>> : QuickString<1, 32> {};
template <>
struct QuickForm<integer_from<1>> : QuickCount<1> {};
template <>
struct QuickForm<count> : QuickCount<0> {};
template <>
struct QuickForm<integer> : QuickCount<0> {};
template <>
struct QuickForm<mark> : QuickWords<"A", "K", "S", "P"> {};
template <>
struct QuickForm<one_of<"denied", "attempt">> : QuickWords<"denied", "attempt"> {};
template <>
struct QuickForm<one_of<"setup", "run", "commit">> : QuickWords<"run", "setup", "commit"> {};
template <>
struct QuickForm<denial_source>
    : QuickWords<"seccomp", "landlock_audit", "plan", "launcher", "supervisor", "commit"> {};
// Its text is that of `arch`, its number `nr`.
template <>
struct QuickForm<object<kSyscall>> {
  [[gnu::always_inline]] static bool read(QuickText& text, std::size_t depth, QuickValue& value) {
    const char* const start = text.at;
    QuickValues<kSyscall> own;
    if (!quick_object<kSyscall>(text, depth + 1, own)) return false;
    value.view = text.since(start);
    value.text = own.at<"arch">().text;
    value.number = own.at<"nr">().number;
    return true;
  }
};

// Nearly always a plain path; anything else goes the long way, and its number says so.
template <>
struct QuickForm<denial_object> {
  static constexpr std::int64_t kOther = 1;

  [[gnu::always_inline]] static bool read(QuickText& text, std::size_t depth, QuickValue& value) {
    const char* const start = text.at;
    if (quick_path(text)) {
      value.view = text.since(start);
      return true;
    }
    value.number = kOther;
    text.at = quick_skip(start, text.end, depth);
    if (text.at == nullptr) return false;
    value.view = text.since(start);
    const View view = value.view;
    return denial_object(view);
  }
};

namespace {

// The others ----------------------------------------------------------------------------------

constexpr std::array kLimit{
    Field{"action", one_of<"killed", "throttled", "refused", "truncated">},
    Field{"enforced_by", one_of<"supervisor", "rlimit", "cgroup", "tmpfs">},
    Field{"limit", text<1, 32>},
    Field{"mark", one_of<"K", "S">},
    Field{"observed", big},
    Field{"source", one_of<"memory.events", "pids.events", "cpu.stat", "io.stat", "timer", "byte_counter",
                           "process_count", "wait_status", "peak_data", "statfs", "layers_sum">},
    Field{"value", big}};

constexpr std::array kOutput{Field{"bytes", big}, Field{"data", commitment<"output">},
                             Field{"stream", one_of<"stdout", "stderr">}, Field{"truncated", boolean}};

constexpr std::array kArtifact{Field{"action", one_of<"created", "replaced", "deleted">},
                               Field{"grant", path},
                               Field{"path", path},
                               Field{"sha256", digest, false},
                               Field{"size", big},
                               Field{"type", one_of<"file", "directory">}};

constexpr std::array kGap{Field{"lost", big},
                          Field{"reason", one_of<"flood", "target_gone", "unreadable", "source_lost", "mask_lost", "programs", "audit_lost",
                                           "audit_cut", "artifact_unread", "not_hidden">},
                          Field{"source", denial_source}};

constexpr std::array kDenials{Field{"acts", big}, Field{"records", count}};
constexpr std::array kExitCode{Field{"code", integer}};
constexpr std::array kExitSignal{Field{"signal", integer}};
bool exit_form(const View& v) { return object<kExitCode>(v) || object<kExitSignal>(v); }
constexpr std::array kTeardown{Field{"cgroup", one_of<"removed", "none", "left">},
                               Field{"processes_left", count}, Field{"scratch", one_of<"gone">}};
constexpr std::array kUsage{Field{"cpu_ms", count}, Field{"max_rss_bytes", big},
                            Field{"memory_peak_bytes", big, false}, Field{"pids_peak", count, false}};

constexpr std::array kExecs{Field{"list", commitment<"execs">}, Field{"total", big}};

constexpr std::array kClose{
    Field{"denials", object<kDenials>},
    Field{"duration_ms", count},
    Field{"ended_by", one_of<"tool", "wall", "limit", "interrupted", "refused", "runner">},
    Field{"execs", object<kExecs>, false},
    Field{"exit", exit_form, false},
    Field{"gaps", count},
    Field{"limits", ascending_texts},
    Field{"records", integer_from<1>},
    Field{"status", count},
    Field{"teardown", object<kTeardown>},
    Field{"usage", object<kUsage>}};

constexpr std::array kAbort{Field{"reason", one_of<"supervisor_gone">}};

bool converter_status(const View& v) { return count(v) && v.number() <= 1; }
constexpr std::array kConverter{Field{"product", text<1, 64>}, Field{"status", converter_status}};
constexpr std::array kSarif{Field{"converter", object<kConverter>}, Field{"list", commitment<"sarif">},
                            Field{"results", count}, Field{"sha256", digest}};

// Grants (plan.md G-1 to G-8) -------------------------------------------------------------------

// A list, or a commitment to it when it is long (G-11).
template <bool (*Form)(const View&)>
bool list_of(const View& v) {
  return array_of<Form>(v) || commitment<"list">(v);
}

using TypeForm = bool (*)(const View&);
constexpr TypeForm file_type = one_of<"dir", "file">;

constexpr std::array kGrantRead{Field{"cap", one_of<"fs.read", "fs.exec">}, Field{"dev", big}, Field{"ino", big},
                                Field{"path", path}, Field{"type", file_type}};
constexpr std::array kGrantWrite{Field{"cap", text<1, 16>}, Field{"created", boolean}, Field{"delete", boolean},
                                 Field{"dev", big}, Field{"ino", big}, Field{"path", path},
                                 Field{"staged", boolean}, Field{"type", file_type}};
constexpr std::array kGrantBare{Field{"cap", text<1, 16>}};
constexpr std::array kGrantHide{Field{"cap", text<1, 16>}, Field{"matches", count},
                                Field{"patterns", list_of<text<1, 1100>>}};
constexpr std::array kGrantNetwork{Field{"cap", text<1, 16>}, Field{"mode", one_of<"none", "loopback">}};
constexpr std::array kGrantGit{Field{"cap", text<1, 16>}, Field{"layout", one_of<"none", "directory", "file">},
                               Field{"mode", one_of<"none", "read">}};
constexpr std::array kGrantEnv{Field{"cap", text<1, 16>}, Field{"fixed", list_of<text<1, 128>>},
                               Field{"pass", list_of<text<1, 128>>}};
constexpr std::array kGrantLimit{Field{"cap", text<1, 16>},
                                 Field{"enforced_by", one_of<"supervisor", "rlimit", "cgroup", "tmpfs">},
                                 Field{"name", text<1, 32>}, Field{"value", big}};

}  // namespace

FieldFault check_grant(const View& grant) {
  const std::string_view cap = grant.at("cap").raw();
  if (cap == "fs.read" || cap == "fs.exec") return check_table<kGrantRead>(grant);
  if (cap == "fs.write") return check_table<kGrantWrite>(grant);
  if (cap == "exec.memory" || cap == "exec.scratch") return check_table<kGrantBare>(grant);
  if (cap == "fs.hide") return check_table<kGrantHide>(grant);
  if (cap == "network") return check_table<kGrantNetwork>(grant);
  if (cap == "git") return check_table<kGrantGit>(grant);
  if (cap == "env") return check_table<kGrantEnv>(grant);
  if (cap == "limit") return check_table<kGrantLimit>(grant);
  return {false, true, "cap"};
}

bool check_run_body(RecordType type, const View& body, FieldFault& fault) {
  switch (type) {
    case RecordType::run_open: fault = check_table<kOpen>(body); return true;
    case RecordType::capability_grant: fault = check_grant(body); return true;
    case RecordType::sandbox_enforced: fault = check_enforced(body); return true;
    case RecordType::sandbox_denial: fault = check_table<kDenial>(body); return true;
    case RecordType::resource_limit: fault = check_table<kLimit>(body); return true;
    case RecordType::output_captured: fault = check_table<kOutput>(body); return true;
    case RecordType::artifact_exported: fault = check_table<kArtifact>(body); return true;
    case RecordType::sarif_written: fault = check_table<kSarif>(body); return true;
    case RecordType::run_gap: fault = check_table<kGap>(body); return true;
    case RecordType::run_close: fault = check_table<kClose>(body); return true;
    case RecordType::run_abort: fault = check_table<kAbort>(body); return true;
    default: return false;
  }
}

namespace {

BodyFacts denial_facts(const Denial& denial, bool has_passed) {
  BodyFacts out;
  if (denial.count > 0) out.acts = static_cast<std::uint64_t>(denial.count);
  out.is_setup = denial.phase == "setup";
  out.is_audit = denial.source == "landlock_audit";
  // Its own start is all that a program tries which cannot be executed.
  out.is_act = denial.source == "seccomp" && denial.operation != "execve" && denial.operation != "execveat";
  if (denial.has_syscall && denial.source == "seccomp" && denial.arch == "x86_64") {
    if (denial.call >= 0 && denial.call < BodyFacts::kMostCalls) out.call = static_cast<std::uint16_t>(denial.call);
  }
  if (has_passed) out.contradiction = denial_contradiction(denial);
  return out;
}

bool quick_denial(QuickText& text, std::size_t depth, BodyFacts& facts) {
  QuickValues<kDenial> v;
  if (!quick_object<kDenial>(text, depth, v)) return false;
  Denial denial;
  denial.mark = v.at<"mark">().text;
  denial.operation = v.at<"operation">().text;
  denial.outcome = v.at<"outcome">().text;
  denial.phase = v.at<"phase">().text;
  denial.rule = v.at<"rule">().text;
  denial.source = v.at<"source">().text;
  denial.arch = v.at<"syscall">().text;
  denial.call = v.at<"syscall">().number;
  denial.count = v.at<"count">().number;
  denial.error = v.at<"errno">().number;
  const QuickValue& object = v.at<"object">();
  const bool is_odd = object.number == QuickForm<denial_object>::kOther;
  denial.has_object = object.view.exists();
  denial.is_object_text = is_odd && object.view.at("text").exists();
  denial.has_syscall = v.at<"syscall">().view.exists();
  denial.has_cause = v.at<"cause">().view.exists();
  denial.has_fix = v.at<"fix">().view.exists();
  facts = denial_facts(denial, true);
  facts.has_no_commitment = !is_odd;
  return true;
}

template <const auto& Table>
bool quick_table(QuickText& text, std::size_t depth) {
  QuickValues<Table> values;
  return quick_object<Table>(text, depth, values);
}

bool quick_other(RecordType type, QuickText& text, std::size_t depth) {
  switch (type) {
    case RecordType::run_open: return quick_table<kOpen>(text, depth);
    case RecordType::resource_limit: return quick_table<kLimit>(text, depth);
    case RecordType::output_captured: return quick_table<kOutput>(text, depth);
    case RecordType::artifact_exported: return quick_table<kArtifact>(text, depth);
    case RecordType::sarif_written: return quick_table<kSarif>(text, depth);
    case RecordType::run_gap: return quick_table<kGap>(text, depth);
    case RecordType::run_close: return quick_table<kClose>(text, depth);
    case RecordType::run_abort: return quick_table<kAbort>(text, depth);
    case RecordType::capability_grant: case RecordType::sandbox_enforced: {
      // Which fields they have depends on their values.
      Scanner scan(text.rest(), kRecordLimits);
      if (scan.peek() != '{' || !scan.value(depth - 1)) return false;
      text.at += scan.position();
      FieldFault fault;
      return check_run_body(type, View(scan.since(0)), fault) && !fault.bad_key && !fault.bad_value;
    }
    default: return false;
  }
}

}  // namespace

BodyFacts facts_of(RecordType type, const View& body, bool has_passed) {
  if (type == RecordType::sandbox_denial) return denial_facts(Denial(body), has_passed);
  BodyFacts out;
  if (type == RecordType::run_close) out.is_refused = body.at("ended_by").raw() == "refused";
  if (has_passed) out.contradiction = contradiction(type, body);
  return out;
}

const char* quick_run_body(RecordType type, const char* at, const char* end, BodyFacts& facts) {
  constexpr std::size_t kBodyDepth = 2;
  QuickText text{at, end};
  if (type == RecordType::sandbox_denial) return quick_denial(text, kBodyDepth, facts) ? text.at : nullptr;
  if (!quick_other(type, text, kBodyDepth)) return nullptr;
  facts = facts_of(type, View({at, static_cast<std::size_t>(text.at - at)}));
  return text.at;
}

}  // namespace ethos::verify
