#!/usr/bin/env bash
# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
#
# verify.sh runs every check that needs no reviewer, and prints the cure of each one that fails. The checkout stays as
# it is.
#
# shellcheck disable=SC2317 # check calls the functions
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD
failed=0

check() { # title, cure, command...
  local title=$1 cure=$2 started=$SECONDS output
  shift 2
  if output=$("$@" 2>&1); then
    echo "ok     $title ($((SECONDS - started)) s)"
  else
    echo "FAILED $title ($((SECONDS - started)) s)"
    printf '%s\n' "$output" | tail -n 100 | sed 's/^/       /'
    echo "       -> $cure"
    failed=1
  fi
}

# sources PATTERN... lists the files of the working tree that git does not ignore.
sources() {
  git ls-files --cached --others --exclude-standard --deduplicate -- "$@" | while IFS= read -r file; do
    if [ -f "$file" ] || [ -L "$file" ]; then printf '%s\n' "$file"; fi
  done
}

# generated runs the generators on a copy and compares.

generated() {
  local copy
  copy=$(mktemp -d)
  # shellcheck disable=SC2064 # the trap runs when the local variable is gone
  trap "rm -rf '$copy'" EXIT
  sources | tar --create --files-from=- | tar --extract --directory "$copy"
  (
    cd "$copy"
    git init --quiet
    git add --all --force
    git -c user.name=verify -c user.email=verify@localhost commit --quiet --message before
    ./hack/generate.sh >generate.log 2>&1 || { cat generate.log; exit 1; }
    rm generate.log
    git add --all --force
    git --no-pager diff --cached --stat --exit-code || { git --no-pager diff --cached | head -n 60; exit 1; }
  )
}

tidy() { (cd "$1" && go mod tidy -diff); }

scripts() { sources '*.sh' .ci/run | xargs shellcheck; }

formatted() {
  local wrong
  wrong=$(sources '*.go' | xargs -r gofmt -l)
  printf '%s' "$wrong"
  [ -z "$wrong" ]
}

check "generated files are what the sources say" "run 'make generate' and commit the result" generated
for module in . test/cluster test/chart tools tools/examples tools/krew tools/lint tools/rules tools/vuln; do
  check "$module/go.mod is tidy" "run 'go mod tidy' in $module and commit the result" tidy "$module"
done
check "Go files are formatted" "run 'gofmt -w' on the files above" formatted
check "shell scripts" "mend what shellcheck says; 'apt-get install shellcheck' installs it" scripts
check "the Python client" "run 'black .' in clients/python, and mend the rest by hand" \
  make -C "$root" lint-python
check "laws, licences, names, sizes" "test/architecture says which law each line breaks" \
  go test -count=1 ./test/architecture
check "linters" "run 'make lint'; some findings go with 'bin/tools/golangci-lint run --fix'" make -C "$root" lint

exit "$failed"
