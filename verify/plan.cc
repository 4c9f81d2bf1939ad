// SPDX-License-Identifier: Apache-2.0
#include "verify/plan.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "verify/encoding.h"
#include "verify/forms.h"
#include "verify/policy_path.h"

namespace ethos::verify {
namespace {

using Flags = std::vector<std::string_view>;

const Flags kReadOnly{"nodev", "nosuid", "ro"};
const Flags kReadOnlyData{"nodev", "noexec", "nosuid", "ro"};
const Flags kWritable{"nodev", "nosuid"};
const Flags kWritableData{"nodev", "noexec", "nosuid"};

// One path with what is granted on it.
struct Place {
  std::string path;
  const Value* fact = nullptr;
  bool read = false;
  bool write = false;
  bool exec = false;
};

// Orders Path objects by (base, bytes of the path).
std::tuple<std::string, std::string> order_of(const Value& where) { return {where.text_at("base"), plain_of(where)}; }

class PlanFunction {
 public:
  PlanFunction(const Value& normal, const Value& facts) : normal_(normal), facts_(facts) {
    for (const Value& fact : facts.at("paths").items()) {
      const std::string& state = fact.text_at("state");
      if (state != "present" && state != "created") continue;
      Place& place = places_[fact.text_at("asked")];
      place.path = fact.text_at("asked");
      if (place.fact == nullptr) place.fact = &fact;
      const std::string& cap = fact.text_at("cap");
      place.read = place.read || cap == "read";
      place.write = place.write || cap == "write";
      place.exec = place.exec || cap == "exec";
    }
  }

  Value compute(const std::vector<Value>& grants) {
    Value plan = Value::object();
    plan.set("cwd", cwd()).set("env", env()).set("grants", Value::array(grants)).set("landlock", landlock());
    plan.set("limits", limits(grants)).set("mounts", mounts()).set("network", normal_.at("network"));
    plan.set("never_write", never_write()).set("observe", normal_.at("observe"));
    const std::string memory = has_exec("@memory") ? "+mem" : "";
    plan.set("seccomp", Value::of(normal_.text_at("observe") + "-" + normal_.text_at("network") + memory));
    plan.set("v", Value::of(std::int64_t{1}));
    return plan;
  }

 private:
  bool has_exec(const std::string& path) const {
    const auto& items = normal_.at("exec").items();
    return std::any_of(items.begin(), items.end(), [&](const Value& v) { return v.text_at("path") == path; });
  }
  bool no_proc() const { return normal_.text_at("profile") == "no-proc"; }

  // P-2.
  Value cwd() const {
    const std::string wanted = text_of(facts_.at("cwd"));
    const bool granted = std::any_of(places_.begin(), places_.end(), [&](const auto& entry) {
      return entry.first[0] != '/' && entry.second.fact->text_at("type") == "dir" && within(wanted, entry.first);
    });
    const auto& hides = facts_.at("hides").items();
    const bool hidden = std::any_of(hides.begin(), hides.end(),
                                    [&](const Value& hide) { return within(wanted, text_of(hide.at("path"))); });
    return granted && !hidden ? facts_.at("cwd") : make_path("workspace", ".");
  }

  // P-3.
  Value env() const {
    std::map<std::string, std::optional<std::string>> out{
        {"HOME", "/tmp/home"}, {"LANG", "C.UTF-8"}, {"PATH", "/usr/bin:/bin"}, {"TMPDIR", "/tmp"}};
    for (const Value& name : facts_.at("env").items()) out[name.text()] = std::nullopt;
    for (const Value& entry : normal_.at("env").items()) {
      if (entry.has("value")) out[entry.text_at("name")] = entry.text_at("value");
    }
    Value list = Value::array();
    for (const auto& [name, value] : out) {
      Value v = Value::object();
      v.set("name", Value::of(name));
      if (value) v.set("value", Value::of(*value));
      list.push(std::move(v));
    }
    return list;
  }

  static Value limits(const std::vector<Value>& grants) {
    Value out = Value::array();
    for (const Value& grant : grants) {
      if (grant.text_at("cap") != "limit") continue;
      Value v = grant;
      v.erase("cap");
      out.push(std::move(v));
    }
    return out;
  }

  // P-4.
  Value never_write() const {
    std::map<std::string, Value> out;
    out.emplace(".git", make_path("workspace", ".git"));
    for (const Value& path : facts_.at("policy").items()) out.emplace(text_of(path), path);
    Value list = Value::array();
    for (auto& [text, path] : out) list.push(std::move(path));
    return list;
  }

  // Mounts -------------------------------------------------------------------------------------

  void mount(Value where, std::string_view kind, const Flags& flags, const Value* with_inode = nullptr) {
    Value list = Value::array();
    for (const std::string_view flag : flags) list.push(Value::of(flag));
    Value v = Value::object();
    v.set("flags", std::move(list)).set("kind", Value::of(kind)).set("where", std::move(where));
    const bool yet_to_be_made = with_inode != nullptr && with_inode->text_at("dev") == "0" && with_inode->text_at("ino") == "0";
    if (with_inode != nullptr && !yet_to_be_made) {
      v.set("dev", with_inode->at("dev")).set("ino", with_inode->at("ino"));
    }
    mounts_.push_back(std::move(v));
  }

  bool visible(const std::string& path) const {
    for (const char* list : {"dirs", "etc"}) {
      for (const Value& entry : facts_.at("system").at(list).items()) {
        if (within(path, entry.text_at("at"))) return true;
      }
    }
    return false;
  }

  // Is there another place with `what` that the path equals (unless strict) or lies below?
  bool covered(const std::string& path, bool Place::*what, bool strict) const {
    return std::any_of(places_.begin(), places_.end(), [&](const auto& entry) {
      return entry.second.*what && (strict ? strictly_within(path, entry.first) : within(path, entry.first));
    });
  }

  bool executable(const std::string& path) const {
    return std::any_of(places_.begin(), places_.end(), [&](const auto& entry) {
      return entry.second.exec && (within(path, entry.first) || within(entry.first, path));
    });
  }

  void grant_mounts() {
    for (const auto& [path, place] : places_) {
      const Value where = place_of(place.fact->at("path"));
      const bool below_write = covered(path, &Place::write, false);
      if (place.write) {
        const bool directory = place.fact->text_at("type") == "dir";
        mount(where, directory ? "staged" : "bind", executable(path) ? kWritable : kWritableData, place.fact);
      } else if (visible(path) || below_write) {
        continue;
      } else if (place.exec) {
        if (!covered(path, &Place::exec, true)) mount(where, "bind", kReadOnly, place.fact);
      } else if (!covered(path, &Place::exec, false) && !covered(path, &Place::read, true)) {
        mount(where, "bind", kReadOnlyData, place.fact);
      }
    }
  }

  Value mounts() {
    mount(make_path("system", "."), "root", kReadOnly);
    for (const Value& dir : facts_.at("system").at("dirs").items()) {
      mount(place_of_absolute(dir.text_at("at")), "bind", kReadOnly, &dir);
    }
    for (const Value& etc : facts_.at("system").at("etc").items()) {
      mount(place_of_absolute(etc.text_at("at")), "bind", kReadOnlyData, &etc);
    }
    if (!no_proc()) mount(make_path("system", "proc"), "proc", kWritableData);
    mount(make_path("system", "dev"), "dev", {"noexec", "nosuid", "ro"});
    for (const char* node : {"dev/full", "dev/null", "dev/random", "dev/urandom", "dev/zero"}) {
      mount(make_path("system", node), "bind", {"noexec", "nosuid"});
    }
    mount(make_path("system", "dev/shm"), "scratch", kWritableData);
    mount(make_path("scratch", "."), "scratch", has_exec("@scratch") ? kWritable : kWritableData);
    grant_mounts();
    for (const Value& hide : facts_.at("hides").items()) {
      mount(place_of(hide.at("path")), "mask", kReadOnlyData);
    }
    std::stable_sort(mounts_.begin(), mounts_.end(),
                     [](const Value& a, const Value& b) { return order_of(a.at("where")) < order_of(b.at("where")); });
    return Value::array(std::move(mounts_));
  }

  // Landlock -----------------------------------------------------------------------------------

  Value landlock() const {
    using Key = std::tuple<std::string, std::string, std::string>;
    std::map<Key, Value> rules;
    const auto rule = [&](const Value& where, const std::string& access) {
      Value v = Value::object();
      v.set("access", Value::of(access)).set("where", where);
      rules.emplace(Key{where.text_at("base"), plain_of(where), access}, std::move(v));
    };
    const auto system = [&](const char* plain, const char* access) { rule(make_path("system", plain), access); };
    for (const Value& dir : facts_.at("system").at("dirs").items()) {
      rule(place_of_absolute(dir.text_at("at")), "read_exec");
    }
    system("etc", "read");
    if (!no_proc()) system("proc", "read");
    for (const char* node : {"dev/full", "dev/null", "dev/random", "dev/urandom", "dev/zero"}) system(node, "device");
    system("dev/shm", "write");
    system("dev", "read");
    rule(make_path("scratch", "."), has_exec("@scratch") ? "write_exec" : "write");
    for (const auto& [path, place] : places_) {
      const Value where = place_of(place.fact->at("path"));
      if (place.write) {
        rule(where, covered(path, &Place::exec, false) ? "write_exec" : "write");
      } else {
        rule(where, place.exec ? "read_exec" : "read");
      }
    }
    Value out = Value::array();
    for (auto& [key, v] : rules) out.push(std::move(v));
    return out;
  }

  const Value& normal_;
  const Value& facts_;
  std::map<std::string, Place> places_;
  std::vector<Value> mounts_;
};

// (where, kind, flags) in one text.
std::string entry_text(const Value& mount) {
  std::string out = mount.at("where").text_at("base") + ":" + plain_of(mount.at("where")) + " " + mount.text_at("kind");
  for (const Value& flag : mount.at("flags").items()) out += " " + flag.text();
  return out;
}

// `MAJOR:MINOR`.
bool is_device(const std::string& text) {
  const auto colon = text.find(':');
  return colon != std::string::npos && parse_decimal(text.substr(0, colon)) && parse_decimal(text.substr(colon + 1));
}

// M-4: what the running kernel may put over /proc.
bool may_be_over_proc(const std::string& entry) {
  static const std::set<std::string> allowed = [] {
    std::set<std::string> out{"system:proc/sys bind nodev noexec nosuid ro", "system:proc/sys proc nodev noexec nosuid ro"};
    for (const char* name : {"kcore", "keys", "key-users", "kallsyms", "sysrq-trigger", "timer_list", "sched_debug",
                             "kmsg", "acpi", "scsi", "fs", "irq", "bus"}) {
      out.insert(std::string("system:proc/") + name + " mask nodev noexec nosuid ro");
    }
    return out;
  }();
  return allowed.contains(entry);
}

}  // namespace

Value compute_plan(const Value& normal, const Value& facts, const std::vector<Value>& grants) {
  return PlanFunction(normal, facts).compute(grants);
}

std::string compare_mounts(const Value& plan, const Value& table) {
  std::multiset<std::string> wanted;
  bool has_proc = false;
  for (const Value& mount : plan.at("mounts").items()) {
    wanted.insert(entry_text(mount));
    has_proc = has_proc || mount.text_at("kind") == "proc";
  }
  if (!table.is_array()) return "the table read back is not a list";
  std::set<std::string> over_proc;
  std::pair<std::string, std::string> last;
  for (const Value& mount : table.items()) {
    // NM-1. A place is plain here, whatever its name.
    constexpr std::size_t kKeys = 4;
    if (mount.size() != kKeys || !mount.has("flags") || !plain_path(View(encode_canonical(mount.at("where")))))
      return "a mount of another form: " + printable(encode_canonical(mount), 300);
    std::pair<std::string, std::string> place{mount.at("where").text_at("base"), plain_of(mount.at("where"))};
    if (place < last) return "the table read back is not in its order";
    last = std::move(place);
    if (!is_device(mount.text_at("dev"))) return "a mount of no device: " + printable(mount.text_at("dev"));
    const std::string entry = entry_text(mount);
    const auto found = wanted.find(entry);
    if (found != wanted.end()) {
      wanted.erase(found);
    } else if (!has_proc || !may_be_over_proc(entry) || !over_proc.insert(entry).second) {
      return "a mount that was not planned: " + entry;
    }
  }
  if (!wanted.empty()) return "a planned mount was not there: " + *wanted.begin();
  return "";
}

}  // namespace ethos::verify
