# shellcheck shell=sh source=lib.sh
# SPDX-License-Identifier: ISC
# distro.sh refuses these before it makes anything.
. "$CLI/lib.sh"

for arguments in '' '-x' '../etc true' 'trixie' 'trixie --'; do
    # shellcheck disable=SC2086 # words
    "$CLI/../../../scripts/distro.sh" $arguments 2>&1
    echo "exit $?"
done
