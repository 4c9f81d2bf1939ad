// SPDX-License-Identifier: Apache-2.0
#include "reports/classify.h"

#include <algorithm>
#include <array>

#include "ledger/base/base64.h"
#include "ledger/base/bytes.h"
#include "reports/text.h"

namespace ethos::reports {
namespace {

struct RuleColumn {
  std::string_view rule;
  Capability capability;
};
constexpr std::array<RuleColumn, 6> kRules = {{
    {"no-network", Capability::network},
    {"git", Capability::git},
    {"hidden", Capability::hidden},
    {"syscall", Capability::syscalls},
    {"arch", Capability::syscalls},
    {"quota", Capability::limits},
}};

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_network_call(std::string_view call) {
  return is_one_of(call, {"socket", "connect", "bind", "listen", "accept", "accept4", "sendto",
                          "sendmsg", "sendmmsg", "socketpair"});
}

bool is_change_call(std::string_view call) {
  return is_one_of(
      call, {"creat",     "mkdir",     "mkdirat",     "mknod",        "mknodat",     "unlink",
             "unlinkat",  "rmdir",     "rename",      "renameat",     "renameat2",   "link",
             "linkat",    "symlink",   "symlinkat",   "truncate",     "ftruncate",   "chmod",
             "fchmod",    "fchmodat",  "fchmodat2",   "chown",        "fchown",      "lchown",
             "fchownat",  "utime",     "utimes",      "utimensat",    "futimesat",   "setxattr",
             "lsetxattr", "fsetxattr", "removexattr", "lremovexattr", "fremovexattr"});
}

Capability capability_of_grant(std::string_view cap) {
  if (cap == "fs.write") return Capability::write;
  if (cap == "fs.exec" || cap == "exec.memory" || cap == "exec.scratch") return Capability::execute;
  if (cap == "fs.hide") return Capability::hidden;
  if (cap == "network") return Capability::network;
  if (cap == "git") return Capability::git;
  if (cap == "env") return Capability::environment;
  if (cap == "limit") return Capability::limits;
  return cap == "fs.read" ? Capability::read : Capability::syscalls;
}

// `LANG (passed), CI (fixed)`
std::string environment_text(JsonValue body) {
  std::string out;
  for (const auto& [key, word] : {std::pair{"pass", "passed"}, std::pair{"fixed", "fixed"}}) {
    const JsonValue list = body[key];
    for (JsonValue name = list.first(); name.exists(); name = list.after(name)) {
      if (!out.empty()) out += ", ";
      out.append(name.text_or("?")).append(" (").append(word).append(")");
    }
  }
  return out;
}

bool is_measured_limit(std::string_view name) {
  return is_one_of(name, {"wall_ms", "memory_bytes", "pids", "output_bytes"});
}

}  // namespace

std::string path_text(JsonValue path) {
  std::string out(path["base"].text_or("?"));
  out += ':';
  if (const auto plain = path["path"].text()) {
    out += *plain;
  } else if (const auto encoded = path["path_b64"].text()) {
    const auto bytes = base::decode_base64(*encoded);
    out += bytes ? visible(base::as_text(*bytes)) : std::string("(unreadable)");
  } else {
    out += "(withheld)";
  }
  return out;
}

std::string object_text(JsonValue object) {
  if (!object.exists()) return {};
  if (const auto text = object["text"].text()) return std::string(*text);
  if (const auto address = object["address"].text()) return std::string(*address);
  return path_text(object);
}

NameRole object_role(JsonValue object) {
  return object["text"].exists() || object["address"].exists() ? NameRole::address : NameRole::path;
}

Capability capability_of_denial(std::string_view rule, std::string_view operation, Access access) {
  for (const RuleColumn& known : kRules) {
    if (known.rule == rule) return known.capability;
  }
  if (is_network_call(operation)) return Capability::network;
  if (is_one_of(operation, {"execve", "execveat"})) return Capability::execute;
  if (is_change_call(operation)) return Capability::write;
  if (is_one_of(operation, {"open", "openat", "openat2"})) {
    return access == Access::read    ? Capability::read
           : access == Access::write ? Capability::write
                                     : Capability::files;
  }
  if (operation == "commit") return Capability::write;
  return rule == "outside-grants" || operation == "landlock" ? Capability::files
                                                             : Capability::syscalls;
}

bool is_on_the_way(std::string_view object, const std::vector<std::string_view>& granted) {
  const auto colon = object.find(':');
  if (colon == std::string_view::npos) return false;
  const std::string_view path = object.substr(colon + 1);
  if (path == "/" || path == "." || path.empty()) return true;
  return std::any_of(granted.begin(), granted.end(), [object](std::string_view one) {
    return one.size() > object.size() && one.starts_with(object) && one[object.size()] == '/';
  });
}

Grant read_grant(JsonValue body, Names& names) {
  Grant grant;
  const std::string_view cap = body["cap"].text_or("");
  grant.cap = names.id(cap);
  grant.capability = capability_of_grant(cap);
  std::string object;
  std::string detail;
  NameRole role = NameRole::plain;
  if (cap == "network" || cap == "git") {
    object = std::string(body["mode"].text_or(""));
    if (object == "none") grant.use = Use::withheld;
  } else if (cap == "env") {
    object = environment_text(body);
    role = NameRole::environment;
    if (object.empty()) {
      object = "none";
      role = NameRole::plain;
      grant.use = Use::withheld;
    }
  } else if (cap == "fs.hide") {
    object = joined(body["patterns"]);
    role = NameRole::pattern;
    if (object.empty()) {
      object = kNothingHidden;
      role = NameRole::plain;
    }
    grant.use = Use::withheld;
  } else if (cap == "limit") {
    object = std::string(body["name"].text_or(""));
    detail = std::string(body["enforced_by"].text_or(""));
    grant.value = body["value"].big_or(0);
    if (is_measured_limit(object)) grant.use = Use::observed;
  } else if (cap == "exec.memory" || cap == "exec.scratch") {
    object = cap == "exec.memory" ? "@memory" : "@scratch";
  } else {
    object = path_text(body["path"]);
    role = NameRole::path;
    // What a staged directory receives is brought out file by file, each with a record. A write to
    // a single file goes straight through and leaves none.
    if (body["staged"].bool_or(false)) grant.use = Use::observed;
    if (body["delete"].bool_or(false)) detail = "may delete";
  }
  grant.object = names.id(object, role);
  grant.detail = names.id(detail);
  return grant;
}

bool is_not_executed(JsonValue close) {
  return close["ended_by"].text_or("") == "tool" && !close["exit"].exists();
}

std::string weaker_text(JsonValue weaker) {
  std::string out;
  for (JsonValue one = weaker.first(); one.exists(); one = weaker.after(one)) {
    if (!out.empty()) out += ", ";
    out.append(one["limit"].text_or("?")).append(" by ").append(one["by"].text_or("?"));
  }
  return out;
}

std::string ceilings_text(JsonValue ceilings) {
  std::string out;
  for (JsonValue one = ceilings.first(); one.exists(); one = ceilings.after(one)) {
    if (!out.empty()) out += ", ";
    out += one["name"].text_or("?");
  }
  return out;
}

bool is_interpreter(std::string_view path) {
  std::string_view name = path.substr(path.find_last_of("/:") + 1);
  if (const auto dash = name.find('-'); dash != std::string_view::npos) name = name.substr(0, dash);
  while (!name.empty() && (name.back() == '.' || (name.back() >= '0' && name.back() <= '9')))
    name.remove_suffix(1);
  return is_one_of(
      name, {"sh",   "bash",    "dash",   "ash",    "zsh",   "ksh",  "mksh",  "fish",   "csh",
             "tcsh", "busybox", "python", "pypy",   "perl",  "ruby", "node",  "nodejs", "deno",
             "bun",  "php",     "lua",    "luajit", "tclsh", "wish", "awk",   "gawk",   "mawk",
             "java", "Rscript", "guile",  "env",    "xargs", "make", "gmake", "expect"});
}

std::string joined(JsonValue array) {
  std::string out;
  for (JsonValue one = array.first(); one.exists(); one = array.after(one)) {
    if (!out.empty()) out += ", ";
    out += one.text_or("?");
  }
  return out;
}

std::string decision_text(JsonValue decision) {
  if (!decision.exists()) return {};
  return "policy " + std::string(decision["policy"].text_or("?")) + ": " +
         std::string(decision["verdict"].text_or("?")) +
         (decision["authenticated"].bool_or(false) ? ", authenticated" : ", not authenticated");
}

std::string ledger_event_text(std::string_view type, JsonValue body) {
  const auto of = [body](std::string_view key) { return std::string(body[key].text_or("")); };
  const std::string why = "; reason: " + of("reason") + "; ordered by: " + of("authority");
  if (type == "ledger.resume")
    return "wall clock stepped by " + std::to_string(body["step_ms"].integer_or(0)) + " ms";
  if (type == "key.revoke") return "signing key revoked by the root key";
  if (type == "ledger.hold") {
    const JsonValue runs = body["runs"];
    return "legal hold " + of("name") + " over " +
           (runs.exists() ? std::to_string(runs.size()) + " runs" : "the whole ledger") + why;
  }
  if (type == "ledger.release") return "legal hold " + of("name") + " ended" + why;
  if (type == "ledger.prune") {
    return std::to_string(body["records"].integer_or(0)) + " records of " +
           std::to_string(body["runs"].integer_or(0)) + " runs below record " +
           std::to_string(body["below"].integer_or(0)) + " dropped, their hashes kept" + why;
  }
  if (type == "ledger.seal") {
    return "the ledger ends: " + std::to_string(body["closed"].integer_or(0)) +
           " runs with an end, " + std::to_string(body["open"].integer_or(0)) + " without" + why;
  }
  if (type == "ledger.anchor") {
    return of("kind") + " time stamp over the first " + std::to_string(body["size"].integer_or(0)) +
           " records, policy " + of("policy");
  }
  return "values erased: " + std::to_string(body["targets"].size()) + why;
}

}  // namespace ethos::reports
