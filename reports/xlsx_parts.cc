// SPDX-License-Identifier: Apache-2.0
#include "reports/xlsx_parts.h"

#include "reports/text.h"
#include "reports/words.h"
#include "reports/xlsx.h"

namespace ethos::reports {
namespace {

constexpr std::string_view kDeclaration =
    "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";
constexpr std::string_view kMain = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
constexpr std::string_view kOffice =
    "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
constexpr std::string_view kPackage =
    "http://schemas.openxmlformats.org/package/2006/relationships";
constexpr std::string_view kWorkbookType =
    "application/vnd.openxmlformats-officedocument.spreadsheetml.";

std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

std::string sheet_path(std::size_t number) {
  return "worksheets/sheet" + std::to_string(number) + ".xml";
}

std::string relation(const std::string& id, std::string_view type, const std::string& target) {
  return "<Relationship Id=" + quoted(id) + " Type=\"" + std::string(type) +
         "\" Target=" + quoted(target) + "/>";
}

// In a header a `&` begins a code.
std::string header_text(std::string_view text) {
  std::string out;
  for (const char c : visible(text)) out += c == '&' ? std::string("&&") : std::string(1, c);
  return xlsx_text(shortened(out, 100));
}

}  // namespace

std::string content_types(std::size_t sheets) {
  std::string out(kDeclaration);
  out +=
      "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">"
      "<Default Extension=\"rels\" "
      "ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>"
      "<Default Extension=\"xml\" ContentType=\"application/xml\"/>";
  const auto part = [&out](const std::string& path, const std::string& type) {
    out += "<Override PartName=" + quoted(path) + " ContentType=" + quoted(type) + "/>";
  };
  part("/xl/workbook.xml", std::string(kWorkbookType) + "sheet.main+xml");
  for (std::size_t i = 1; i <= sheets; ++i)
    part("/xl/" + sheet_path(i), std::string(kWorkbookType) + "worksheet+xml");
  part("/xl/styles.xml", std::string(kWorkbookType) + "styles+xml");
  part("/docProps/core.xml", "application/vnd.openxmlformats-package.core-properties+xml");
  part("/docProps/app.xml",
       "application/vnd.openxmlformats-officedocument.extended-properties+xml");
  return out + "</Types>";
}

std::string package_relations() {
  const std::string office(kOffice);
  return std::string(kDeclaration) + "<Relationships xmlns=" + quoted(kPackage) + ">" +
         relation("rId1", office + "/officeDocument", "xl/workbook.xml") +
         relation("rId2",
                  "http://schemas.openxmlformats.org/package/2006/relationships/metadata/"
                  "core-properties",
                  "docProps/core.xml") +
         relation("rId3", office + "/extended-properties", "docProps/app.xml") + "</Relationships>";
}

std::string workbook_relations(std::size_t sheets) {
  std::string out = std::string(kDeclaration) + "<Relationships xmlns=" + quoted(kPackage) + ">";
  for (std::size_t i = 1; i <= sheets; ++i) {
    out += relation("rId" + std::to_string(i), std::string(kOffice) + "/worksheet", sheet_path(i));
  }
  out +=
      relation("rId" + std::to_string(sheets + 1), std::string(kOffice) + "/styles", "styles.xml");
  return out + "</Relationships>";
}

std::string workbook(const std::string& first, const std::vector<SheetFacts>& sheets) {
  std::string list = "<sheet name=" + quoted(first) + " sheetId=\"1\" r:id=\"rId1\"/>";
  std::string names;
  std::size_t number = 1;
  for (const SheetFacts& sheet : sheets) {
    ++number;
    const std::string id = std::to_string(number);
    list += "<sheet name=" + quoted(sheet.title) + " sheetId=" + quoted(id) + " r:id=\"rId" + id +
            "\"/>";
    // The range of the filter, and the head line on each printed page.
    names += "<definedName name=\"_xlnm._FilterDatabase\" localSheetId=" +
             quoted(std::to_string(number - 1)) + " hidden=\"1\">'" + sheet.title + "'!$A$1:$" +
             sheet.last_column + "$" + std::to_string(sheet.rows + 1) + "</definedName>";
  }
  number = 0;
  for (const SheetFacts& sheet : sheets) {
    names += "<definedName name=\"_xlnm.Print_Titles\" localSheetId=" +
             quoted(std::to_string(++number)) + ">'" + sheet.title + "'!$1:$1</definedName>";
  }
  return std::string(kDeclaration) + "<workbook xmlns=" + quoted(kMain) +
         " xmlns:r=" + quoted(kOffice) +
         "><bookViews><workbookView xWindow=\"0\" yWindow=\"0\" windowWidth=\"28000\" "
         "windowHeight=\"16000\" activeTab=\"0\"/></bookViews><sheets>" +
         list + "</sheets><definedNames>" + names + "</definedNames></workbook>";
}

std::string styles() {
  return std::string(kDeclaration) + "<styleSheet xmlns=" + quoted(kMain) +
         ">"
         "<fonts count=\"2\"><font><sz val=\"10\"/><name val=\"Calibri\"/><family "
         "val=\"2\"/></font>"
         "<font><b/><sz val=\"10\"/><name val=\"Calibri\"/><family val=\"2\"/></font></fonts>"
         "<fills count=\"3\"><fill><patternFill patternType=\"none\"/></fill>"
         "<fill><patternFill patternType=\"gray125\"/></fill>"
         "<fill><patternFill patternType=\"solid\"><fgColor rgb=\"FFE8ECF0\"/>"
         "<bgColor indexed=\"64\"/></patternFill></fill></fills>"
         "<borders count=\"1\"><border><left/><right/><top/><bottom/><diagonal/></border></borders>"
         "<cellStyleXfs count=\"1\"><xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" "
         "borderId=\"0\"/></cellStyleXfs>"
         "<cellXfs count=\"2\"><xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\" "
         "xfId=\"0\"/>"
         "<xf numFmtId=\"0\" fontId=\"1\" fillId=\"2\" borderId=\"0\" xfId=\"0\" "
         "applyFont=\"1\" applyFill=\"1\"/></cellXfs>"
         "<cellStyles count=\"1\"><cellStyle name=\"Normal\" xfId=\"0\" builtinId=\"0\"/>"
         "</cellStyles></styleSheet>";
}

std::string core_properties(const Model& model) {
  const std::string time = utc_ms_text(model.source.head_ms);
  const std::string title = (model.verified ? "" : "NOT VERIFIED: ") + model.title;
  return std::string(kDeclaration) +
         "<cp:coreProperties "
         "xmlns:cp=\"http://schemas.openxmlformats.org/package/2006/metadata/core-properties\" "
         "xmlns:dc=\"http://purl.org/dc/elements/1.1/\" "
         "xmlns:dcterms=\"http://purl.org/dc/terms/\" "
         "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"><dc:title>" +
         xlsx_text(title) + "</dc:title><dc:creator>" + xlsx_text(model.generator) +
         "</dc:creator><dcterms:created xsi:type=\"dcterms:W3CDTF\">" + time +
         "</dcterms:created><dcterms:modified xsi:type=\"dcterms:W3CDTF\">" + time +
         "</dcterms:modified></cp:coreProperties>";
}

std::string app_properties() {
  return std::string(kDeclaration) +
         "<Properties "
         "xmlns=\"http://schemas.openxmlformats.org/officeDocument/2006/extended-properties\">"
         "<Application>ethos-report</Application></Properties>";
}

std::string sheet_start(const std::vector<std::size_t>& widths, bool is_first) {
  std::string out = std::string(kDeclaration) + "<worksheet xmlns=" + quoted(kMain) +
                    "><sheetPr><pageSetUpPr fitToPage=\"1\"/></sheetPr><sheetViews><sheetView " +
                    (is_first ? "tabSelected=\"1\" " : "") +
                    "workbookViewId=\"0\"><pane ySplit=\"1\" topLeftCell=\"A2\" "
                    "activePane=\"bottomLeft\" state=\"frozen\"/></sheetView></sheetViews>"
                    "<sheetFormatPr defaultRowHeight=\"15\"/><cols>";
  std::size_t number = 0;
  for (const std::size_t width : widths) {
    const std::string at = std::to_string(++number);
    out += "<col min=" + quoted(at) + " max=" + quoted(at) +
           " width=" + quoted(std::to_string(width)) + " customWidth=\"1\"/>";
  }
  return out + "</cols><sheetData>";
}

std::string sheet_end(const Model& model) {
  const std::string head =
      (model.verified ? "" : "NOT VERIFIED: ") + model.title + " " + model.period.text();
  return "<pageMargins left=\"0.5\" right=\"0.5\" top=\"0.8\" bottom=\"0.7\" header=\"0.3\" "
         "footer=\"0.3\"/><pageSetup paperSize=\"9\" orientation=\"landscape\" fitToHeight=\"0\"/>"
         "<headerFooter><oddHeader>&amp;L" +
         header_text(head) + "&amp;R&amp;A</oddHeader><oddFooter>&amp;L" +
         header_text(model.source.origin + ", root " + model.source.root) +
         "&amp;R&amp;P / &amp;N</oddFooter></headerFooter></worksheet>";
}

}  // namespace ethos::reports
