// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "sarif/json/reader.h"
#include "sarif/json/writer.h"
#include "tests/sarif/support.h"

namespace ethos::sarif {
namespace {

// Everything a reader says about a text, on one line.
std::string trace(ByteSource& source, JsonOptions options = {}) {
  JsonReader reader(source, options);
  std::string out;
  while (true) {
    switch (reader.next()) {
      case JsonEvent::begin_object:
        out += "{";
        break;
      case JsonEvent::end_object:
        out += "}";
        break;
      case JsonEvent::begin_array:
        out += "[";
        break;
      case JsonEvent::end_array:
        out += "]";
        break;
      case JsonEvent::key:
        out += "k:" + std::string(reader.text()) + " ";
        break;
      case JsonEvent::string:
        out += "s:" + std::string(reader.text()) + " ";
        break;
      case JsonEvent::number:
        out += "n:" + std::string(reader.raw()) + " ";
        break;
      case JsonEvent::literal_true:
      case JsonEvent::literal_false:
      case JsonEvent::literal_null:
        out += std::string(reader.raw()) + " ";
        break;
      case JsonEvent::end:
        return out + ".";
      case JsonEvent::error:
        return out + "!" + reader.fault().message();
    }
  }
}

std::string trace(std::string_view text, JsonOptions options = {}) {
  MemorySource source(text);
  return trace(source, options);
}

JsonFault fault_of(std::string_view text, JsonOptions options = {}) {
  MemorySource source(text);
  JsonReader reader(source, options);
  JsonEvent event = reader.next();
  while (event != JsonEvent::error && event != JsonEvent::end) event = reader.next();
  return reader.fault();
}

TEST_CASE("json reader: the events of a document", "[sarif]") {
  CHECK(trace(R"( {"a":[1,-0.5e+7,"x\u0041"],"b":{},"c":[],"d":null,"e":true} )") ==
        "{k:a [n:1 n:-0.5e+7 s:xA ]k:b {}k:c []k:d null k:e true }.");
  CHECK(trace("0") == "n:0 .");
  CHECK(trace("\"\"") == "s: .");
  CHECK(trace("false\n") == "false .");
}

TEST_CASE("json reader: the same events however the bytes arrive", "[sarif][property]") {
  const std::string_view text =
      "{\"k\\u00e9y\":[1,22.5e-3,\"\xF0\x9F\x98\x80 \\ud83d\\ude00 \xE2\x82\xAC\",true,null],"
      "\"z\" : \"\\\\\\\"\"}";
  const std::string whole = trace(text);
  for (std::size_t step = 1; step < text.size(); ++step) {
    support::TricklingSource source(text, step);
    CAPTURE(step);
    CHECK(trace(source) == whole);
  }
}

TEST_CASE("json reader: a text cut anywhere is refused", "[sarif][property]") {
  const std::string_view text = R"({"a":[1,"x\u00e9",true,{"b":null}],"c":false})";
  for (std::size_t size = 0; size < text.size(); ++size) {
    const JsonFault fault = fault_of(text.substr(0, size));
    CAPTURE(size, fault.message());
    CHECK((fault.code == JsonFaultCode::truncated || fault.code == JsonFaultCode::empty));
  }
  CHECK(fault_of(text).code == JsonFaultCode::none);
}

TEST_CASE("json reader: each fault has its own name", "[sarif]") {
  using enum JsonFaultCode;
  struct Case {
    std::string_view text;
    JsonFaultCode code;
  };
  for (const auto& [text, code] : std::initializer_list<Case>{
           {"", empty},
           {"  \n", empty},
           {"[1 2]", syntax},
           {"[1,]", syntax},
           {"{\"a\":1,}", syntax},
           {"{a:1}", syntax},
           {"{\"a\" 1}", syntax},
           {"[1}", syntax},
           {"{]", syntax},
           {"01", syntax},
           {"-", truncated},
           {"-x", syntax},
           {"1.", truncated},
           {"1.x", syntax},
           {"1e", truncated},
           {"+1", syntax},
           {".5", syntax},
           {"NaN", syntax},
           {"nul", truncated},
           {"nulx", syntax},
           {"True", syntax},
           {"// x\n1", syntax},
           {"'a'", syntax},
           {"\"a\tb\"", control_character},
           {"\"a\\qb\"", bad_escape},
           {"\"\\u12\"", bad_escape},
           {"\"\\ud800\"", lone_surrogate},
           {"\"\xFF\"", bad_utf8},
           {"\"\xED\xA0\x80\"", bad_utf8},
           {"\"\xE2\x82", bad_utf8},
           {"1 2", trailing_data},
           {"{} x", trailing_data},
           {"{}{}", trailing_data},
           {"{\"a\":1,\"a\":2}", duplicate_key},
           {"{\"a\":1,\"\\u0061\":2}", duplicate_key},
           {"\xEF\xBB\xBF\xEF\xBB\xBF{}", syntax},
           {"\xFF\xFE{\0", wrong_encoding},
           {"\xFE\xFF", wrong_encoding},
       }) {
    CAPTURE(text);
    CHECK(fault_of(text).code == code);
  }
  CHECK(fault_of(std::string_view("{\0}\0", 4)).code == wrong_encoding);
}

TEST_CASE("json reader: a byte order mark is dropped and reported", "[sarif]") {
  MemorySource source("\xEF\xBB\xBF[]");
  JsonReader reader(source);
  CHECK(reader.next() == JsonEvent::begin_array);
  CHECK(reader.had_bom());
  CHECK(reader.line() == 1);
  CHECK(reader.column() == 1);
}

TEST_CASE("json reader: a fault says line, column and pointer", "[sarif]") {
  const JsonFault fault = fault_of("{\n  \"a\": {\"b/~\": [1,\n  tru3]}}");
  CHECK(fault.line == 3);
  CHECK(fault.column == 3);
  CHECK(fault.pointer == "/a/b~1~0/1");
  CHECK(fault.message() == "line 3, column 3: not JSON (at /a/b~1~0/1)");
}

TEST_CASE("json reader: pointer and place of every value", "[sarif]") {
  MemorySource source("{\"a\":[10,\n {\"b\":20}]}");
  JsonReader reader(source);
  std::string out;
  for (JsonEvent event = reader.next(); event != JsonEvent::end; event = reader.next()) {
    REQUIRE(event != JsonEvent::error);
    if (event == JsonEvent::number) {
      out += reader.pointer() + "@" + std::to_string(reader.line()) + ":" +
             std::to_string(reader.column()) + " ";
    }
  }
  CHECK(out == "/a/0@1:7 /a/1/b@2:7 ");
}

TEST_CASE("json reader: limits on depth, tokens and members", "[sarif]") {
  JsonOptions options;
  options.limits = {.depth = 3, .token_bytes = 10, .members = 2};
  CHECK(fault_of("[[[1]]]", options).code == JsonFaultCode::none);
  CHECK(fault_of("[[[[1]]]]", options).code == JsonFaultCode::too_deep);
  CHECK(fault_of("\"12345678901\"", options).code == JsonFaultCode::token_too_long);
  CHECK(fault_of("12345678901", options).code == JsonFaultCode::token_too_long);
  CHECK(fault_of("{\"a\":1,\"b\":2}", options).code == JsonFaultCode::none);
  CHECK(fault_of("{\"a\":1,\"b\":2,\"c\":3}", options).code == JsonFaultCode::too_many_members);
  // Longer than the buffer, so that growth meets the cap.
  options.limits.token_bytes = 100000;
  CHECK(fault_of("\"" + std::string(300000, 'x') + "\"", options).code ==
        JsonFaultCode::token_too_long);
  CHECK(fault_of(std::string(300000, '1'), options).code == JsonFaultCode::token_too_long);
  CHECK(fault_of("\"" + std::string(90000, 'x') + "\"", options).code == JsonFaultCode::none);
}

TEST_CASE("json reader: many members stay quick and are still told apart", "[sarif]") {
  std::string text = "{";
  for (int i = 0; i < 60000; ++i) text += "\"k" + std::to_string(i) + "\":0,";
  CHECK(fault_of(text + "\"x\":0}").code == JsonFaultCode::none);
  CHECK(fault_of(text + "\"k0\":0}").code == JsonFaultCode::duplicate_key);
  CHECK(fault_of(text + "\"k59999\":0}").code == JsonFaultCode::duplicate_key);
}

TEST_CASE("json reader: duplicate keys can be reported instead", "[sarif]") {
  MemorySource source("{\"a\":{\"a\":1},\"b\":2,\"a\":3}");
  JsonOptions options;
  options.duplicate_keys = DuplicateKeyPolicy::report;
  JsonReader reader(source, options);
  std::string duplicates;
  for (JsonEvent event = reader.next(); event != JsonEvent::end; event = reader.next()) {
    REQUIRE(event != JsonEvent::error);
    if (event == JsonEvent::key && reader.is_duplicate_key()) duplicates += reader.pointer();
  }
  CHECK(duplicates == "/a");
}

TEST_CASE("json reader: a source over its limit is an error, not a cut", "[sarif]") {
  MemorySource all("[1,2,3]");
  LimitedSource limited(all, 4);
  JsonReader reader(limited);
  JsonEvent event = reader.next();
  while (event != JsonEvent::error && event != JsonEvent::end) event = reader.next();
  CHECK(reader.fault().code == JsonFaultCode::io);
}

}  // namespace
}  // namespace ethos::sarif
