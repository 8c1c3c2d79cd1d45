# shellcheck shell=sh source=lib.sh
# SPDX-License-Identifier: ISC
# Cases that memfile and SQLite have in common; $runner is the program.

. "$CLI/lib.sh"
need "${runner:?}"

# Options that are wrong whatever the store is; nothing may be left behind.
try_bad_options() {
    try "$runner" -n 0
    try "$runner" -n -5
    try "$runner" -n 1e99
    try "$runner" -n abc
    try "$runner" -s maybe
    try "$runner" -s volatil
    try "$runner" -S deep
    try "$runner" -H 1.5
    try "$runner" -o format
    try "$runner" -o =5
    try "$runner" --nonsense
    try "$runner" -e InnoDB
    try "$runner" -m localhost
    try "$runner" -f
    try "$runner" -f x stray
    left
}

# try_foreign FILE: it is refused and stays as it is.
try_foreign() {
    remember "$1"
    try "$runner" -f "$1"
    unchanged "$1"
}

# Targets that are none.
try_bad_files() {
    try "$runner" -f missing/leases
    try "$runner" -f ''
    try "$runner" -f /dev/null
    try "$runner" -f /dev/full
    mkdir folder
    echo 'somebody wrote this' >folder/file
    try "$runner" -f folder
    try "$runner" -f folder/
    try "$runner" -f folder/file/x
    rm -r folder
    mkfifo fifo
    try "$runner" -f fifo
    rm fifo
    ln -s nothing link
    try "$runner" -f link
    rm link
    left
    echo 'somebody wrote this' >text
    try_foreign text
    printf x >byte
    try_foreign byte
    head -c 100000 /dev/zero >zeros
    try_foreign zeros
    ln -s text link
    try_foreign link
    rm text byte zeros link
    left
}

# The same run typed in many ways does the same work.
digests() {
    for options; do
        # shellcheck disable=SC2086 # words
        "$BIN/$runner" -v no -n 1000 --seed=5 $options |
            sed -n "s/^verified  *//p"
    done
}

# A folder that a user may only read.
try_unwritable() {
    chmod 755 "$SCRATCH" "$SCRATCH/.." .
    cp "$BIN/$runner" "$SCRATCH"
    echo 'somebody wrote this' >text
    chmod 444 text
    try_as_nobody -f "$PWD/x"
    try_as_nobody -f "$PWD/text"
    left
}

# try_as_nobody OPTION...: as root has no limits, without being root.
try_as_nobody() {
    set -- "$SCRATCH/$runner" "$@"
    [ "$(id -u)" -ne 0 ] || set -- setpriv --reuid=65534 --regid=65534 \
        --clear-groups "$@"
    [ "$(id -u)" -eq 0 ] || chmod 555 .
    "$@" 2>&1 | sed "s|$PWD|FOLDER|"
    chmod 755 .
}

# on_disk OPTIONS COMMAND...: runs it in a file system in memory of its own,
# mounted at ./disk with these options; skips where that cannot be.
on_disk() {
    mkdir -p disk
    how=
    for way in "unshare -m" "unshare -rm"; do
        if $way mount -t tmpfs none disk 2>/dev/null; then
            how=$way
            break
        fi
    done
    [ -n "$how" ] || skip "no file system can be mounted here"
    options=$1
    shift
    # shellcheck disable=SC2016 # expanded by the inner shell
    $how sh -c 'mount -t tmpfs -o "$0" none disk && "$@"' "$options" "$@"
    status=$?
    rmdir disk
}
