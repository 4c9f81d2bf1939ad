// SPDX-License-Identifier: Apache-2.0
#include "tests/reports/support/workbook_reader.h"

#include <zlib.h>

#include <catch2/catch.hpp>

namespace ethos::support {
namespace {

std::uint32_t little(const std::string& bytes, std::size_t at, int count) {
  REQUIRE(at + static_cast<std::size_t>(count) <= bytes.size());
  std::uint32_t out = 0;
  for (int i = count - 1; i >= 0; --i)
    out = out << 8U | static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(i)]);
  return out;
}

std::string inflate_all(const std::string& packed, std::size_t size) {
  std::string out(size + 1, '\0');
  z_stream stream{};
  REQUIRE(inflateInit2(&stream, -MAX_WBITS) == Z_OK);
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int done = inflate(&stream, Z_FINISH);
  const std::size_t made = stream.total_out;
  inflateEnd(&stream);
  REQUIRE(done == Z_STREAM_END);
  REQUIRE(made == size);
  out.resize(size);
  return out;
}

std::string between(const std::string& text, const std::string& from, const std::string& to,
                    std::size_t& at) {
  const auto start = text.find(from, at);
  if (start == std::string::npos) {
    at = std::string::npos;
    return {};
  }
  const auto end = text.find(to, start + from.size());
  REQUIRE(end != std::string::npos);
  at = end + to.size();
  return text.substr(start + from.size(), end - start - from.size());
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

std::string unescaped(std::string text) {
  replace_all(text, "&lt;", "<");
  replace_all(text, "&gt;", ">");
  replace_all(text, "&amp;", "&");
  replace_all(text, "_x005F_", "_");
  return text;
}

std::size_t column_of(const std::string& reference) {
  std::size_t out = 0;
  for (const char c : reference) {
    if (c < 'A' || c > 'Z') break;
    out = out * 26 + static_cast<std::size_t>(c - 'A') + 1;
  }
  REQUIRE(out != 0);
  return out - 1;
}

std::vector<Cell> cells_of(const std::string& row, std::size_t number) {
  std::vector<Cell> out;
  std::size_t at = 0;
  for (;;) {
    const std::string cell = between(row, "<c r=\"", "</c>", at);
    if (at == std::string::npos) return out;
    const std::string reference = cell.substr(0, cell.find('"'));
    const std::size_t column = column_of(reference);
    REQUIRE(reference.ends_with(std::to_string(number)));
    REQUIRE(column >= out.size());
    out.resize(column + 1);
    std::size_t from = 0;
    if (cell.find("t=\"inlineStr\"") != std::string::npos) {
      out.back().value = unescaped(between(cell, "<t xml:space=\"preserve\">", "</t>", from));
    } else {
      out.back() = {between(cell, "<v>", "</v>", from), true};
    }
    REQUIRE(from != std::string::npos);
  }
}

}  // namespace

std::map<std::string, std::string> read_zip(const std::string& bytes) {
  std::map<std::string, std::string> out;
  REQUIRE(bytes.size() > 22);
  const std::size_t end = bytes.size() - 22;
  REQUIRE(little(bytes, end, 4) == 0x06054B50);
  const std::uint32_t count = little(bytes, end + 10, 2);
  std::size_t at = little(bytes, end + 16, 4);
  CHECK(at + little(bytes, end + 12, 4) == end);
  for (std::uint32_t i = 0; i < count; ++i) {
    REQUIRE(little(bytes, at, 4) == 0x02014B50);
    CHECK(little(bytes, at + 12, 4) == 0x00210000);  // 1980-01-01 00:00
    const std::uint32_t checksum = little(bytes, at + 16, 4);
    const std::uint32_t packed = little(bytes, at + 20, 4);
    const std::uint32_t size = little(bytes, at + 24, 4);
    const std::uint32_t name_length = little(bytes, at + 28, 2);
    const std::size_t local = little(bytes, at + 42, 4);
    const std::string name = bytes.substr(at + 46, name_length);
    REQUIRE(little(bytes, local, 4) == 0x04034B50);
    REQUIRE(bytes.substr(local + 30, name_length) == name);
    const std::size_t data = local + 30 + name_length + little(bytes, local + 28, 2);
    std::string content = inflate_all(bytes.substr(data, packed), size);
    CHECK(crc32(0, reinterpret_cast<const Bytef*>(content.data()), size) == checksum);
    CHECK(little(bytes, data + packed, 4) == 0x08074B50);
    CHECK(little(bytes, data + packed + 4, 4) == checksum);
    CHECK(out.emplace(name, std::move(content)).second);
    at += 46 + name_length;
  }
  CHECK(at == end);
  return out;
}

std::vector<Sheet> read_workbook(const std::string& bytes) {
  const auto members = read_zip(bytes);
  REQUIRE(members.contains("xl/workbook.xml"));
  const std::string& types = members.at("[Content_Types].xml");
  const std::string& relations = members.at("xl/_rels/workbook.xml.rels");
  std::vector<Sheet> out;
  std::size_t at = 0;
  for (;;) {
    const std::string element = between(members.at("xl/workbook.xml"), "<sheet name=\"", "/>", at);
    if (at == std::string::npos) break;
    Sheet& sheet = out.emplace_back();
    sheet.title = element.substr(0, element.find('"'));
    std::size_t from = 0;
    const std::string id = between(element, "r:id=\"", "\"", from);
    from = relations.find("Id=\"" + id + "\"");
    REQUIRE(from != std::string::npos);
    const std::string path = "xl/" + between(relations, "Target=\"", "\"", from);
    CHECK(types.find("\"/" + path + "\"") != std::string::npos);
    REQUIRE(members.contains(path));
    sheet.xml = members.at(path);
    from = 0;
    for (;;) {
      const std::string row = between(sheet.xml, "<row r=\"", "</row>", from);
      if (from == std::string::npos) break;
      REQUIRE(row.starts_with(std::to_string(sheet.rows.size() + 1) + "\""));
      sheet.rows.push_back(cells_of(row, sheet.rows.size() + 1));
    }
  }
  return out;
}

}  // namespace ethos::support
