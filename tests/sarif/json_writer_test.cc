// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <limits>

#include "sarif/json/writer.h"

namespace ethos::sarif {
namespace {

void write_sample(JsonWriter& writer) {
  writer.begin_object();
  writer.member("a", "x\"y");
  writer.key("b");
  writer.begin_array();
  writer.integer(std::numeric_limits<std::int64_t>::min());
  writer.boolean(true);
  writer.null();
  writer.begin_object();
  writer.end_object();
  writer.end_array();
  writer.raw_key("\"\\u0063\"");
  writer.raw_scalar("1.50e+3");
  writer.end_object();
  writer.finish();
}

TEST_CASE("json writer: compact and indented forms", "[sarif]") {
  StringSink compact;
  JsonWriter compact_writer(compact, JsonLayout::compact);
  write_sample(compact_writer);
  CHECK(compact.text() ==
        "{\"a\":\"x\\\"y\",\"b\":[-9223372036854775808,true,null,{}],\"\\u0063\":1.50e+3}\n");
  StringSink indented;
  JsonWriter indented_writer(indented, JsonLayout::indented);
  write_sample(indented_writer);
  CHECK(indented.text() ==
        "{\n  \"a\": \"x\\\"y\",\n  \"b\": [\n    -9223372036854775808,\n    true,\n    null,\n"
        "    {}\n  ],\n  \"\\u0063\": 1.50e+3\n}\n");
}

TEST_CASE("json writer: a full device is remembered", "[sarif]") {
  const int fd = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  if (fd < 0) {
    WARN("skipped: no /dev/full");
    return;
  }
  FdSink sink(fd);
  sink.append(std::string(100000, 'x'));
  CHECK(sink.flush() == ENOSPC);
  sink.append("y");
  CHECK(sink.flush() == ENOSPC);
  ::close(fd);
}

}  // namespace
}  // namespace ethos::sarif
