// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>
#include <time.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "ledger/base/unique_fd.h"
#include "sandbox/grant_index.h"

// Most opens name a file by its whole plain path in a directory where everything has one answer.
// Whether that answer is "let it through" takes one or two calls then instead of a walk. What is no
// such open, or could be refused or recorded, gets its walk.
namespace ethos::sandbox {

enum class Glance {
  passes,   // nothing that could be refused, or is recorded
  missing,  // the name leads over no link of the tool's or the host's, and to nothing
  unknown,
};

class QuickLook {
 public:
  QuickLook(const Plan& plan, const GrantIndex& grants);

  // An open of `text` that only asks to read. `root`: the cage's.
  [[nodiscard]] Glance at_read(int root, std::string_view text, std::uint64_t now_ns);
  // One that may write what is there, or make it without set-id bits.
  [[nodiscard]] Glance at_write(int root, const std::string& text);
  // The tool may have made a symbolic link from now on.
  void note_link() { has_links_ = true; }

 private:
  // A directory in which names have its own cover. One that the tool could neither move nor replace
  // is kept open for a moment: what the host does to its path meanwhile is seen afterwards.
  struct Directory {
    std::string path;   // as tools write it
    std::string place;  // the same but for a link of the cage's root: /usr/lib for /lib
    Cover cover = Cover::outside;
    bool is_scratch = false;
    bool is_cages_own = false;
    bool is_id_mapped = false;
    bool is_mixed = false;   // some of the names have another cover
    bool is_closed = false;  // to the tool, when `kept` was opened
    base::UniqueFd kept;
    std::uint64_t opened_ns = 0;
  };

  // Scratch begins empty, and links come into it by calls that are judged: while there was none,
  // what lies there by its name lies there.
  [[nodiscard]] bool is_without_links(const Directory& directory) const {
    return directory.is_scratch && !has_links_;
  }

  // A file without an access list when it was looked at.
  struct Plain {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    timespec changed{};
    std::uint64_t seen_ns = 0;
  };
  // For a moment, unless its inode changes: a new list changes it.
  [[nodiscard]] bool is_without_list(const Directory& directory, const char* name,
                                     const struct stat& found, std::uint64_t now_ns);

  // Belongs to nobody that a run by root maps, so that the kernel lets the tool change nothing.
  [[nodiscard]] bool is_of_others(const Directory& directory, const base::UniqueFd& object) const;

  // The cage's root is sealed, with the links that the plan puts there.
  [[nodiscard]] std::string place_of(std::string_view path) const;

  // Null: the directory of `text` is none of these, or the name has another cover, or `text` is not
  // plain.
  Directory* directory_of(std::string_view text);
  Directory* remember(std::string_view path);

  const Plan* plan_;
  const GrantIndex* grants_;
  std::array<Directory, 8> known_;
  std::size_t next_ = 0;
  std::array<Plain, 64> plain_{};
  bool has_links_;
};

}  // namespace ethos::sandbox
