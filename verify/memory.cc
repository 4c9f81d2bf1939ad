// SPDX-License-Identifier: Apache-2.0
#include "verify/memory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <tuple>
#include <utility>

#include "verify/checkpoint.h"
#include "verify/json.h"
#include "verify/note.h"
#include "verify/output_file.h"
#include "verify/snapshot.h"

namespace ethos::verify {
namespace {

constexpr std::size_t kMaxEntries = 65'536;
constexpr JsonLimits kLine{1'100'000, 2, StateMarks::kMaxOpen};

Value line_of(const Memory::Entry& entry) {
  Value v = Value::object();
  v.set("at_ms", Value::of(entry.at_ms))
      .set("note", Value::of(entry.note))
      .set("origin", Value::of(entry.origin));
  entry.marks.write(v);
  v.set("v", Value::of(std::int64_t{entry.marks.any() ? 2 : 1}));
  return v;
}

// Of the line without it.
std::string sum_of(const Value& line) {
  Sha256 hash;
  return hash.of(encode_canonical(line)).base64();
}

Result<Memory::Entry> parse_line(std::string_view line) {
  const auto parsed = parse_canonical(line, kLine);
  if (!parsed) return parsed.error();
  const Value& v = *parsed;
  if (!v.is_object() || !v.at("v").is_integer()) return malformed("no version `v`");
  const std::int64_t version = v.at("v").number();
  if (version != 1 && version != 2) return Error{Errc::unsupported, "another version than 1 and 2"};
  auto marks = StateMarks::read(v);
  if (!marks) return marks.error();
  if ((version == 2) != marks->any())
    return malformed("version 2 is that of a line with `kept`, `open` or `sealed`");
  const bool has_sum = version == 2;
  if (v.size() != 4 + marks->members() + (has_sum ? 1U : 0U) || !v.at("at_ms").is_integer() ||
      !v.at("note").is_string() || !v.at("origin").is_string()) {
    return malformed("not exactly at_ms, note, origin and v, with kept, open or sealed and then sum");
  }
  if (has_sum && !Digest::from_base64(v.text_at("sum")))
    return malformed("`sum` is not base64 of 32 bytes");
  Memory::Entry out;
  out.marks = *std::move(marks);
  out.at_ms = v.at("at_ms").number();
  out.note = v.text_at("note");
  const auto note = parse_note(out.note);
  if (!note) return malformed("`note`: " + note.error().what);
  const auto text = parse_checkpoint_text(note->text);
  if (!text) return malformed("`note`: " + text.error().what);
  out.origin = v.text_at("origin");
  if (text->origin != out.origin) return malformed("`note` is of another origin");
  out.size = text->size;
  out.root = text->root;
  out.sum = v.text_at("sum");
  return out;
}

bool before(const Memory::Entry& a, const Memory::Entry& b) { return std::tie(a.origin, a.size) < std::tie(b.origin, b.size); }

}  // namespace

Result<Memory> Memory::parse(std::string_view bytes) {
  Memory out;
  for (std::size_t number = 1; !bytes.empty(); ++number) {
    const auto end = bytes.find('\n');
    if (end == std::string_view::npos) return malformed("the last line has no end");
    auto entry = parse_line(bytes.substr(0, end));
    if (!entry) {
      const std::string place = entry.error().offset >= 0 ? " (byte " + std::to_string(entry.error().offset) + " of the line)" : "";
      return Error{entry.error().code, "line " + std::to_string(number) + ": " + entry.error().what + place + "; a memory is one line of JSON without spaces for each state, as --memory wrote it"};
    }
    if (out.entries_.size() == kMaxEntries) return Error{Errc::too_long, "more than 65,536 lines"};
    if (!out.entries_.empty() && !before(out.entries_.back(), *entry)) {
      return malformed("line " + std::to_string(number) + ": lines are not in order of origin and size");
    }
    out.entries_.push_back(*std::move(entry));
    bytes.remove_prefix(end + 1);
  }
  return out;
}

Result<Memory> Memory::read(const std::string& path) {
  const auto bytes = read_file(path, kMaxFile);
  if (!bytes && bytes.error().code == Errc::not_found) return Memory{};
  if (!bytes) return bytes.error();
  auto memory = parse(*bytes);
  if (!memory) return Error{memory.error().code, path + ": " + memory.error().what};
  return memory;
}

std::string Memory::encode() const {
  std::string out;
  for (const Entry& entry : entries_) {
    Value v = line_of(entry);
    if (entry.marks.any()) v.set("sum", Value::of(entry.sum.empty() ? sum_of(v) : entry.sum));
    out += encode_canonical(v) + "\n";
  }
  return out;
}

std::vector<KnownState> Memory::of(std::string_view origin) const {
  std::vector<KnownState> out;
  for (const Entry& entry : entries_) {
    if (entry.origin != origin) continue;
    // No signature covers the marks, and a damaged line must accuse nobody.
    const bool is_damaged = !entry.sum.empty() && entry.sum != sum_of(line_of(entry));
    out.push_back({.size = entry.size,
                   .root = entry.root,
                   .from = KnownState::From::memory,
                   .note = entry.note,
                   .at_ms = entry.at_ms,
                   .marks = entry.marks,
                   .is_damaged = is_damaged});
  }
  return out;
}

void Memory::add(Entry entry) {
  const auto place = std::lower_bound(entries_.begin(), entries_.end(), entry, before);
  if (place != entries_.end() && place->origin == entry.origin && place->size == entry.size) {
    // An older program, or a bundle of a part, knew less of it.
    const StateMarks& old = place->marks;
    const bool is_more = (!old.kept && entry.marks.kept) || (!old.open && entry.marks.open);
    if (place->root == entry.root && is_more && (!old.kept || entry.marks.kept)) {
      place->marks = std::move(entry.marks);
      place->sum.clear();
    }
    return;
  }
  const std::string origin = entry.origin;
  entries_.insert(place, std::move(entry));
  thin(origin);
}

// The first and the last stay; of the others the one whose neighbours lie closest together in time goes.
void Memory::thin(const std::string& origin) {
  const auto mine = [&](const Entry& e) { return e.origin == origin; };
  const auto begin = std::find_if(entries_.begin(), entries_.end(), mine);
  const auto end = std::find_if_not(begin, entries_.end(), mine);
  if (static_cast<std::size_t>(end - begin) <= kKept) return;
  auto least = begin + 1;
  for (auto at = begin + 1; at + 1 != end; ++at) {
    const auto gap = [](auto i) { return static_cast<double>((i + 1)->at_ms) - static_cast<double>((i - 1)->at_ms); };
    if (gap(at) < gap(least)) least = at;
  }
  entries_.erase(least);
}

Result<Memory::Remembered> Memory::remember(const std::string& path, const Entry& entry) {
  const auto slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  // The directory is the lock: the file itself is replaced.
  const UniqueFd lock(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!lock.valid()) return Error{Errc::io, folder + ": " + std::strerror(errno)};
  int locked = 0;
  do {
    locked = ::flock(lock.get(), LOCK_EX);
  } while (locked != 0 && errno == EINTR);
  if (locked != 0) return Error{Errc::io, folder + ": lock: " + std::strerror(errno)};
  const bool was_there = ::access(path.c_str(), F_OK) == 0;
  auto memory = read(path);
  if (!memory) return std::move(memory).error();
  const std::string old = memory->encode();
  const auto& held = memory->entries();
  const bool had = std::any_of(held.begin(), held.end(), [&](const Entry& one) {
    return one.origin == entry.origin && one.size == entry.size;
  });
  memory->add(entry);
  Remembered out;
  out.is_new_file = !was_there;
  out.was_empty = was_there && old.empty();
  for (const Entry& one : memory->entries()) {
    if (one.origin != entry.origin || one.size != entry.size) continue;
    out.at_ms = one.at_ms;
    out.is_added = !had;
  }
  const std::string bytes = memory->encode();
  if (bytes == old) return out;
  const auto done = replace_file(path, bytes, 0600);
  if (!done) return done.error();
  return out;
}

}  // namespace ethos::verify
