// SPDX-License-Identifier: Apache-2.0
#pragma once

// What stands below the options in --help of each command: examples and exit statuses.
namespace ethos::reports {

inline constexpr const char* kReportHelp =
    "Commands:\n"
    "  explain RUN       one run in plain words\n"
    "  fleet LIST        one report over many ledgers\n"
    "  drift             what tools were given at two points\n"
    "  verify DIR        make the report in DIR again and compare\n"
    "  key NAME -o F     make a key that signs reports\n"
    "\n"
    "Examples:\n"
    "  ethos-report --pin pin.json --period 2026-10-01..2026-12-31 --zone Europe/Berlin --out "
    "report\n"
    "  ethos-report --pin pin.json --period 2026-10-01..2026-12-31 --format md,csv --out report\n"
    "\n"
    "Exit status: 0 done, 1 tampered, 2 usage, 3 unverifiable or unreadable, or no output.";

inline constexpr const char* kExplainHelp =
    "Example:\n"
    "  ethos-report explain --pin pin.json caireeyu\n"
    "\n"
    "Exit status: 0 done, 1 tampered, 2 usage or no such run, 3 unverifiable or unreadable.";

inline constexpr const char* kFleetHelp =
    "Example:\n"
    "  ethos-report fleet fleet.json --period 2026-10-01..2026-12-31 --out fleet\n"
    "\n"
    "Exit status: 0 done, 1 tampered, 2 usage, 3 unverifiable or unreadable, or no output.";

inline constexpr const char* kDriftHelp =
    "Examples:\n"
    "  ethos-report drift --pin pin.json --from 2026-09-30\n"
    "  ethos-report drift --pin pin.json --from release:4f2a91c --to release:77d0b3e\n"
    "\n"
    "Exit status: 0 the same grants, 1 a difference (or tampered), 2 usage, 3 unverifiable.";

inline constexpr const char* kVerifyHelp =
    "Examples:\n"
    "  ethos-report verify --pin pin.json report\n"
    "  ethos-report verify --pin pin.json --signer \"$(cat report.vkey)\" signed\n"
    "\n"
    "Exit status: 0 the same, 1 tampered or different, 2 usage, 3 unverifiable or unreadable.";

inline constexpr const char* kKeyHelp =
    "Example:\n"
    "  ethos-report key audit.example.com -o ~/report.key > report.vkey\n"
    "\n"
    "Exit status: 0 done, 2 usage, 3 no output (a file that is there is not overwritten).";

}  // namespace ethos::reports
