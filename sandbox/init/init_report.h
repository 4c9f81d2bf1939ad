// SPDX-License-Identifier: Apache-2.0
#pragma once

// How pid 1 of the cage tells the supervisor what became of the tool: execveat with an impossible
// descriptor, which the filter always hands to the supervisor.
//   execveat(ETHOS_REPORT_MAGIC, kind, status, max_rss_kib, has_others)
// has_others: not 0 when a process of the cage outlives the tool.
// Shared by C (init) and C++ (supervisor), hence macros.

#define ETHOS_REPORT_MAGIC (-0x45544f53)

#define ETHOS_REPORT_ENDED 1         // status: the wait status of the tool's first process
#define ETHOS_REPORT_EXEC_FAILED 2   // status: errno of execve
#define ETHOS_REPORT_SPAWN_FAILED 3  // status: errno of clone
