#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs declared tools in the cage, makes one SARIF file of their findings with the evidence in it,
# checks it, and packs the evidence. For a CI job: see docs/ci/README.md.
#   lint-in-cage.sh [options] TOOL...         tools of ethos.json, or of the shipped catalog
#   --out DIR            where everything goes (default: ethos-out)
#   --category NAME      category of the results (default: lint)
#   --profile NAME       who reads the file: github, gitlab, sonar or spec (default: github)
#   --baseline FILE      mark what is new against this SARIF file; without it everything is new
#   --policy FILE        suppressions (docs/formats/suppress.md)
#   --fail-on LEVEL      exit 1 for a new result of this level or worse: error, warning, note, never
#                        (default: error)
# Leaves in DIR: all.sarif, upload/ (what the service takes, suppressed results left out),
# summary.md, evidence.ethosb with pin.json, verify.txt.
# Exit status: 0 nothing to complain about, 1 findings as of --fail-on, 2 called wrongly, 3 a tool
# could not run, or something could not be made or verified.
set -euo pipefail

out=ethos-out
category=lint
profile=github
baseline=
policy=
fail_on=error
die() { printf 'lint-in-cage: %s\n' "$1" >&2; exit "${2:-3}"; }
while [ $# -gt 0 ]; do
  case $1 in
    --out | --category | --profile | --baseline | --policy | --fail-on)
      [ $# -ge 2 ] || die "$1 needs a value" 2
      case $1 in
        --out) out=$2 ;;
        --category) category=$2 ;;
        --profile) profile=$2 ;;
        --baseline) baseline=$2 ;;
        --policy) policy=$2 ;;
        --fail-on) fail_on=$2 ;;
      esac
      shift 2
      ;;
    -h | --help) sed -n '3,18s/^# //p' "$0"; exit 0 ;;
    --) shift; break ;;
    -*) die "unknown option $1" 2 ;;
    *) break ;;
  esac
done
[ $# -gt 0 ] || die "no tool named" 2
case $profile in github | gitlab | sonar | spec) ;; *) die "--profile $profile is none" 2 ;; esac
case $fail_on in
  error) gate=error ;;
  warning) gate=error,warning ;;
  note) gate=error,warning,note ;;
  never) gate= ;;
  *) die "--fail-on $fail_on is none" 2 ;;
esac
for program in ethos-run ethos-ledger ethos-sarif ethos-verify; do
  command -v "$program" >/dev/null || die "$program is not in \$PATH"
done

# A folder of this script's making only: never removes what it did not create.
if [ -e "$out" ]; then
  [ -e "$out/.lint-in-cage" ] || die "$out exists and is not ours: choose another --out" 2
  rm -rf "$out"
fi
mkdir -p "$out/tools"
touch "$out/.lint-in-cage"
out=$(cd "$out" && pwd -P)

# A ledger of the job's own, outside of what the tools may write. Its pin goes beside the bundle: who
# wants to rely on it later keeps it elsewhere, or names a lasting ledger in $ETHOS_LEDGER.
ledger=${ETHOS_LEDGER:-}
if [ -z "$ledger" ]; then
  keep=$(mktemp -d)
  trap 'rm -rf "$keep"' EXIT
  ledger=$keep/ledger.db
  origin=${GITHUB_REPOSITORY:-${CI_PROJECT_PATH:-local}}
  ethos-ledger init --ledger "$ledger" --origin "ci.${origin//[^A-Za-z0-9.-]/-}" >"$out/pin.json" 2>"$out/ledger.log"
else
  ethos-ledger pin --ledger "$ledger" >"$out/pin.json"
fi

failed=
sarif=()
for tool in "$@"; do
  status=0
  ethos-run --ledger "$ledger" --sarif "$out/tools/$tool.sarif" --run-id-file "$out/tools/$tool.run" "$tool" \
    >"$out/tools/$tool.log" 2>&1 || status=$?
  case $status in
    120 | 121 | 124 | 125 | 126 | 127)
      printf 'lint-in-cage: %s: ethos-run ended with %s:\n' "$tool" "$status" >&2
      tail -n 5 "$out/tools/$tool.log" >&2
      failed="$failed $tool"
      ;;
  esac
  if [ -e "$out/tools/$tool.sarif" ]; then sarif+=("$out/tools/$tool.sarif"); fi
done
[ ${#sarif[@]} -gt 0 ] || die "no tool has left a SARIF file"

ethos-sarif merge --quiet "${sarif[@]}" -o "$out/all.sarif"
ethos-sarif convert --quiet --from sarif --category "$category" "$out/all.sarif" -o "$out/all.sarif"
ethos-sarif fingerprint --quiet --root . "$out/all.sarif" -o "$out/all.sarif"
if [ -n "$baseline" ]; then
  ethos-sarif baseline --quiet --without-absent --baseline "$baseline" "$out/all.sarif" -o "$out/all.sarif"
fi
if [ -n "$policy" ]; then
  ethos-sarif suppress --policy "$policy" "$out/all.sarif" -o "$out/all.sarif"
fi
ethos-sarif summary --format markdown "$out/all.sarif" >"$out/summary.md"

# What goes to the service: without what it would show as open although it is not.
ethos-sarif filter --quiet --suppressed drop "$out/all.sarif" -o "$out/filtered.sarif"
service=none
case $profile in github | gitlab) service=$profile ;; esac
ethos-sarif split --quiet --service "$service" "$out/filtered.sarif" -o "$out/upload"
rm "$out/filtered.sarif"
valid=0
ethos-sarif validate --profile "$profile" --level error "$out"/upload/*.sarif >"$out/validate.txt" || valid=$?
if [ $valid -ne 0 ]; then tail -n 20 "$out/validate.txt" >&2; fi

# The evidence, and whether it holds.
records=$(ethos-ledger show --json --ledger "$ledger" | wc -l)
ethos-ledger bundle --quiet --ledger "$ledger" --from 0 --to "$records" -o "$out/evidence.ethosb"
verified=0
ethos-verify --pin "$out/pin.json" --sarif "$out/all.sarif" "$ledger" >"$out/verify.txt" 2>&1 || verified=$?
# 4: intact, and something is left out of the SARIF file; which is said in verify.txt.
case $verified in 0 | 4) ;; *) tail -n 20 "$out/verify.txt" >&2 ;; esac

[ -z "$failed" ] || die "could not run:$failed"
[ $valid -eq 0 ] || die "the SARIF file is not what $profile takes: $out/validate.txt"
case $verified in 0 | 4) ;; *) die "the evidence does not hold: $out/verify.txt" ;; esac
[ -n "$gate" ] || exit 0
state=()
[ -z "$baseline" ] || state=(--state new)
# Denials stay with their evidence in every filtered file: they are no findings of the tools.
ethos-sarif filter --quiet --suppressed drop --level "$gate" "${state[@]}" --not-rule runtime.sandbox_denial \
  "$out/all.sarif" -o "$out/gate.sarif"
if ethos-sarif summary --format csv "$out/gate.sarif" | awk -F, 'NR > 1 && $5 + 0 > 0 { found = 1 } END { exit !found }'; then
  ethos-sarif summary "$out/gate.sarif" >&2
  exit 1
fi
rm "$out/gate.sarif"
