#!/bin/sh
# SPDX-License-Identifier: ISC
# Usage: failures.sh LOG
# Prints the lines of a log of tests that name a failure, each once, the first 40:
# those of pytest, of cmocka and of "not ok", the programs whose tests failed, and how
# a program ended that did not come to its end.
set -u

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
case ${1:-} in
'' | -*) misuse "expected the log of a run of tests; --help says what is done" ;;
esac

grep -aE -e '^(FAILED|ERROR) [^ ]+\.py' -e '^not ok ' -e '^\[  FAILED  \] [^0-9 ]+$' \
    -e '^[^ ]+: +[0-9]+ passed, [1-9][0-9]* failed, ' -e '^REQUIRE=all: ' \
    -e '^exit status ([2-9]|1[0-9])' -e '^SUMMARY: [A-Za-z]+Sanitizer' "$1" |
    cut -c 1-200 |
    awk '!seen[$0]++ && ++count <= 40
         END { if (count > 40) print "and " count - 40 " more lines about failures" }'
