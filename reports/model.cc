// SPDX-License-Identifier: Apache-2.0
#include "reports/model.h"

namespace ethos::reports {

std::string_view name_of(Capability capability) {
  switch (capability) {
    case Capability::read:
      return "read";
    case Capability::write:
      return "write";
    case Capability::execute:
      return "execute";
    case Capability::files:
      return "files";
    case Capability::hidden:
      return "hidden";
    case Capability::network:
      return "network";
    case Capability::git:
      return "git";
    case Capability::environment:
      return "environment";
    case Capability::syscalls:
      return "syscalls";
    case Capability::limits:
      return "limits";
  }
  return "";
}

std::string_view label_of(Capability capability) {
  switch (capability) {
    case Capability::read:
      return "Read files";
    case Capability::write:
      return "Write files";
    case Capability::execute:
      return "Start programs";
    case Capability::files:
      return "Open other files";
    case Capability::hidden:
      return "Hidden content";
    case Capability::network:
      return "Network";
    case Capability::git:
      return "Git data";
    case Capability::environment:
      return "Environment";
    case Capability::syscalls:
      return "System calls";
    case Capability::limits:
      return "Limits";
  }
  return "";
}

std::string_view name_of(RunState state) {
  switch (state) {
    case RunState::open:
      return "open";
    case RunState::closed:
      return "closed";
    case RunState::refused:
      return "refused";
    case RunState::aborted:
      return "aborted";
  }
  return "";
}

std::string_view name_of(Use use) {
  switch (use) {
    case Use::observed:
      return "observed";
    case Use::not_recorded:
      return "not_recorded";
    case Use::withheld:
      return "withheld";
  }
  return "";
}

std::string_view name_of(Shown state) {
  switch (state) {
    case Shown::shown:
      return "shown";
    case Shown::recorded:
      return "recorded";
    case Shown::contradicted:
      return "contradicted";
    case Shown::partly:
      return "partly_shown";
    case Shown::no_event:
      return "no_event";
    case Shown::not_recorded:
      return "not_recorded";
  }
  return "";
}

std::string_view label_of(Shown state) {
  switch (state) {
    case Shown::shown:
      return "shown";
    case Shown::recorded:
      return "recorded";
    case Shown::contradicted:
      return "contradicted";
    case Shown::partly:
      return "in part";
    case Shown::no_event:
      return "no such event recorded";
    case Shown::not_recorded:
      return "absent or not recorded";
  }
  return "";
}

std::string_view name_of(Direction direction) {
  switch (direction) {
    case Direction::widened:
      return "widened";
    case Direction::changed:
      return "changed";
    case Direction::narrowed:
      return "narrowed";
  }
  return "";
}

std::string_view name_of(ExceptionKind kind) {
  switch (kind) {
    case ExceptionKind::problem:
      return "problem";
    case ExceptionKind::aborted:
      return "aborted";
    case ExceptionKind::open:
      return "open";
    case ExceptionKind::gap:
      return "gap";
    case ExceptionKind::left_behind:
      return "left_behind";
    case ExceptionKind::refused:
      return "refused";
    case ExceptionKind::limit:
      return "limit";
    case ExceptionKind::denied:
      return "denied";
  }
  return "";
}

std::string_view label_of(const Exception& row) {
  switch (row.kind) {
    case ExceptionKind::problem:
      return "Not confirmed";
    case ExceptionKind::aborted:
      return "Aborted";
    case ExceptionKind::open:
      return "No end";
    case ExceptionKind::gap:
      return "Lost events";
    case ExceptionKind::left_behind:
      return "Left behind";
    case ExceptionKind::refused:
      return "Refused to start";
    case ExceptionKind::limit:
      return row.is_presumed ? "At or near a limit" : "Limit reached";
    case ExceptionKind::denied:
      return "Denied";
  }
  return "";
}

}  // namespace ethos::reports
