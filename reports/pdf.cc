// SPDX-License-Identifier: Apache-2.0
#include "reports/pdf.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <vector>

#include "ledger/base/bytes.h"
#include "ledger/base/file_io.h"
#include "reports/html.h"
#include "reports/period.h"
#include "reports/process.h"
#include "reports/text.h"

namespace ethos::reports {
namespace {

using base::Errc;
using base::fail;

constexpr std::size_t kMaxAnswer = 65536;
constexpr std::size_t kMaxPdf = std::size_t{1} << 28U;
constexpr int kAskMs = 20000;

// Goes away with everything a browser leaves in it.
class WorkDirectory {
 public:
  static base::Result<WorkDirectory> make() {
    const char* place = std::getenv("TMPDIR");
    std::string name = place != nullptr && *place == '/' ? place : "/tmp";
    name += "/ethos-report-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) return base::fail_errno(name, errno);
    return WorkDirectory(std::move(name));
  }
  WorkDirectory(WorkDirectory&& other) noexcept : path_(std::move(other.path_)) {
    other.path_.clear();
  }
  WorkDirectory(const WorkDirectory&) = delete;
  WorkDirectory& operator=(const WorkDirectory&) = delete;
  WorkDirectory& operator=(WorkDirectory&&) = delete;
  ~WorkDirectory() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  explicit WorkDirectory(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

ProcessOptions alone_in(const WorkDirectory& work, std::int64_t unix_seconds, int timeout_ms) {
  return {std::vector<std::string>{"PATH=/usr/bin:/bin", "HOME=" + work.path(),
                                   "TMPDIR=" + work.path(), "LANG=C.UTF-8", "TZ=UTC",
                                   "SOURCE_DATE_EPOCH=" + std::to_string(unix_seconds)},
          timeout_ms};
}

// Chromium keeps its renderers in a sandbox, which the root user cannot have.
void add_common(std::vector<std::string>& arguments, const WorkDirectory& work) {
  for (const char* one :
       {"--headless", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-extensions",
        "--disable-background-networking", "--disable-component-update", "--disable-sync",
        "--disable-dev-shm-usage", "--host-resolver-rules=MAP * ~NOTFOUND"}) {
    arguments.emplace_back(one);
  }
  arguments.push_back("--user-data-dir=" + work.path() + "/profile");
  if (::geteuid() == 0) arguments.emplace_back("--no-sandbox");
}

std::string first_line(std::string_view text) {
  return shortened(visible(text.substr(0, text.find('\n'))), 200);
}

base::Result<std::string> version_of(const std::string& path, PdfEngine::Kind kind) {
  auto work = WorkDirectory::make();
  if (!work) return base::Unexpected(std::move(work).error());
  std::vector<std::string> arguments;
  if (kind == PdfEngine::Kind::chromium) add_common(arguments, *work);
  arguments.emplace_back("--version");
  auto asked = run_program(path, arguments, kMaxAnswer, alone_in(*work, 0, kAskMs));
  if (!asked) return base::Unexpected(std::move(asked).error());
  std::string said = first_line(asked->output);
  while (!said.empty() && said.back() == ' ') said.pop_back();
  if (asked->status != 0 || said.empty())
    return fail(Errc::unsupported, path + ": does not say its version");
  return said;
}

std::string why(const ProcessResult& ended) {
  return "status " + std::to_string(ended.status) + ": " + first_line(ended.errors);
}

}  // namespace

base::Result<PdfEngine> find_pdf_engine(const std::string& wanted) {
  constexpr std::array<const char*, 4> kPlaces = {"/usr/bin/chromium", "/usr/bin/chromium-browser",
                                                  "/usr/bin/google-chrome", "/usr/bin/weasyprint"};
  PdfEngine out;
  out.path = wanted;
  for (const char* place : kPlaces) {
    if (!out.path.empty()) break;
    if (::access(place, X_OK) == 0) out.path = place;
  }
  if (out.path.empty()) {
    return fail(Errc::not_found,
                "neither chromium nor weasyprint is in /usr/bin; install one, or name one with "
                "--pdf-engine");
  }
  if (::access(out.path.c_str(), X_OK) != 0) return base::fail_errno(out.path, errno);
  const std::string name = out.path.substr(out.path.rfind('/') + 1);
  if (name.find("weasyprint") != std::string::npos) out.kind = PdfEngine::Kind::weasyprint;
  auto version = version_of(out.path, out.kind);
  if (!version) return base::Unexpected(std::move(version).error());
  out.version = std::move(*version);
  return out;
}

void set_pdf_times(std::string& pdf, std::int64_t unix_seconds) {
  // 2026-10-01T08:00:00Z -> 20261001080000
  std::string digits = utc_text(unix_seconds);
  std::erase_if(digits, [](char c) { return c < '0' || c > '9'; });
  for (const std::string_view key : {"/CreationDate (D:", "/ModDate (D:"}) {
    for (auto at = pdf.find(key); at != std::string::npos; at = pdf.find(key, at + 1)) {
      const std::size_t from = at + key.size();
      if (pdf.size() - from < digits.size() || digits.size() != 14) break;
      pdf.replace(from, digits.size(), digits);
    }
  }
}

// Chromium names the elements of a tagged document by numbers it gives to nodes, which differ from one
// start to the next. They become their ranks: the order is kept, which the document's tree of names
// needs, and the length too.
void set_pdf_node_numbers(std::string& pdf) {
  constexpr std::string_view kKey = "(node";
  constexpr std::size_t kDigits = 8;
  const auto each = [&](auto act) {
    for (auto at = pdf.find(kKey); at != std::string::npos; at = pdf.find(kKey, at + 1)) {
      const std::size_t from = at + kKey.size();
      const std::string_view digits = std::string_view(pdf).substr(from, kDigits);
      if (digits.size() == kDigits && pdf.compare(from + kDigits, 1, ")") == 0 &&
          std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; }))
        act(from, std::string(digits));
    }
  };
  std::map<std::string, std::string> ranks;
  each([&](std::size_t, std::string digits) { ranks.emplace(std::move(digits), ""); });
  std::size_t rank = 0;
  for (auto& [digits, name] : ranks) {
    name = std::to_string(++rank);
    name.insert(0, kDigits - name.size(), '0');
  }
  each([&](std::size_t from, const std::string& digits) {
    pdf.replace(from, kDigits, ranks.at(digits));
  });
}

base::Result<std::string> make_pdf(const PdfEngine& engine, const Model& model) {
  StringSink page;
  write_print_html(model, page);
  return print_page(engine, page.text(), model.source.head_ms);
}

base::Result<std::string> print_page(const PdfEngine& engine, const std::string& page,
                                     std::int64_t head_ms) {
  auto work = WorkDirectory::make();
  if (!work) return base::Unexpected(std::move(work).error());
  const std::string source = *work / "report.html";
  const std::string target = *work / "report.pdf";
  if (auto made = base::create_file(source, base::as_bytes(page), 0600); !made)
    return base::Unexpected(std::move(made).error());
  std::vector<std::string> arguments;
  if (engine.kind == PdfEngine::Kind::chromium) {
    add_common(arguments, *work);
    arguments.insert(arguments.end(), {"--no-pdf-header-footer", "--generate-pdf-document-outline",
                                       "--print-to-pdf=" + target, "file://" + source});
  } else {
    arguments = {"--encoding", "utf-8", source, target};
  }
  const std::int64_t head = head_ms / 1000;
  auto ended =
      run_program(engine.path, arguments, kMaxAnswer, alone_in(*work, head, engine.timeout_ms));
  if (!ended) return base::Unexpected(std::move(ended).error());
  if (ended->status != 0) return fail(Errc::io, engine.path + ": " + why(*ended));
  auto pdf = base::read_file(target, kMaxPdf);
  if (!pdf || !pdf->starts_with("%PDF-") || pdf->find("%%EOF") == std::string::npos)
    return fail(Errc::io, engine.path + ": made no PDF; " + why(*ended));
  set_pdf_times(*pdf, head);
  set_pdf_node_numbers(*pdf);
  return pdf;
}

}  // namespace ethos::reports
