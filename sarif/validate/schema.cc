// SPDX-License-Identifier: Apache-2.0
#include "sarif/validate/schema.h"

#include <cassert>

#include "sarif/validate/schema_parts.h"

namespace ethos::sarif::validation {
namespace {

constexpr std::array kVersion = {std::string_view("2.1.0")};
constexpr std::array<std::string_view, 23> kRoles = {"analysisTarget",
                                                     "attachment",
                                                     "responseFile",
                                                     "resultFile",
                                                     "standardStream",
                                                     "tracedFile",
                                                     "unmodified",
                                                     "modified",
                                                     "added",
                                                     "deleted",
                                                     "renamed",
                                                     "uncontrolled",
                                                     "driver",
                                                     "extension",
                                                     "translation",
                                                     "taxonomy",
                                                     "policy",
                                                     "referencedOnCommandLine",
                                                     "memoryContents",
                                                     "directory",
                                                     "userSpecifiedConfiguration",
                                                     "toolSpecifiedConfiguration",
                                                     "debugOutputFile"};
constexpr std::array<std::string_view, 4> kLevel = {"none", "note", "warning", "error"};
constexpr std::array<std::string_view, 6> kKind = {"notApplicable", "pass", "fail",
                                                   "review",        "open", "informational"};
constexpr std::array<std::string_view, 4> kBaselineState = {"new", "unchanged", "updated",
                                                            "absent"};
constexpr std::array<std::string_view, 2> kColumnKind = {"utf16CodeUnits", "unicodeCodePoints"};
constexpr std::array<std::string_view, 2> kSuppressionKind = {"inSource", "external"};
constexpr std::array<std::string_view, 3> kSuppressionStatus = {"accepted", "underReview",
                                                                "rejected"};
constexpr std::array<std::string_view, 3> kImportance = {"important", "essential", "unimportant"};
constexpr std::array<std::string_view, 2> kContents = {"localizedData", "nonLocalizedData"};

struct Tables {
  std::array<const ObjectType*, kTypeCount> types{};
  std::array<std::array<std::uint8_t, kKeyCount>, kTypeCount> rows{};

  Tables() {
    for (auto& row : rows) row.fill(kNoRow);
    for (const auto part : {log_types(), tool_types(), result_types()}) {
      for (const ObjectType& type : part) add(type);
    }
  }

  void add(const ObjectType& type) {
    // A walker keeps the keys it has seen in a word of 64 bits.
    assert(type.properties.size() <= 64);
    const auto index = static_cast<std::size_t>(type.type);
    types[index] = &type;
    for (std::size_t i = 0; i < type.properties.size(); ++i) {
      rows[index][static_cast<std::size_t>(type.properties[i].key)] = static_cast<std::uint8_t>(i);
    }
  }
};

const Tables& tables() {
  static const Tables all;
  return all;
}

}  // namespace

const ObjectType& object_type(Type type) {
  const ObjectType* found = tables().types[static_cast<std::size_t>(type)];
  assert(found != nullptr);
  return *found;
}

std::uint8_t property_row(Type type, Key key) {
  return tables().rows[static_cast<std::size_t>(type)][static_cast<std::size_t>(key)];
}

std::span<const std::string_view> words_of(Words words) {
  switch (words) {
    case Words::none:
      return {};
    case Words::version:
      return kVersion;
    case Words::roles:
      return kRoles;
    case Words::level:
      return kLevel;
    case Words::kind:
      return kKind;
    case Words::baseline_state:
      return kBaselineState;
    case Words::column_kind:
      return kColumnKind;
    case Words::suppression_kind:
      return kSuppressionKind;
    case Words::suppression_status:
      return kSuppressionStatus;
    case Words::importance:
      return kImportance;
    case Words::contents:
      return kContents;
  }
  return {};
}

}  // namespace ethos::sarif::validation
