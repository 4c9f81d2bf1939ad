// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "sarif/json/fragment.h"
#include "tests/sarif/support.h"

namespace ethos::sarif {
namespace {

struct Captured {
  explicit Captured(std::string_view json) : source(json), reader(source) {
    is_good = fragment.capture(reader, reader.next());
  }
  MemorySource source;
  JsonReader reader;
  JsonFragment fragment;
  bool is_good = false;
};

TEST_CASE("json fragment: members are found by their decoded key", "[sarif]") {
  const Captured captured(
      R"({"a":1,"\u0062":"x\ny","c":[true,false,null,{"d":-5}],"e":18446744073709551615})");
  REQUIRE(captured.is_good);
  const JsonView root = captured.fragment.root();
  CHECK(root.size() == 4);
  CHECK(integer_of(root, "a") == 1);
  CHECK(text_of(root, "b") == "x\ny");
  CHECK(root.find("b")->key() == "b");
  CHECK_FALSE(root.find("zz"));
  const auto list = root.find("c");
  REQUIRE(list);
  CHECK(list->size() == 4);
  CHECK(list->at(0)->boolean() == true);
  CHECK(list->at(2)->is_null());
  CHECK(integer_of(*list->at(3), "d") == -5);
  CHECK_FALSE(list->at(4));
  CHECK_FALSE(root.find("e")->integer());
  CHECK(root.find("e")->token() == "18446744073709551615");
  CHECK(root.find_path({"c"})->is_array());
  CHECK_FALSE(root.find_path({"a", "x"}));
}

TEST_CASE("json fragment: writing gives the same tokens", "[sarif]") {
  const std::string_view json = R"({"a":[1.0,1e5,-0,"\u00e9\/"],"":{},"b":[[],[{}]],"x":"é"})";
  const Captured captured(json);
  REQUIRE(captured.is_good);
  StringSink sink;
  JsonWriter writer(sink, JsonLayout::compact);
  captured.fragment.root().write(writer);
  writer.finish();
  CHECK(sink.text() == std::string(json) + "\n");
}

TEST_CASE("json fragment: the cap counts bytes and nodes", "[sarif]") {
  std::string wide = "[";
  for (int i = 0; i < 5000; ++i) wide += "0,";
  wide += "0]";
  MemorySource source(wide);
  JsonReader reader(source);
  JsonFragment fragment;
  CHECK_FALSE(fragment.capture(reader, reader.next(), 10000));
  CHECK(fragment.was_too_large());
}

TEST_CASE("json fragment: a broken value is not captured", "[sarif]") {
  CHECK_FALSE(Captured("[1,2").is_good);
  CHECK_FALSE(Captured("").is_good);
  CHECK_FALSE(Captured("{\"a\":1,\"a\":2}").is_good);
}

}  // namespace
}  // namespace ethos::sarif
