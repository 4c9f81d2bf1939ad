// SPDX-License-Identifier: Apache-2.0
#include "sarif/commands/help.h"

#include <CLI/CLI.hpp>
#include <array>
#include <string>

namespace ethos::sarif {
namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  ethos-sarif convert --from auto --root . gcc.log -o gcc.sarif\n"
    "  ethos-sarif validate --profile github gcc.sarif\n"
    "  ethos-sarif repair --root . theirs.sarif -o good.sarif\n"
    "  ethos-sarif merge gcc.sarif lint.sarif -o all.sarif\n"
    "  ethos-sarif baseline --baseline main.sarif all.sarif -o marked.sarif\n"
    "  ethos-sarif split all.sarif -o parts\n"
    "\n"
    "\"-\" is standard input or output. Outputs are replaced as a whole or not at all.\n"
    "Exit status: 0 done, 1 findings (validate, diff, repair --check, ...) or refused (upload), 2 "
    "usage, 3 "
    "unreadable "
    "or unwritable.";

struct Footer {
  const char* command;
  const char* examples;
  const char* status;
};

constexpr const char* kPlainStatus = "0 done, 2 usage, 3 unreadable or unwritable.";

constexpr auto kFooters = std::to_array<Footer>({
    {"baseline", "ethos-sarif baseline --baseline main.sarif now.sarif -o marked.sarif",
     kPlainStatus},
    {"convert",
     "gcc -c a.c 2>&1 | ethos-sarif convert --from gcc --root . - -o gcc.sarif\n"
     "  ethos-sarif convert --from auto --category lint report.json -o -",
     kPlainStatus},
    {"diff", "ethos-sarif diff --json main.sarif now.sarif",
     "0 nothing new, 1 something new, 2 usage, 3 unreadable."},
    {"digest", "ethos-sarif digest lint.sarif", kPlainStatus},
    {"filter",
     "ethos-sarif filter --level error,warning --not-path 'third_party/*' all.sarif -o -\n"
     "  ethos-sarif filter --suppressed drop --state new marked.sarif -o upload.sarif",
     kPlainStatus},
    {"fingerprint",
     "ethos-sarif fingerprint --root . lint.sarif -o lint.sarif\n"
     "  ethos-sarif fingerprint --lines src/main.c",
     kPlainStatus},
    {"formats", "ethos-sarif formats --json", "0 done, 2 usage."},
    {"list",
     "ethos-sarif list all.sarif\n"
     "  ethos-sarif list --format code-climate all.sarif -o gl-code-quality-report.json",
     kPlainStatus},
    {"merge",
     "ethos-sarif merge a.sarif b.sarif c.sarif -o all.sarif\n"
     "  ethos-sarif merge --fold category a.sarif b.sarif c.sarif -o all.sarif",
     kPlainStatus},
    {"repair",
     "ethos-sarif repair --root . in.sarif -o out.sarif\n"
     "  ethos-sarif repair --check in.sarif",
     "0 done, 1 with --check: something to mend, 2 usage, 3 unreadable or unwritable."},
    {"split",
     "ethos-sarif split all.sarif -o parts\n"
     "  ethos-sarif split --service none --max-results 1000 --json all.sarif -o parts",
     "0 done, 1 one result alone is over the limit, 2 usage, 3 unreadable or unwritable."},
    {"summary",
     "ethos-sarif summary --format markdown *.sarif\n"
     "  ethos-sarif summary --format html all.sarif -o all.html",
     kPlainStatus},
    {"suppress",
     "ethos-sarif suppress --policy suppress.json all.sarif -o marked.sarif\n"
     "  ethos-sarif suppress --policy suppress.json --fail-on-stale --json all.sarif -o "
     "marked.sarif",
     "0 done, 1 with --fail-on-stale: an entry is expired, exceeded or unused, 2 usage, 3 "
     "unreadable "
     "or unwritable."},
    {"trend",
     "ethos-sarif trend old.sarif main.sarif now.sarif\n"
     "  ethos-sarif trend --sort time --format html *.sarif -o trend.html",
     kPlainStatus},
    {"upload",
     "ethos-sarif upload --category lint all.sarif             in a GitHub workflow\n"
     "  ethos-sarif upload --repository me/it --commit $(git rev-parse HEAD) \\\n"
     "    --ref refs/heads/main --token-file ~/.token all.sarif   from anywhere",
     "0 taken, 1 refused by the check or the service, 2 usage, 3 unreadable or no answer."},
    {"validate",
     "ethos-sarif validate --profile github lint.sarif\n"
     "  ethos-sarif validate --json --root . *.sarif",
     "0 clean, 1 findings of level error, 2 usage, 3 unreadable."},
});

}  // namespace

void add_footers(CLI::App& app) {
  app.footer(kFooter);
  for (const Footer& one : kFooters) {
    app.get_subcommand(one.command)
        ->footer("Examples:\n  " + std::string(one.examples) + "\n\nExit status: " + one.status);
  }
}

}  // namespace ethos::sarif
