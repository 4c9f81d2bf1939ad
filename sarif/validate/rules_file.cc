// SPDX-License-Identifier: Apache-2.0
#include "sarif/validate/rule_tables.h"

namespace ethos::sarif::validation {

std::span<const Rule> file_rules() {
  static constexpr Rule kRules[] = {
      {"ETH1001", "Unreadable", "The file is not one JSON text in UTF-8.",
       "Write the whole file again with a JSON writer, as UTF-8 and without anything behind it.",
       levels("EEEE")},
      {"ETH1002", "DuplicateKey",
       "An object has the same key twice; readers keep one of the values and drop the other.",
       "Keep one member of that name.", levels("EEEE")},
      {"ETH1003", "ByteOrderMark",
       "The file begins with a byte order mark, which many JSON readers refuse.",
       "Write UTF-8 without a byte order mark.", levels("WWWW")},
      {"ETH1004", "WrongVersion", "The file is not SARIF 2.1.0.",
       "Have the tool write SARIF 2.1.0, or convert the file.", levels("EEEE")},
      {"ETH1005", "SchemaAbsent", "The log does not name its schema.",
       "Set \"$schema\" to the address of the SARIF 2.1.0 schema.", levels("NWNO")},
      {"ETH1006", "SchemaOther", "\"$schema\" does not name the schema of SARIF 2.1.0.",
       "Use "
       "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
       "sarif-schema-2.1.0.json.",
       levels("NNNO")},
      {"ETH1007", "TooLargeToCheck", "A part of the file is larger than what is checked.",
       "Split the file, or leave out what nobody reads.", levels("EEEE")},
      {"ETH1101", "WrongType", "A value has a type that the schema does not allow there.",
       "Write a value of the type that is asked for.", levels("EEEE")},
      {"ETH1102", "MissingProperty", "A property that must be there is absent.",
       "Add the property.", levels("EEEW")},
      {"ETH1103", "UnknownProperty", "SARIF 2.1.0 has no such property there.",
       "Move it into \"properties\", or correct its spelling.", levels("EEEW")},
      {"ETH1104", "OutOfRange", "A number is below or above what the schema allows.",
       "Leave the property out when its value is not known.", levels("EEEW")},
      {"ETH1105", "UnknownWord", "A text is none of the words that the schema allows.",
       "Use one of the words that are listed.", levels("EEEW")},
      {"ETH1106", "DuplicateItem", "Two items of an array are equal where all must differ.",
       "Drop the second one.", levels("EEEW")},
      {"ETH1107", "TooFewItems", "An array has fewer items than the schema asks for.",
       "Add an item, or leave the array out.", levels("EEEW")},
      {"ETH1108", "NotAUri", "A text that must be an absolute URI is none (RFC 3986).",
       "Write the scheme, and encode spaces and other characters that a URI cannot hold.",
       levels("EWEW")},
      {"ETH1109", "NotAUriReference",
       "A text that must be a URI or a relative reference is none (RFC 3986).",
       "Percent-encode spaces, backslashes and bytes outside ASCII, and separate folders by \"/\".",
       levels("EEEE")},
      {"ETH1110", "NotADateTime", "A text that must be a time is none (RFC 3339, with a zone).",
       "Write times as 2026-01-31T23:59:59Z.", levels("EEEW")},
      {"ETH1111", "NotAGuid", "A text that must be a UUID of version 1 to 5 is none.",
       "Use a UUID of version 4 or 5; the schema knows no others.", levels("EEEW")},
      {"ETH1112", "WrongPattern", "A text does not have the form that the schema asks for.",
       "Write it in the form that is named.", levels("EEEW")},
      {"ETH1113", "NeedsOneOf",
       "None of the properties of which one must be there is there, or too many are.",
       "Give exactly what is asked for.", levels("EEEW")}};
  return kRules;
}

}  // namespace ethos::sarif::validation
