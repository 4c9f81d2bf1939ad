// SPDX-License-Identifier: Apache-2.0
#include "reports/pdf.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "reports/html.h"
#include "reports/process.h"
#include "reports/tally_rows.h"
#include "reports/text.h"
#include "reports/words.h"
#include "tests/reports/support/fixture.h"

using namespace ethos::reports;
using namespace ethos::support;
namespace fs = std::filesystem;

namespace {

// An engine that is a shell script: what a real one could do wrong.
PdfEngine script(const ScratchDirectory& scratch, const std::string& text) {
  const std::string path = scratch / "engine";
  std::ofstream(path) << "#!/bin/sh\nfor last; do :; done\n" << text << '\n';
  fs::permissions(path, fs::perms::owner_all);
  return {PdfEngine::Kind::weasyprint, path, "test", 60000};
}

// Words of the file, page by page; empty when pdftotext is not there.
std::vector<std::string> pages_of(const std::string& pdf) {
  std::vector<std::string> out;
  if (::access("/usr/bin/pdftotext", X_OK) != 0) return out;
  const ScratchDirectory scratch;
  std::ofstream(scratch / "x.pdf", std::ios::binary) << pdf;
  const auto ended = run_program("/usr/bin/pdftotext",
                                 {"-layout", "-enc", "UTF-8", scratch / "x.pdf", "-"}, 1 << 24);
  REQUIRE(ended);
  REQUIRE(ended->status == 0);
  std::string_view rest = ended->output;
  while (!rest.empty()) {
    const auto end = rest.find('\f');
    out.emplace_back(rest.substr(0, end));
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  }
  return out;
}

// Runs of white space as one blank, so that the layout does not matter.
std::string squeezed(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool is_space = c == ' ' || c == '\n';
    if (is_space && (out.empty() || out.back() == ' ')) continue;
    out += is_space ? ' ' : c;
  }
  return out;
}

bool stands_in(const std::string& text, const std::string& label, const std::string& figure) {
  // A long label is broken into lines around its figure: its first word begins the line.
  for (auto at = text.find(label.substr(0, 24)); at != std::string::npos;
       at = text.find(label.substr(0, 24), at + 1)) {
    if (squeezed(text.substr(at, 400)).find(" " + figure + " ") != std::string::npos) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("pdf: times in the file become those of the last record", "[reports]") {
  std::string pdf =
      "%PDF-1.4 <</CreationDate (D:20310203040506+00'00')\n/ModDate (D:20310203040506+00'00')>>";
  const std::size_t size = pdf.size();
  set_pdf_times(pdf, 1790841600);  // 2026-10-01T08:00:00Z
  CHECK(pdf ==
        "%PDF-1.4 <</CreationDate (D:20261001080000+00'00')\n/ModDate (D:20261001080000+00'00')>>");
  CHECK(pdf.size() == size);
  std::string cut = "/ModDate (D:2031";
  set_pdf_times(cut, 1790841600);
  CHECK(cut == "/ModDate (D:2031");
}

TEST_CASE("pdf: an engine that fails gives no file and one line", "[reports]") {
  const ScratchDirectory scratch;
  const Model model = small_model();
  SECTION("it ends with a status") {
    const auto pdf = make_pdf(script(scratch, "echo out of cheese >&2; exit 7"), model);
    REQUIRE_FALSE(pdf);
    CHECK(pdf.error().message().find("status 7: out of cheese") != std::string::npos);
  }
  SECTION("it makes nothing") { CHECK_FALSE(make_pdf(script(scratch, "exit 0"), model)); }
  SECTION("it makes half a file") {
    CHECK_FALSE(make_pdf(script(scratch, "printf '%%PDF-1.4 half' > \"$last\""), model));
  }
  SECTION("it makes something else") {
    CHECK_FALSE(make_pdf(script(scratch, "printf 'hello %%%%EOF' > \"$last\""), model));
  }
  SECTION("it is killed") { CHECK_FALSE(make_pdf(script(scratch, "kill -9 $$"), model)); }
  SECTION("it hangs, and leaves a child that holds its pipes") {
    PdfEngine engine = script(scratch, "sleep 60 & sleep 60");
    engine.timeout_ms = 1200;
    const auto pdf = make_pdf(engine, model);
    REQUIRE_FALSE(pdf);
    CHECK(pdf.error().message().find("not done within 1 s") != std::string::npos);
  }
  SECTION("it closes its pipes and hangs") {
    PdfEngine engine = script(scratch, "exec >&- 2>&-; sleep 60");
    engine.timeout_ms = 1200;
    CHECK_FALSE(make_pdf(engine, model));
  }
  SECTION("it ends and leaves a child that holds its pipes") {
    const auto pdf =
        make_pdf(script(scratch, "sleep 60 & printf '%%PDF-1.4 x %%%%EOF' > \"$last\""), model);
    CHECK(pdf);
  }
}

TEST_CASE("pdf: an engine sees the page, and nothing of the caller's environment", "[reports]") {
  const ScratchDirectory scratch;
  const Model model = small_model();
  ::setenv("ETHOS_TEST_SECRET", "do not pass on", 1);
  const auto pdf = make_pdf(
      script(scratch, "{ printf '%%PDF-1.4 '; env; cat \"$3\"; printf ' %%%%EOF'; } > \"$last\""),
      model);
  ::unsetenv("ETHOS_TEST_SECRET");
  REQUIRE(pdf);
  CHECK(pdf->find("do not pass on") == std::string::npos);
  CHECK(pdf->find("TZ=UTC") != std::string::npos);
  StringSink page;
  write_print_html(model, page);
  CHECK(pdf->find(page.text()) != std::string::npos);
  CHECK(page.text().find("<script") == std::string::npos);
  CHECK(page.text().find("<nav") == std::string::npos);
  CHECK(page.text().find("<details>") == std::string::npos);
  CHECK(page.text().find("script-src 'none'") != std::string::npos);
}

TEST_CASE("pdf: a named engine must be there and say its version", "[reports]") {
  const ScratchDirectory scratch;
  CHECK_FALSE(find_pdf_engine(scratch / "none"));
  script(scratch, "exit 0");
  CHECK_FALSE(find_pdf_engine(scratch / "engine"));
  script(scratch, "echo 'Engine 1.2  '; echo more");
  const auto found = find_pdf_engine(scratch / "engine");
  REQUIRE(found);
  CHECK(found->version == "Engine 1.2");
}

TEST_CASE("pdf: numbers of nodes become ranks, in order and in place", "[reports]") {
  std::string pdf =
      "/ID (node00000159) x (node00000007) (node00000159) (node0000001) (node0000001x) (node0000";
  set_pdf_node_numbers(pdf);
  CHECK(
      pdf ==
      "/ID (node00000002) x (node00000001) (node00000002) (node0000001) (node0000001x) (node0000");
}

TEST_CASE("pdf: every figure is the model's, every page says what it is, same bytes", "[reports]") {
  const auto engine = find_pdf_engine("");
  if (!engine) {
    WARN("skipped: neither chromium nor weasyprint");
    return;
  }
  Model model = small_model();
  const auto pdf = make_pdf(*engine, model);
  REQUIRE(pdf);
  const auto again = make_pdf(*engine, small_model());
  REQUIRE(again);
  CHECK(*pdf == *again);
  const auto pages = pages_of(*pdf);
  std::string text;
  for (const std::string& page : pages) {
    text += page;
    CHECK(page.find(model.period.text()) != std::string::npos);
    CHECK(page.find("NOT VERIFIED: " + model.title) == std::string::npos);
  }
  // Once only: as the words of the verifier that would be a bad answer.
  const auto quoted = text.find("NOT VERIFIED");
  CHECK(
      (quoted == std::string::npos || text.find("NOT VERIFIED", quoted + 1) == std::string::npos));
  if (text.empty()) {
    WARN("skipped: no pdftotext: the figures were not compared");
    return;
  }
  for (const TallyRow& row : tally_rows(model)) {
    CAPTURE(row.key, row.now);
    CHECK(stands_in(text, std::string(row.label), row.now));
  }
  for (const Exception& row : model.exceptions) {
    CAPTURE(row.ref.seq);
    CHECK(text.find("#" + std::to_string(row.ref.seq)) != std::string::npos);
    CHECK(text.find(leaf_text(row.ref)) != std::string::npos);
  }
  CHECK(squeezed(text).find(model.source.root) != std::string::npos);
}

TEST_CASE("pdf: each page of an unverified report says so", "[reports]") {
  const auto engine = find_pdf_engine("");
  if (!engine || ::access("/usr/bin/pdftotext", X_OK) != 0) {
    WARN("skipped: no PDF engine, or no pdftotext");
    return;
  }
  Model model = small_model();
  model.verified = false;
  model.unverified_reason = "integrity failed: record 7";
  const auto pdf = make_pdf(*engine, model);
  REQUIRE(pdf);
  for (const std::string& page : pages_of(*pdf))
    CHECK(page.find("NOT VERIFIED") != std::string::npos);
}
