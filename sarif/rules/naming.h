// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace ethos::sarif {

// "unused-import", "hardcoded_password_string", "nullPointerRedundantCheck" as one capitalised
// word, "UnusedImport": the form of a rule's name, SARIF 2.1.0 section 3.49.7.
[[nodiscard]] std::string pascal_case(std::string_view words);

// The same as a phrase: "Unused import", "Null pointer redundant check".
[[nodiscard]] std::string phrase(std::string_view words);

// "416" of "CWE-416" or "416"; empty when the text is neither.
[[nodiscard]] std::string cwe_number(std::string_view text);
// GitHub's tag for a CWE, "external/cwe/cwe-079": three digits at least.
[[nodiscard]] std::string cwe_tag(std::string_view number);
[[nodiscard]] std::string cwe_uri(std::string_view number);

}  // namespace ethos::sarif
