// SPDX-License-Identifier: Apache-2.0
#include "sandbox/syscall_filter.h"

#include <algorithm>

#include "sandbox/filter/names.h"
#include "sandbox/filter/rules.h"

namespace ethos::sandbox {
namespace {

struct Program {
  std::string_view name;
  const unsigned char* bytes;
  std::size_t size;
};

#include ETHOS_FILTERS_FILE

const char* observe_text(Observe observe) {
  switch (observe) {
    case Observe::off:
      return "off";
    case Observe::writes:
      return "writes";
    case Observe::all:
      return "all";
  }
  return "?";
}

template <typename Table>
bool contains(const Table& table, std::int32_t nr) {
  return std::find(table.begin(), table.end(), nr) != table.end();
}

}  // namespace

std::string filter_name(const Plan& plan) {
  std::string name = observe_text(plan.observe);
  name += plan.network == Network::loopback ? "-loopback" : "-none";
  if (plan.may_exec_memory) name += "+mem";
  return name;
}

std::span<const std::byte> filter_program(std::string_view name) {
  for (const auto& program : kPrograms)
    if (program.name == name) return std::as_bytes(std::span(program.bytes, program.size));
  return {};
}

CallClass classify_call(std::int32_t nr) {
  switch (nr) {
    case 59:
    case 322:
      return CallClass::exec;
    case 2:
    case 85:
    case 257:
      return CallClass::open;
    case 437:
      return CallClass::open_how;
    case 56:
    case 57:
    case 58:
      return CallClass::fork;
    case 9:
      return CallClass::mapping;
    case 319:
      return CallClass::memory_file;
    case 157:
    case 317:
      return CallClass::own_filter;
    case 42:
      return CallClass::connect;
    case 49:
      return CallClass::bind;
    case 41:
    case 53:
    case 54:
      return CallClass::socket;
    case 16:
    case 72:
    case 135:
    case 141:
    case 142:
    case 144:
    case 160:
    case 202:
    case 203:
    case 251:
    case 302:
    case 314:
      return CallClass::refused_args;
    case 90:
    case 91:
    case 268:
    case 280:
    case 452:
      return CallClass::path_change;
    default:
      break;
  }
  if (contains(filter::kPathChanging, nr) || contains(filter::kDescriptorChanging, nr))
    return CallClass::path_change;
  if (contains(filter::kPageHolding, nr)) return CallClass::page_holding;
  if (contains(filter::kForbidden, nr)) return CallClass::forbidden;
  return CallClass::unknown;
}

std::string_view syscall_name(std::int32_t nr) {
  if (nr < 0 || static_cast<std::size_t>(nr) >= filter::kNames.size()) return {};
  return filter::kNames[static_cast<std::size_t>(nr)];
}

}  // namespace ethos::sandbox
