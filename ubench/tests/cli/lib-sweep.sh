# shellcheck shell=sh source=lib.sh
# SPDX-License-Identifier: ISC
# What the cases of scripts/sweep.sh have in common.  Their runners are null and
# memfile, or sh scripts in ./bin that call these.

. "$CLI/lib.sh"
need null_ubench memfile_ubench json_get
command -v jq >/dev/null || skip "jq is not installed"
runners=$BIN
BIN=$PWD/bin
export BIN
mkdir bin
ln -s "$runners/null_ubench" "$runners/memfile_ubench" bin

checkout=$(cd "$CLI/../../.." && pwd)

# sweep OPTION...: runs it and prints as try does; times and dates are masked,
# and paths are those below the checkout.
sweep() {
    echo "\$ sweep.sh${*:+ $*}"
    "$CLI/../../../scripts/sweep.sh" "$@" >"$SCRATCH/out" 2>"$SCRATCH/err"
    status=$?
    sed 's/[0-9.]* \(s\|min\)\( left\|$\|,\)/TIME\2/g; s/until .*/until THEN/
        s/order seed [0-9]*/order seed SEED/; s/^WARNING.*/WARNING/
        s/campaign 2[^ ,:]*T[^ ,]*Z/campaign DATE/' "$SCRATCH/out" |
        grep -v '^WARNING'
    sed "s|$checkout/||g; s/^/2> /" "$SCRATCH/err"
    echo "exit $status"
}

# runs FILE: block, position, role and cell of each line, in this order.
runs() {
    jq -r 'select(.incomplete == false and .error == "").labels |
        select(.block) | "\(.block) \(.position) \(.role) \(.cell)"' "$1" |
        sort -k 1n -k 2n
}

# interrupt SIGNAL OPTION...: sweeps in the background into out.jsonl, and sends
# the signal when one more run is done.
interrupt() {
    signal=$1
    shift
    before=$(lines)
    "$CLI/../../../scripts/sweep.sh" "$@" -O out.jsonl >"$SCRATCH/out" \
        2>"$SCRATCH/err" &
    pid=$!
    await one_more
    kill -s "$signal" "$pid"
    wait "$pid" 2>/dev/null
    echo "exit $?"
    grep -v waiting "$SCRATCH/err"
}

# slow_down RUNNER: each of its runs lasts longer than `interrupt` takes to see the
# one before, on a fast machine, too.
slow_down() {
    rm "bin/$1"
    cat >"bin/$1" <<END
#!/bin/sh
case "\$*" in *--help*) ;; *) sleep 0.5 ;; esac
exec "$runners/$1" "\$@"
END
    chmod +x "bin/$1"
}

lines() {
    find . -name out.jsonl -exec cat {} + | wc -l
}

one_more() {
    [ "$(lines)" -gt "$before" ]
}

# need_pgsql: its runner and its server, whose data are removed in the end.
need_pgsql() {
    [ -x "$runners/pgsql_ubench" ] || skip "pgsql_ubench was not built"
    ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 ||
        skip "PostgreSQL's server is not installed"
    ln -s "$runners/pgsql_ubench" bin
    UBENCH_SERVERS=$(mktemp -d "/var/tmp/ubench-o'sweep.XXXXXX")
    export UBENCH_SERVERS
    trap '"$checkout/scripts/servers.sh" stop; rm -rf "$UBENCH_SERVERS"' EXIT
    chmod 755 "$UBENCH_SERVERS"
}
