// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sandbox/json_value.h"
#include "sandbox/plan.h"

// Paths as text, without touching a file system: the normal form of declaration.md D-4 and the
// {base, path} pairs of events.md E-4.
namespace ethos::sandbox {

// "./a//b/" -> "a/b", "." -> ".", "/usr/" -> "/usr". Nothing for an empty text, one over 4096
// bytes, a NUL or a ".." component.
[[nodiscard]] std::optional<std::string> normalise_path(std::string_view text);

// The same, and an absolute path that is `workspace` or below it becomes relative to it.
[[nodiscard]] std::optional<std::string> normalise_path(std::string_view text,
                                                        std::string_view workspace);

// True when `path` equals `parent` or lies below it; both in normal form. A relative path is never
// within an absolute one, nor the other way round.
[[nodiscard]] bool is_at_or_below(std::string_view path, std::string_view parent);

// E-4 for a path on the host, in normal form: relative means the workspace.
[[nodiscard]] BasedPath host_path(std::string_view path);
// E-4 for an absolute path inside the cage: like the host's, but what is below /tmp is scratch.
[[nodiscard]] BasedPath cage_path(std::string_view path, std::string_view workspace);

// The absolute path inside the cage (which for grants is the host's) of a path in normal form.
[[nodiscard]] std::string absolute_path_of(std::string_view path, std::string_view workspace);

[[nodiscard]] std::string_view base_text(Base base);
// {base, path} or {base, path_b64}.
[[nodiscard]] Json encode_path(const BasedPath& path);

// True when one component equals ".git" without regard to case.
[[nodiscard]] bool is_git_name(std::string_view component);
// True when some component of `path` is such a name.
[[nodiscard]] bool has_git_component(std::string_view path);

}  // namespace ethos::sandbox
