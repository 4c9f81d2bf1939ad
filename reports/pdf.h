// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ledger/base/result.h"
#include "reports/model.h"

namespace ethos::reports {

// The program that turns the printed page into a PDF. It is no part of this product and is not
// trusted with more than the page: it gets a file of its own in a directory of its own, no
// environment, no name resolution and a time limit, and the page loads nothing.
struct PdfEngine {
  enum class Kind { chromium, weasyprint };
  Kind kind = Kind::chromium;
  std::string path;
  std::string version;  // its own words, one line: "Chromium 156.0.8078.108 ..."
  int timeout_ms = 240000;
};

// `wanted`: empty for the first that is there (Chromium, which makes tagged files, before
// WeasyPrint), else the path of one. Errc::not_found when there is none.
base::Result<PdfEngine> find_pdf_engine(const std::string& wanted);

// The report as PDF: the page for paper (html.h), so it holds a summary, the exceptions, bounded
// tables and the sample, and says of how many rows. The same model, engine and fonts give the same
// bytes: times in the file are those of the last record.
base::Result<std::string> make_pdf(const PdfEngine& engine, const Model& model);
// Any page of this program; `head_ms` is the time of the document.
base::Result<std::string> print_page(const PdfEngine& engine, const std::string& page,
                                     std::int64_t head_ms);

// Sets /CreationDate and /ModDate of the file to `unix_seconds`, in place.
void set_pdf_times(std::string& pdf, std::int64_t unix_seconds);

// The numbers of a tagged document's nodes become their ranks, in place.
void set_pdf_node_numbers(std::string& pdf);

}  // namespace ethos::reports
