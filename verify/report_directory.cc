// SPDX-License-Identifier: Apache-2.0
#include "verify/report_directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "verify/digest.h"
#include "verify/encoding.h"
#include "verify/envelope.h"
#include "verify/json_text.h"
#include "verify/snapshot.h"
#include "verify/unique_fd.h"

namespace ethos::verify {
namespace {

constexpr std::uint64_t kMaxManifest = std::uint64_t{1} << 20U;
constexpr std::size_t kMaxFiles = 1000;  // a report has some thirty
constexpr std::size_t kMaxEntries = 10'000;
constexpr std::uint64_t kMaxStatements = std::uint64_t{8} << 20U;
constexpr std::size_t kMaxLines = 16;
constexpr const char* kManifest = "manifest.json";
constexpr const char* kSums = "SHA256SUMS";
constexpr const char* kReport = "report.json";
constexpr const char* kEnvelope =
    "report.intoto.jsonl";  // written after the manifest, and about it

struct NamedFile {
  std::uint64_t bytes = 0;
  std::string sha256;  // 64 hex digits
};

struct Manifest {
  std::string format;
  Value source;  // the members that are no lists
  std::vector<std::pair<std::string, NamedFile>> files;
};

// A name in the directory itself.
bool is_plain_name(const std::string& name) {
  return !name.empty() && name.size() < 256 && name[0] != '.' &&
         name.find('/') == std::string::npos;
}

std::optional<NamedFile> named_file(const Value& element) {
  const Value& bytes = element.at("bytes");
  const std::string digest = element.text_at("sha256");
  if (!bytes.is_integer() || bytes.number() < 0 || digest.size() != 64 || !decode_hex(digest))
    return std::nullopt;
  return NamedFile{static_cast<std::uint64_t>(bytes.number()), digest};
}

Result<Manifest> parse_manifest(const std::string& bytes) {
  Manifest out;
  out.source = Value::object();
  std::set<std::string> names;
  JsonTextReader reader(bytes, {.decimals = true, .bytes = kMaxManifest, .members = 64});
  const auto file = [&] {
    Value element;
    if (!reader.value(element, 2)) return false;
    const std::string name = element.text_at("name");
    const auto named = named_file(element);
    const bool is_good =
        named && is_plain_name(name) && names.insert(name).second && out.files.size() < kMaxFiles;
    if (!is_good)
      return reader.fail("a file of the manifest has no name, size or digest of its own");
    out.files.emplace_back(name, *named);
    return true;
  };
  const auto member = [&](const std::string& key) {
    if (key == "files" && reader.peek() == '[') return reader.walk_array(1, file);
    Value value;
    if (!reader.value(value, 1)) return false;
    if (key == "format") out.format = value.text();
    out.source.set(key, std::move(value));
    return true;
  };
  if (!reader.begin() || !reader.walk_object(0, member) || !reader.end()) return reader.error();
  return out;
}

class DirectoryReader {
 public:
  DirectoryReader(const std::string& directory, const std::string& report,
                  const ReportClaims& claims, const Vkey* signer)
      : path_(directory), report_(report), claims_(claims), signer_(signer) {}

  ReportDirectory read() {
    fd_ = UniqueFd(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd_.valid()) return unknown("its directory cannot be opened");
    const auto bytes = read_file(path_ + "/" + kManifest, kMaxManifest);
    if (!bytes)
      return unknown(
          "its directory has no manifest.json that can be read (give report.json itself to judge "
          "it alone)");
    auto manifest = parse_manifest(*bytes);
    if (!manifest) return unknown("its manifest.json is malformed: " + manifest.error().what);
    if (manifest->format != "ethos-report-manifest/1")
      return unknown("its manifest.json is of another format: " + printable(manifest->format, 60));
    compare_source(manifest->source);
    for (const auto& [name, file] : manifest->files) compare_file(name, file);
    compare_sums(manifest->files);
    find_added(manifest->files);
    check_signature(manifest->files);
    return std::move(out_);
  }

 private:
  ReportDirectory unknown(std::string why) {
    out_.unknown = std::move(why);
    return std::move(out_);
  }
  void add(std::string what, std::string expected, std::string found) {
    out_.differences.push_back({-1, "", std::move(what), std::move(expected), std::move(found)});
  }

  // What both tell of the same report.
  void compare_source(const Value& source) {
    const auto same = [&](const char* key, const std::string& expected) {
      const Value& value = source.at(key);
      const std::string found = value.is_integer()   ? std::to_string(value.number())
                                : value.is_boolean() ? (value.flag() ? "true" : "false")
                                                     : value.text();
      if (found != expected)
        add(std::string("manifest.json, ") + key, printable(expected, 100), printable(found, 100));
    };
    same("origin", claims_.origin);
    same("size", std::to_string(claims_.size));
    same("root", claims_.root.base64());
    same("period", claims_.period);
    same("zone", claims_.zone);
    same("pin", claims_.pin);
    same("verified", claims_.is_verified ? "true" : "false");
  }

  // Its digest, when it is a file of `size` bytes; otherwise what it is instead.
  std::string digest_of(const std::string& name, std::uint64_t size) {
    const UniqueFd file(
        ::openat(fd_.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!file.valid()) return errno == ENOENT ? "no such file" : "a file that cannot be opened";
    struct stat st {};
    if (::fstat(file.get(), &st) != 0 || !S_ISREG(st.st_mode)) return "no regular file";
    if (static_cast<std::uint64_t>(st.st_size) != size)
      return std::to_string(st.st_size) + " bytes";
    hash_.begin();
    std::array<char, 65536> chunk{};
    while (true) {
      const ssize_t got = ::read(file.get(), chunk.data(), chunk.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return "a file that cannot be read";
      if (got == 0) break;
      hash_.add({chunk.data(), static_cast<std::size_t>(got)});
    }
    return encode_hex(hash_.finish().view());
  }

  void compare_file(const std::string& name, const NamedFile& file) {
    const std::string found = digest_of(name, file.bytes);
    // What was judged is what the manifest names, even if the file was replaced in between.
    const bool is_judged = name != kReport || encode_hex(hash_.of(report_).view()) == file.sha256;
    has_report_ = has_report_ || name == kReport;
    if (found == file.sha256 && is_judged) {
      ++out_.files;
      return;
    }
    add(printable(name, 100) + (found == "no such file" ? " is missing" : " was changed"),
        std::to_string(file.bytes) + " bytes, sha256 " + file.sha256, found);
  }

  void compare_sums(const std::vector<std::pair<std::string, NamedFile>>& files) {
    if (!has_report_) add("manifest.json does not name report.json", kReport, "nothing");
    std::string expected;
    for (const auto& [name, file] : files) expected += file.sha256 + "  " + name + "\n";
    const auto sums = read_file(path_ + "/" + kSums, kMaxManifest);
    if (!sums) return add("SHA256SUMS is missing", "the digests of manifest.json", "no such file");
    if (*sums == expected) return;
    add("SHA256SUMS differs from manifest.json",
        std::to_string(std::count(expected.begin(), expected.end(), '\n')) + " files",
        std::to_string(std::count(sums->begin(), sums->end(), '\n')) + " lines");
  }

  void find_added(const std::vector<std::pair<std::string, NamedFile>>& files) {
    std::set<std::string> known{kManifest, kSums, kEnvelope};
    for (const auto& [name, file] : files) known.insert(name);
    const auto close = [](DIR* open) { ::closedir(open); };
    const std::unique_ptr<DIR, decltype(close)> listing(::opendir(path_.c_str()), close);
    if (!listing) return add("the directory cannot be listed", "its files", "nothing");
    std::set<std::string> added;  // in an order that does not depend on the file system
    std::size_t entries = 0;
    while (const dirent* entry = ::readdir(listing.get())) {
      const std::string name = entry->d_name;
      if (name == "." || name == ".." || known.contains(name)) continue;
      if (++entries > kMaxEntries) break;
      added.insert(name);
    }
    for (const std::string& name : added)
      add(printable(name, 100) + " was added", "no such file",
          "a file that manifest.json does not name");
  }

  // Each line is a statement about files of the directory; the first one is about all of them.
  void check_signature(const std::vector<std::pair<std::string, NamedFile>>& files) {
    using Signature = ReportDirectory::Signature;
    const auto lines = read_file(path_ + "/" + kEnvelope, kMaxStatements);
    const bool is_there = lines || lines.error().code != Errc::not_found;
    out_.signature = is_there ? Signature::not_checked : Signature::none;
    if (signer_ == nullptr) return;
    out_.signer = signer_->name;
    if (!is_there) {
      out_.unknown =
          "it has no signed statement (report.intoto.jsonl) for --signer to be held against";
      return;
    }
    out_.signature = Signature::wrong;
    const auto refuse = [&](const std::string& why) {
      add(std::string(kEnvelope) + ": " + why,
          "a statement about these files, signed by " + printable(signer_->name, 200), "another");
    };
    if (!lines) return refuse("it cannot be read: " + lines.error().what);
    std::map<std::string, std::string> digests;
    for (const auto& [name, file] : files) digests[name] = file.sha256;
    std::string_view rest = *lines;
    std::size_t statements = 0;
    while (!rest.empty()) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(rest.size(), line.size() + 1));
      if (++statements > kMaxLines) return refuse("it has more lines than a report has statements");
      const auto opened = open_signed_statement(line, *signer_);
      if (!opened)
        return refuse("line " + std::to_string(statements) +
                      " is no signed statement: " + opened.error().what);
      if (!*opened)
        return refuse("line " + std::to_string(statements) + " is not signed by this key");
      const auto statement = parse_foreign_json(**opened);
      if (!statement)
        return refuse("line " + std::to_string(statements) +
                      " cannot be read: " + statement.error().what);
      if (const std::string why = subjects_fault(*statement, digests, statements == 1);
          !why.empty())
        return refuse("line " + std::to_string(statements) + ": " + why);
    }
    if (statements == 0) return refuse("it is empty");
    out_.signature = Signature::right;
  }

  std::string subjects_fault(const Value& statement,
                             const std::map<std::string, std::string>& digests, bool is_of_all) {
    if (statement.text_at("_type") != "https://in-toto.io/Statement/v1")
      return "no in-toto statement of version 1";
    std::set<std::string> named;
    for (const Value& subject : statement.at("subject").items()) {
      const std::string name = subject.text_at("name");
      const std::string& digest = subject.at("digest").text_at("sha256");
      const auto known = digests.find(name);
      std::string found = known == digests.end() ? "" : known->second;
      if (name == kManifest || name == kSums) {
        const auto bytes = read_file(path_ + "/" + name, kMaxManifest);
        if (bytes) found = encode_hex(hash_.of(*bytes).view());
      }
      if (found.empty() || found != digest)
        return "it is signed about another " + printable(name, 100);
      named.insert(name);
    }
    if (named.empty()) return "it is about no file";
    if (!is_of_all) return "";
    for (const auto& [name, digest] : digests) {
      if (!named.contains(name)) return "it is not about " + printable(name, 100);
    }
    return "";
  }

  const std::string& path_;
  const std::string& report_;
  const ReportClaims& claims_;
  const Vkey* signer_;
  UniqueFd fd_;
  Sha256 hash_;
  ReportDirectory out_;
  bool has_report_ = false;
};

}  // namespace

ReportDirectory read_report_directory(const std::string& directory, const std::string& report,
                                      const ReportClaims& claims, const Vkey* signer) {
  return DirectoryReader(directory, report, claims, signer).read();
}

}  // namespace ethos::verify
