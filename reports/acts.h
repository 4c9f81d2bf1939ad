// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "reports/model.h"

// What a refused act was, in words: what it would have done, to what, and how it was answered.
namespace ethos::reports {

// What the records say of a refused call.
struct Call {
  std::string_view phase, rule, operation, observe;
  std::int64_t error = 0;
  // The object is a directory on the way to something granted, which the tool sees and may neither
  // list nor change.
  bool is_on_the_way = false;
};
// Of an open, by the rules of the cage: which opens are notified, and by which number each is
// answered (events.md, E-10). `none` of every other call.
Access access_of(const Call& call);

// "to write or create it", "to remove it", "to reach a network": empty where the name of the call
// is the word for it (connect).
std::string_view act_words(std::string_view operation, Access access);

// "to write or create it: openat workspace:.git/config"; of a socket call, which knows no
// destination yet, says so.
std::string act_text(std::string_view operation, std::string_view object,
                     Access access = Access::none);
std::string act_text(const Model& model, const Denial& denial);

// Who refused an act, as far as its record tells by source and outcome (events.md). What else would
// have refused it (a mount, Landlock, file permissions) was never asked, and no record tells.
struct Refuser {
  std::string_view code;   // machine formats
  std::string_view label;  // pages
};
Refuser refuser_of(std::string_view source, std::string_view outcome);
Refuser refuser_of(const Model& model, const Denial& denial);
// What these words mean, for the caption of a table that has them.
std::string_view refusers_text();

// What an act would have done. `unknown`: an open to read or to write, which the records do not
// tell apart.
enum class Nature : std::uint8_t { change, reach, start, read, unknown, other };
Nature nature_of(std::string_view operation, std::string_view rule, Access access);
Nature nature_of(const Model& model, const Denial& denial);
std::string_view name_of(Nature nature);
std::string_view label_of(Nature nature);

// "ENOENT: for the tool, there is nothing of that name"; "error number 95" of one without words.
std::string errno_text(std::int64_t error);
// How a denied act was answered: errno_text, or that the kernel's answer was not seen; empty when
// there is no number. A path that is there and was kept from the tool says so.
std::string answer_text(const Model& model, const Denial& denial);

}  // namespace ethos::reports
