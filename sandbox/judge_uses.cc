// SPDX-License-Identifier: Apache-2.0
// What of its grants a tool uses, for those who ask.
#include <sys/socket.h>
#include <sys/stat.h>

#include "sandbox/judge.h"

namespace ethos::sandbox {
namespace {

constexpr std::int32_t kRename = 82;
constexpr std::int32_t kMkdir = 83;
constexpr std::int32_t kMkdirAt = 258;
constexpr std::int32_t kRenameAt = 264;
constexpr std::int32_t kRenameAt2 = 316;

}  // namespace

void Judge::note_opening(const Opening& opening, const Place& place) {
  const bool is_there = place.reach == Reach::object;
  if (is_there && ends_by_itself(opening, place)) return;
  if (opening.is_unnamed()) return uses_->on_use(Use::make, place.path + "/#unnamed");
  if (opening.creates() && !is_there) return uses_->on_use(Use::make, place.path);
  if (!is_there) return uses_->on_use(Use::absent, place.path);
  if (opening.writes()) {
    uses_->on_use(Use::change, place.path);
    constexpr std::uint64_t kReadWrite = 2;
    if ((opening.flags & 3U) != kReadWrite) return;
  }
  uses_->on_use(S_ISDIR(place.mode) ? Use::list : Use::read, place.path);
}

void Judge::note_change(const Call& call, LastName last, int index, const Place& place) {
  if (removes_name(call.nr, index)) return uses_->on_use(Use::remove, place.path);
  if (call.nr == kRename || call.nr == kRenameAt || call.nr == kRenameAt2) {
    constexpr std::uint64_t kExchange = 2;
    const bool swaps = call.nr == kRenameAt2 && (call.args[4] & kExchange) != 0;
    return uses_->on_use(swaps ? Use::change : Use::make, place.path);
  }
  if (call.nr == kMkdir || call.nr == kMkdirAt)
    return uses_->on_use(Use::make_directory, place.path);
  const bool makes = last == LastName::make || last == LastName::place;
  uses_->on_use(makes ? Use::make : Use::change, place.path);
}

}  // namespace ethos::sandbox
