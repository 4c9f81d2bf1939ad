# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What scripts/demo and scripts/test share: packages, build, words.

ETHOS_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
export ETHOS_ROOT
# A second checkout elsewhere finds the first one's objects again.
export CCACHE_BASEDIR=$ETHOS_ROOT CCACHE_NOHASHDIR=1

BUILD_PACKAGES=(g++ cmake ninja-build ccache pkg-config git ca-certificates libsqlite3-dev libsodium-dev zlib1g-dev
  nlohmann-json3-dev libcli11-dev libseccomp-dev libssl-dev libexpat1-dev catch2)
LINTER_PACKAGES=(shellcheck cppcheck pylint bandit flake8)
TEST_PACKAGES=(clang-14 libclang-rt-14-dev bubblewrap strace python3 python3-jsonschema util-linux procps openssl curl
  mandoc zsh)
# Tools of the catalog that are run for real where they are; those of node come from npm, if that is there.
CATALOG_PACKAGES=(yamllint codespell black mypy rubocop libxml2-utils make clang-format ansible-lint libperl-critic-perl
  cargo rust-clippy)
VM_PACKAGES=(qemu-system-x86 cpio busybox-static)

say() { printf '%s\n' "$*"; }
step() { if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then printf '\n\033[1m== %s\033[0m\n' "$*"; else printf '\n== %s\n' "$*"; fi; }
die() { printf '%s: %s\n' "${0##*/}" "$*" >&2; exit 1; }

missing_packages() {
  local p
  for p in "$@"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$p" 2>/dev/null)" = installed ] || printf '%s ' "$p"
  done
}

# Installs what is missing, and calls apt only then. Quiet unless it fails.
need_packages() {
  local missing log sudo=()
  command -v dpkg-query >/dev/null || die "this script installs Debian packages; on another system install: $*"
  missing=$(missing_packages "$@")
  [ -n "$missing" ] || return 0
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || die "missing packages: ${missing}- run as root: apt-get install $missing"
    sudo=(sudo)
  fi
  say "installing: $missing"
  log=$(mktemp)
  # shellcheck disable=SC2086  # the list is meant to be split
  if ! { "${sudo[@]}" apt-get -q -o DPkg::Lock::Timeout=600 update &&
    "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=600 \
      install --no-install-recommends $missing; } >"$log" 2>&1 </dev/null; then
    tail -n 30 "$log" >&2
    rm -f "$log"
    die "apt-get could not install: $missing"
  fi
  rm -f "$log"
}

# Like need_packages, but a package that cannot be had only means that some tests are skipped.
want_packages() { (need_packages "$@") || say "going on without: $(missing_packages "$@")"; }

# build PRESET [TARGET...]: configures once, builds, shows the log only on failure. A first build takes
# minutes, so that it says how far it is: on one line of a terminal, else now and then.
build() {
  local preset=$1 log pid status=0 last='' shown='' waited=0 every=30
  shift
  local targets=()
  [ $# -eq 0 ] || targets=(--target "$@")
  log=$ETHOS_ROOT/build/$preset.log
  mkdir -p "$ETHOS_ROOT/build"
  (cd "$ETHOS_ROOT" && { [ -f "build/$preset/build.ninja" ] || cmake --preset "$preset"; } &&
    exec cmake --build --preset "$preset" "${targets[@]}") >"$log" 2>&1 </dev/null &
  pid=$!
  [ ! -t 1 ] || every=2
  while kill -0 "$pid" 2>/dev/null; do
    sleep 1
    waited=$((waited + 1))
    [ $((waited % every)) = 0 ] || continue
    last=$(grep -oE '^\[[0-9]+/[0-9]+\]' "$log" | tail -n 1 || true)
    if [ -z "$last" ] || [ "$last" = "$shown" ]; then continue; fi
    if [ -t 1 ]; then printf '\rbuilding %s %s' "$preset" "$last"; else say "building $preset $last (log: build/$preset.log)"; fi
    shown=$last
  done
  wait "$pid" || status=$?
  if [ -t 1 ] && [ -n "$shown" ]; then printf '\r%40s\r' ''; fi
  [ $status = 0 ] && return 0
  tail -n 60 "$log" >&2
  die "the $preset build failed; all of its output: $log"
}
