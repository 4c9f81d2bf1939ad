// SPDX-License-Identifier: Apache-2.0
#include "verify/enforced.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "verify/digest.h"
#include "verify/encoding.h"
#include "verify/forms.h"
#include "verify/plan.h"

namespace ethos::verify {
namespace {

// Host uids that a root supervisor may map the cage's user to (K-4).
constexpr std::uint64_t kFirstHostId = 1'900'000'000;
constexpr std::uint64_t kLastHostId = 1'900'065'535;
constexpr std::int64_t kPage = 4096;
// Of Landlock: the first with an audit, and the last whose rights are known here.
constexpr std::int64_t kAuditAbi = 7;
constexpr std::int64_t kKnownAbi = 7;

struct Probe {
  std::string_view name;
  std::array<std::int64_t, 4> errnos;  // allowed; 0 fills up
  bool required;
};

// P-1, in order.
constexpr std::array<Probe, 12> kProbes{{{"open_ungranted", {13, 2}, true},
                                         {"write_read_grant", {13, 30}, true},
                                         {"create_in_root", {13, 30}, true},
                                         {"unshare_user", {1, 38}, true},
                                         {"mount", {1, 38}, true},
                                         {"socket_inet", {1, 13, 38, 97}, true},
                                         {"connect_public", {101, 13}, true},
                                         {"socket_vsock", {1, 13, 38, 97}, false},
                                         {"ptrace", {1, 38}, false},
                                         {"i386_gate", {1, 38}, false},
                                         {"cgroup_procs", {13, 30, 2}, false},
                                         {"memfd_exec", {38, 13, 1}, false}}};

// Rights that an ABI of Landlock knows (landlock(7)); L-6 asks for all of them.
std::uint64_t known_fs_rights(std::int64_t abi) {
  const unsigned bits = abi >= 5 ? 16 : abi >= 3 ? 15 : abi >= 2 ? 14 : 13;
  return (std::uint64_t{1} << bits) - 1;
}

// Cuts what `separator` ends.
std::string_view cut(std::string_view& rest, char separator) {
  const std::size_t end = std::min(rest.find(separator), rest.size());
  const std::string_view word = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return word;
}

// Numbers that Linux gives to the first time, cgroup, pid, user, uts and ipc namespace (proc_ns.h).
bool is_initial(const std::string& inode) { return inode >= "4026531834" && inode <= "4026531839" && inode.size() == 10; }

class CageChecker {
 public:
  CageChecker(const Value& enforced, const CagePlan& cage, const ProblemSink& report)
      : enforced_(enforced), k_(enforced.at("k")), cage_(cage), report_(report) {
    for (const Value& limit : cage.plan->at("limits").items()) {
      limits_.emplace(limit.text_at("name"), std::pair{limit.text_at("enforced_by"), limit.text_at("value")});
    }
  }

  void check() {
    process();
    identity();
    mounts();
    descriptors();
    rlimits();
    cgroup();
    probes();
    landlock();
    filter();
    weaker();
    const auto& sources = enforced_.at("sources").items();
    const bool ascending = std::adjacent_find(sources.begin(), sources.end(), [](const Value& a, const Value& b) {
                             return a.text() >= b.text();
                           }) == sources.end();
    if (!ascending) mismatch("the live sources are not in order, each once", "", encode_canonical(enforced_.at("sources")));
    if (listed(enforced_.at("sources"), "cgroup_events") != k_.has("cgroup")) {
      mismatch("cgroup_events is a source exactly where there is a cgroup", "", encode_canonical(enforced_.at("sources")));
    }
    if (listed(enforced_.at("sources"), "landlock_audit") && enforced_.at("s").at("landlock").at("abi").number() < kAuditAbi) {
      mismatch("landlock_audit cannot be a source with that ABI", "ABI 7", "");
    }
    for (const char* always : {"output_counter", "pidfd", "seccomp_notify", "timer"}) {
      if (!listed(enforced_.at("sources"), always)) mismatch(std::string(always) + " is not among the live sources", always, "");
    }
  }

 private:
  void mismatch(std::string text, std::string expected, std::string found) {
    report_(Code::enforced_mismatch, std::move(text), std::move(expected), std::move(found));
  }
  void require_number(const char* key, std::int64_t wanted) {
    if (k_.at(key).number() != wanted) {
      mismatch(std::string(key) + " was not as it must be", std::to_string(wanted), std::to_string(k_.at(key).number()));
    }
  }
  static bool listed(const Value& list, std::string_view word) {
    return std::any_of(list.items().begin(), list.items().end(), [&](const Value& v) { return v.text() == word; });
  }

  // K-1 to K-3, K-9.
  void process() {
    require_number("no_new_privs", 1);
    require_number("seccomp", 2);
    // More than one: the host had put filters of its own on, which can only narrow.
    if (k_.at("seccomp_filters").number() < 1) require_number("seccomp_filters", 1);
    const Value& caps = k_.at("caps");
    for (std::size_t i = 0; i < caps.size(); ++i) {
      if (caps.items()[i].text() != "0000000000000000") {
        mismatch("capabilities were left", caps.keys()[i] + " 0", caps.items()[i].text());
      }
    }
    if (k_.at("ns_shared").size() != 0) mismatch("a namespace was shared with the supervisor", "none", k_.at("ns_shared").items()[0].text());
    if (!k_.at("listener").flag()) mismatch("the listener did not deliver the barrier's own notification", "true", "false");
  }

  // K-4. An ordinary user can map himself and nobody else, and keeps his groups.
  void identity() {
    const Value& host = cage_.facts->at("host");
    const bool root = host.at("uid").number() == 0;
    const std::uint64_t uid = mapped("uid_map", root, cage_.facts->at(root ? "workspace" : "host").at("uid").number());
    const std::uint64_t gid = mapped("gid_map", root, cage_.facts->at(root ? "workspace" : "host").at("gid").number());
    if (root && uid != gid) mismatch("user and group are not mapped to one number", std::to_string(uid), std::to_string(gid));
    const Value& groups = *cage_.groups;
    if (root && groups.size() != 0) mismatch("supplementary groups were kept", "none", encode_canonical(groups));
    if (root) return;
    if (k_.text_at("setgroups") != "deny") mismatch("setgroups was not given up", "deny", k_.text_at("setgroups"));
    if (groups.kind() != Value::Kind::none && !(groups.is_array() && same_groups(groups, host.at("groups")))) {
      mismatch("the supplementary groups are not the supervisor's", encode_canonical(host.at("groups")), encode_canonical(groups));
    }
  }

  // The host's id that the one line of the map names.
  std::uint64_t mapped(const char* key, bool root, std::int64_t inside) {
    const Value& map = k_.at(key);
    const std::string line = map.size() == 1 ? map.items()[0].text() : "";
    const auto first = line.find(' ');
    const auto second = first == std::string::npos ? first : line.find(' ', first + 1);
    const bool one = second != std::string::npos && line.substr(second + 1) == "1";
    const auto own = one ? parse_decimal(line.substr(0, first)) : std::nullopt;
    const auto host = own ? parse_decimal(line.substr(first + 1, second - first - 1)) : std::nullopt;
    if (!host) {
      mismatch(std::string(key) + " is not one line of one id", "ID ID 1", line);
      return 0;
    }
    if (*own != static_cast<std::uint64_t>(inside)) {
      mismatch(std::string(key) + " is of another id inside the cage", std::to_string(inside), line);
    }
    if (root && (*host < kFirstHostId || *host > kLastHostId)) {
      mismatch(std::string(key) + " maps to an id outside the range for root", "1900000000..1900065535", line);
    }
    if (!root && *host != *own) mismatch(std::string(key) + " maps to somebody else", std::to_string(inside), line);
    return *host;
  }

  static bool same_groups(const Value& a, const Value& b) {
    const auto sorted = [](const Value& list) {
      std::vector<std::int64_t> out;
      for (const Value& v : list.items()) out.push_back(v.number());
      std::sort(out.begin(), out.end());
      return out;
    };
    return sorted(a) == sorted(b);
  }

  // K-5.
  void mounts() {
    if (cage_.mounts->kind() == Value::Kind::none) return;
    const std::string difference = compare_mounts(*cage_.plan, *cage_.mounts);
    if (!difference.empty()) mismatch("the mount table was not the planned one", "the plan's mounts", difference);
  }

  // K-6.
  void descriptors() {
    std::set<std::int64_t> standard;
    int init = 0;
    for (const Value& fd : k_.at("fds").items()) {
      const std::string& kind = fd.text_at("kind");
      const std::int64_t number = fd.at("fd").number();
      if (kind == "init" && number > 2) {
        ++init;
      } else if (number > 2 || kind == "init" || kind == "other" || !standard.insert(number).second) {
        mismatch("a descriptor was open that must not be, or stands there twice", "0, 1, 2 and the init", encode_canonical(fd));
      }
    }
    if (standard.size() != 3 || init > 1) mismatch("the open descriptors were not 0, 1, 2 and the init", "", encode_canonical(k_.at("fds")));
  }

  // At most: the host's own limit may be tighter.
  void rlimit(const char* name, const std::string& wanted) {
    const std::string& found = k_.at("limits").text_at(name);
    const auto value = parse_decimal(found);
    if (!value || *value > parse_decimal(wanted).value_or(0)) {
      mismatch(std::string("resource limit ") + name + " was not set", "at most " + wanted, found);
    }
  }

  // K-7.
  void rlimits() {
    rlimit("core", "1");
    for (const auto& [limit, name] : {std::pair{"memory_bytes", "data"}, {"file_bytes", "fsize"}, {"open_files", "nofile"}}) {
      const auto at = limits_.find(limit);
      if (at != limits_.end() && at->second.first == "rlimit") rlimit(name, at->second.second);
    }
    const auto pids = limits_.find("pids");
    if (pids != limits_.end() && pids->second.first != "cgroup") rlimit("nproc", pids->second.second);
  }

  void control(const std::string& limit, const char* file, const std::string& wanted) {
    std::string found;
    for (const Value& entry : k_.at("cgroup").at("values").items()) {
      if (entry.text_at("file") == file) found = entry.text_at("value");
    }
    if (found != wanted) mismatch("cgroup file " + std::string(file) + " does not hold " + limit, wanted, found);
  }

  // A line of io.max for each disk, e.g. "8:0 rbps=max wbps=1048576 riops=max wiops=max".
  void disks(const std::string& limit, std::string_view key, const std::string& wanted) {
    std::string shown;
    for (const Value& entry : k_.at("cgroup").at("values").items()) {
      if (entry.text_at("file") == "io.max") shown = entry.text_at("value");
    }
    std::set<std::string_view> seen;
    std::string_view rest = shown;
    bool holds = !shown.empty();
    while (!rest.empty()) {
      std::string_view line = cut(rest, '\n');
      const std::string_view disk = cut(line, ' ');
      const std::size_t colon = disk.find(':');
      holds = holds && colon != std::string_view::npos && parse_decimal(disk.substr(0, colon)) &&
              parse_decimal(disk.substr(colon + 1)) && seen.insert(disk).second;
      bool is_held = false;
      while (!line.empty()) {
        const std::string_view word = cut(line, ' ');
        if (word.starts_with(key) && word.substr(key.size()) == "=" + wanted) is_held = true;
      }
      holds = holds && is_held;
    }
    if (!holds) mismatch("cgroup file io.max does not hold " + limit, std::string(key) + "=" + wanted + " for each disk", shown);
  }

  // K-8.
  void cgroup() {
    std::string last;
    std::set<std::string> controllers;
    for (const Value& entry : k_.at("cgroup").at("values").items()) {
      const std::string& file = entry.text_at("file");
      if (file <= last) mismatch("cgroup files are not in order, each once", last, file);
      last = file;
      const std::string controller = file.substr(0, file.find('.'));
      if (controller != "cgroup") controllers.insert(controller);
    }
    const Value& named = k_.at("cgroup").at("controllers");
    const bool same = std::equal(named.items().begin(), named.items().end(), controllers.begin(), controllers.end(),
                                 [](const Value& v, const std::string& name) { return v.text() == name; });
    if (!same) mismatch("the cgroup's controllers are not those of its files", "", encode_canonical(named));
    for (const auto& [limit, held] : limits_) {
      if (held.first != "cgroup") continue;
      const auto value = static_cast<std::int64_t>(parse_decimal(held.second).value_or(0));
      if (limit == "memory_bytes") control(limit, "memory.max", std::to_string(value / kPage * kPage));
      if (limit == "swap_bytes") control(limit, "memory.swap.max", std::to_string(value / kPage * kPage));
      if (limit == "io_read_bps") disks(limit, "rbps", held.second);
      if (limit == "io_write_bps") disks(limit, "wbps", held.second);
      if (limit == "pids") control(limit, "pids.max", std::to_string(value));
      if (limit == "cpu_percent") control(limit, "cpu.max", std::to_string(value * 1000) + " 100000");
    }
  }

  bool probe_expected(const Probe& probe) const {
    const bool loopback = cage_.plan->text_at("network") == "loopback";
    if (probe.name == "socket_inet") return !loopback;
    if (probe.name == "connect_public") return loopback;
    if (probe.name == "memfd_exec") return cage_.plan->text_at("seccomp").find("+mem") == std::string::npos;
    return true;
  }

  // P-1.
  void probes() {
    const auto& done = enforced_.at("p").items();
    std::size_t next = 0;
    for (const Probe& probe : kProbes) {
      if (!probe_expected(probe)) continue;
      const bool here = next < done.size() && done[next].text_at("name") == probe.name;
      if (!here) {
        if (probe.required) report_(Code::probe_unexpected, "a probe was not made", std::string(probe.name), "");
        continue;
      }
      const std::int64_t got = done[next++].at("errno").number();
      const bool failed = got != 0 && std::find(probe.errnos.begin(), probe.errnos.end(), got) != probe.errnos.end();
      if (!failed) {
        report_(Code::probe_unexpected, "probe " + std::string(probe.name) + " did not end as it must",
                "a refusal", "errno " + std::to_string(got));
      }
    }
    if (next != done.size()) {
      report_(Code::probe_unexpected, "a probe is unknown or out of order", "", done[next].text_at("name"));
    }
  }

  // S-2, L-6.
  void landlock() {
    const Value& landlock = enforced_.at("s").at("landlock");
    Sha256 hash;
    const std::string rules = hash.of(encode_canonical(cage_.plan->at("landlock"))).text();
    if (landlock.text_at("rules") != rules) {
      mismatch("the Landlock rules given to the kernel are not the plan's", rules, landlock.text_at("rules"));
    }
    const std::int64_t abi = landlock.at("abi").number();
    if (abi != cage_.facts->at("host").at("landlock_abi").number() || abi < 1) {
      mismatch("Landlock was used with another ABI than the host has",
               std::to_string(cage_.facts->at("host").at("landlock_abi").number()), std::to_string(abi));
    }
    const auto handled = [&](const char* key, std::uint64_t wanted) {
      const std::uint64_t found = parse_decimal(landlock.text_at(key)).value_or(0);
      if ((found & wanted) != wanted) {
        mismatch(std::string("Landlock left rights unhandled: ") + key, std::to_string(wanted), std::to_string(found));
      }
      // Of a later ABI than is known here the kernel may take more.
      const std::uint64_t all = key == std::string_view("handled_net") ? (abi >= 4 ? 3U : 0U) : wanted;
      if (abi <= kKnownAbi && (found & ~all) != 0) {
        mismatch(std::string("Landlock of that ABI has no such rights: ") + key, std::to_string(all), std::to_string(found));
      }
    };
    handled("handled_fs", known_fs_rights(abi));
    if (cage_.plan->text_at("network") == "none") handled("handled_net", abi >= 4 ? 3 : 0);
    handled("scoped", abi >= 6 ? 3 : 0);
  }

  // S-2, S-3.
  void filter() {
    const Value& seccomp = enforced_.at("s").at("seccomp");
    if (seccomp.text_at("name") != cage_.plan->text_at("seccomp")) {
      mismatch("another system call filter was used", cage_.plan->text_at("seccomp"), seccomp.text_at("name"));
    }
    if (cage_.filter_fault && !cage_.filter_fault->empty()) {
      report_(Code::filter_allows, "the filter does not stop all that it must", "", *cage_.filter_fault);
    }
  }

  void weaker() {
    std::map<std::string, std::string> wanted;
    for (const char* name : {"memory_bytes", "swap_bytes", "cpu_percent", "pids"}) {
      const auto at = limits_.find(name);
      if (at != limits_.end() && at->second.first != "cgroup") wanted.emplace(name, at->second.first);
    }
    if (cage_.normal->text_at("profile") == "no-proc") wanted.emplace("proc", "no-proc");
    std::map<std::string, std::string> found;
    const auto& named = enforced_.at("weaker").items();
    if (!std::is_sorted(named.begin(), named.end(), [](const Value& a, const Value& b) { return a.text_at("limit") < b.text_at("limit"); })) {
      mismatch("the weaker means are not in order", "", encode_canonical(enforced_.at("weaker")));
    }
    for (const Value& entry : enforced_.at("weaker").items()) found.emplace(entry.text_at("limit"), entry.text_at("by"));
    for (const auto& [limit, by] : wanted) {
      const auto at = found.find(limit);
      if (at == found.end() || at->second != by) {
        report_(Code::weaker_unnamed, "a weaker means is not named", limit + " by " + by, at == found.end() ? "" : at->second);
      }
    }
    if (enforced_.at("weaker").size() > wanted.size()) mismatch("a weaker means is named that the plan does not have", "", encode_canonical(enforced_.at("weaker")));
  }

  const Value& enforced_;
  const Value& k_;
  const CagePlan& cage_;
  const ProblemSink& report_;
  std::map<std::string, std::pair<std::string, std::string>> limits_;
};

}  // namespace

void check_namespaces(const Value& enforced, const ProblemSink& report) {
  const Value& ns = enforced.at("k").at("ns");
  for (std::size_t i = 0; i < ns.size(); ++i) {
    const std::string& inode = ns.items()[i].text();
    const auto refuse = [&](const char* text) { report(Code::enforced_mismatch, text, "one of its own", ns.keys()[i]); };
    if (is_initial(inode)) refuse("a namespace is the machine's first one, which nobody makes");
    bool repeats = inode == "0";
    for (std::size_t before = 0; before < i; ++before) repeats = repeats || ns.items()[before].text() == inode;
    if (repeats) refuse("two namespaces have one number, or one has none");
  }
}

void check_cage(const Value& enforced, const CagePlan& cage, const ProblemSink& report) {
  CageChecker(enforced, cage, report).check();
}

}  // namespace ethos::verify
