// SPDX-License-Identifier: Apache-2.0
#pragma once

// Marks on the way of a launch, for measuring where its time goes. The programs define no such
// function, so a mark costs them one test of a constant; the bench's program (tests/bench) does,
// and writes down when each was passed. It is called in the clone child too: no libc state, no
// allocation.
extern "C" [[gnu::weak]] void ethos_step_mark(int side, const char* name);

namespace ethos::base {

enum class Side : int { supervisor, child };

// The step called `name` (a literal) begins now.
inline void step_mark(const char* name, Side side = Side::supervisor) {
  if (ethos_step_mark != nullptr) ethos_step_mark(static_cast<int>(side), name);
}

}  // namespace ethos::base
