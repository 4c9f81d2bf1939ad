// SPDX-License-Identifier: Apache-2.0
#include "sarif/upload/refusals.h"

#include <algorithm>
#include <array>

namespace ethos::sarif {
namespace {

struct Refusal {
  std::string_view part;  // in lower case, of the service's sentence
  std::string_view advice;
};

constexpr auto kRefusals = std::to_array<Refusal>({
    {"more runs than allowed",
     "At most 20 runs are taken: make one of the runs of a tool (ethos-sarif merge --fold "
     "category), "
     "or split the file (ethos-sarif split)."},
    {"more results per run than allowed",
     "At most 25000 results a run are taken, and 5000 kept: split the file (ethos-sarif split)."},
    {"more rules per run than allowed",
     "At most 25000 rules a run are taken: split the file (ethos-sarif split), or mend duplicate "
     "rules (ethos-sarif repair)."},
    {"more thread flow locations",
     "At most 10000 thread flow locations a result are taken: split the file (ethos-sarif split)."},
    {"more locations per result",
     "At most 1000 locations a result are taken: split the file (ethos-sarif split)."},
    {"more tags",
     "At most 20 tags a rule are taken: ethos-sarif validate --profile github names the rules."},
    {"bigger than allowed size",
     "At most 10 MB of gzip are taken: split the file (ethos-sarif split)."},
    {"payload too large", "At most 10 MB of gzip are taken: split the file (ethos-sarif split)."},
    {"invalid uri was provided as a sarif location",
     "A location holds a URI that is none, often one with a space: ethos-sarif repair mends it, "
     "ethos-sarif validate --profile github names it."},
    {"expected artifact location",
     "A result has no locations[0].physicalLocation.artifactLocation.uri: ethos-sarif validate "
     "--profile github names it."},
    {"expected at least one location",
     "A result has no location: ethos-sarif validate --profile github names it."},
    {"expected physical location",
     "A result has no locations[0].physicalLocation: ethos-sarif validate --profile github names "
     "it."},
    {"invalid security severity value",
     "security-severity must be a number written as text, as \"7.5\": ethos-sarif repair mends "
     "it."},
    {"parsing restricted subset of sarif data has failed",
     "A value has the wrong type, often a number where a text is due: ethos-sarif validate "
     "--profile "
     "github names it."},
    {"did not match the checkout uri scheme",
     "A location is no file of the repository, or an absolute path: ethos-sarif repair --root "
     "makes "
     "it relative."},
    {"multiple runs with the same category",
     "Two runs of one tool have one category: make them one (ethos-sarif merge --fold category), "
     "or "
     "part them (ethos-sarif split)."},
    {"too many logical alerts",
     "The repository has as many alerts as it may: send fewer (ethos-sarif filter), or close old "
     "ones."},
    {"cannot be processed when the default setup is enabled",
     "CodeQL's default setup is on: turn it off in the settings of the repository, or do not "
     "upload "
     "CodeQL results."},
    {"advanced security must be enabled",
     "Code scanning of a private repository needs GitHub Advanced Security (code security), which "
     "is "
     "off."},
    {"code security must be enabled",
     "Code scanning of a private repository needs GitHub Advanced Security (code security), which "
     "is "
     "off."},
    {"code scanning is not enabled",
     "Code scanning is off: turn it on in the settings of the repository (code security)."},
    {"resource not accessible by",
     "The token may not write: a workflow needs \"permissions: security-events: write\" (and "
     "contents: read), a pull request from a fork never gets it."},
    {"bad credentials", "The token is wrong or has expired."},
    {"commit not found", "The commit is not in the repository: push it before the upload."},
    {"ref not found", "The ref is not in the repository: push it before the upload."},
    {"rate limit", "Too many calls with this token: try again later."},
});

}  // namespace

std::string_view explain_refusal(std::string_view message) {
  std::string lower(message.substr(0, 4096));
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  for (const Refusal& one : kRefusals) {
    if (lower.find(one.part) != std::string::npos) return one.advice;
  }
  return {};
}

std::string_view explain_status(int status) {
  switch (status) {
    case 400:
      return "The service could not read the file: ethos-sarif validate --profile github says why.";
    case 401:
      return "The token is wrong or has expired.";
    case 403:
      return "The token may not write code scanning results (security-events: write), or code "
             "scanning is off for this repository.";
    case 404:
      return "There is no such repository, or the token may not see it.";
    case 413:
      return "At most 10 MB of gzip are taken: split the file (ethos-sarif split).";
    case 422:
      return "The commit or the ref is not one of the repository: push them before the upload.";
    case 429:
      return "Too many calls with this token: try again later.";
    default:
      return status >= 500 ? "The service has a problem of its own: try again later."
                           : std::string_view();
  }
}

}  // namespace ethos::sarif
