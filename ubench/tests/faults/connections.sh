#!/bin/sh
# SPDX-License-Identifier: ISC
# connections.sh: passwords that have expired, certificates that are not trusted,
# connections that are cut after any byte of the answers, and clocks that jump.  Each
# ends in one sentence and the right exit status, in time, and with no figure that was
# not measured.  See cases.sh.
. "$(dirname "$0")/../lib/cases.sh"
helpers=$(cd "${HELPERS:-$top/build/release/tests}" && pwd)
proxy='' once=''

clean_up() {
    [ -z "$proxy" ] || kill "$proxy" 2>/dev/null
}

# certificates: one for the server, whose key its own user may read, and another.
certificates() {
    for name in server other; do
        openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost \
            -addext subjectAltName=IP:127.0.0.1,DNS:localhost \
            -keyout "$work/$name.key" -out "$work/$name.pem" \
            >"$work/log" 2>&1 || return
    done
    chmod 644 "$work"/*.pem
    # PostgreSQL wants a key that others cannot read, MariaDB one that it can.
    cp "$work/server.key" "$work/pgsql.key"
    chmod 600 "$work/pgsql.key"
    [ "$(id -u)" -ne 0 ] || ! id postgres >/dev/null 2>&1 ||
        chown postgres "$work/pgsql.key"
    chmod 644 "$work/server.key"
}

expired_mysql() {
    mysql_sql "CREATE USER late@'%' IDENTIFIED BY 'secret';
        GRANT ALL ON ubench.* TO late@'%'; ALTER USER late@'%' PASSWORD EXPIRE"
    for disconnect in ON OFF; do
        mysql_sql "SET GLOBAL disconnect_on_expired_password = $disconnect" \
            2>/dev/null # MySQL's is fixed when it starts
        try -u late -p secret
        expect "an expired password, disconnect=$disconnect" 1 \
            "(1820|1862)\)"
    done
}

# PostgreSQL does not tell a client more than it has to.
expired_pgsql() {
    pgsql_sql "CREATE ROLE late LOGIN PASSWORD 'secret' VALID UNTIL '2001-01-01'"
    try -u late -p secret
    expect "an expired password" 1 "password authentication failed for user .late"
}

# trusting FILE COMMAND...: the client checks the server's certificate by that file,
# as its own configuration says.
trusting() {
    file=$1
    shift
    printf '[client]\nssl-ca=%s\nssl-verify-server-cert=1\n' "$file" >"$work/.my.cnf"
    HOME=$work PGSSLMODE=verify-full PGSSLROOTCERT=$file "$@"
}

trust() {
    trusting "$work/other.pem" try -m "$host" -P "$port"
    expect "$store: a certificate that is not trusted" 1 \
        "(self-signed certificate|certificate verify failed)"
    check "$store: and nothing is printed" "$(wc -c <"$work/out")" 0
    trusting "$work/server.pem" try -m "$host" -P "$port" --json
    check "$store: one that is trusted" "$(grep -c 'TLS.*TLS_' "$work/out")" 1
}

# through BYTES OPTION...: a run whose connections are cut after so many bytes of the
# answers.
through() {
    bytes=$1
    shift
    rm -f "$work/port"
    python3 -B "$top/ubench/tests/lib/cut_proxy.py" "$host" "$port" "$bytes" \
        "$work/port" $once &
    proxy=$!
    await test -s "$work/port"
    try -m 127.0.0.1 -P "$(cat "$work/port")" -s server -n 20 "$@"
    kill "$proxy"
    wait "$proxy" 2>/dev/null
    proxy=
}

# honest: what the last run printed was measured: all of it, or a part that is called
# so, or nothing at all but one sentence.
honest() {
    is_soon || return
    if [ "$status" -eq 0 ]; then
        grep -q '^verified' "$work/out" && [ ! -s "$work/err" ]
    else
        [ "$status" -eq 1 ] && [ "$(wc -l <"$work/err")" -eq 1 ] &&
            grep -q "^${store}_ubench: $store: " "$work/err" &&
            { [ ! -s "$work/out" ] || tr -s ' \n' ' ' <"$work/out" | grep -q 'ended early'; }
    fi
}

# cut_off: after each of the first bytes, of a greeting, and then all over a run; the
# schemas take turns, so that tables are made each time.
cut_off() {
    through 1000000000 -S kea
    expect "$store: nothing is cut" 0 ""
    total=$(cat "$work/port.total")
    bad=0 ended=0 runs=0
    for at in 1 2 3 4 5 7 9 13 23 47 80 $(seq 97 $((total / 7)) "$total"); do
        runs=$((runs + 1))
        export PGSSLMODE=disable
        [ $((runs % 2)) -eq 0 ] || export PGSSLMODE=prefer
        schema=lean
        [ $((runs % 3)) -eq 0 ] || schema=kea
        through "$at" -S $schema
        [ "$status" -eq 0 ] || ended=$((ended + 1))
        honest && continue
        bad=$((bad + 1))
        not_ok "$store: cut after $at bytes of $total" \
            "status $status after $took s: $(cat "$work/err" "$work/out")"
    done
    unset PGSSLMODE
    [ "$bad" -gt 0 ] ||
        ok "$store: cut after any byte: $ended of $runs runs ended so"
    check "$store: most of them did" $((ended >= runs - 4)) 1
    for schema in lean kea; do
        try -S $schema
        expect "$store: after all of it, --schema $schema" 0 ""
    done
}

# cut_once: a run with --reconnect goes on after a connection that was cut in the middle
# of an answer, wherever that is, and does the same work.
cut_once() {
    once=once
    through 1000000000 --reconnect=20s -n 300 --json
    total=$(cat "$work/port.total") digest=$(member digest) bad=
    for part in 60 68 72 76 90; do
        through "$((total * part / 100))" --reconnect=20s -n 300 --json
        [ "$status $(member digest)" = "0 $digest" ] ||
            bad="$bad after $part %: $status $(cat "$work/err");"
    done
    once=
    check "$store: cut once, with --reconnect" "$bad" ""
}

# member NAME: each number of that name in the result of the last run.
member() {
    grep -o "\"$1\":[^,}]*" "$work/out" | cut -d : -f 2
}

# clock OPTION...: the same run with a time of day that jumps, whose digest is that
# of a quiet one, and whose times are no longer than that of the process.
clock() {
    if [ ! -e "$helpers/clock_jumps.so" ]; then
        skip "$store: a clock that jumps" "clock_jumps.so was not built"
        return
    fi
    try --json "$@"
    digest=$(member digest)
    began=$(cut -d . -f 1 /proc/uptime)
    LD_PRELOAD=$helpers/clock_jumps.so "$runner" --json -n 200 "$@" \
        >"$work/out" 2>"$work/err"
    status=$?
    took=$(($(cut -d . -f 1 /proc/uptime) - began))
    expect "$store: a clock that jumps" 0 ""
    check "$store: the same answers" "$(member digest)" "$digest"
    check "$store: no time that did not pass" "$(member elapsed_ns |
        awk -v took="$took" '$1 > 0 && $1 <= (took + 1) * 1e9 { good++ }
            END { print NR " of " good }')" "5 of 5"
}

# exported STATUS HOST PORT WHAT: a run on a list of two servers, of which only the second is
# there, with the right password in the variables for that host and port.
exported() {
    prefix=UBENCH_$(echo "$store" | tr '[:lower:]' '[:upper:]')
    env UBENCH_PASSWORD=wrong "${prefix}_SOCKET=" "${prefix}_HOST=$2" "${prefix}_PORT=$3" \
        "${prefix}2_HOST=127.0.0.1" "${prefix}2_PORT=3" \
        "$runner" -n 10 -m "127.0.0.1:3,$host:$port" >"$work/out" 2>"$work/err"
    status=$?
    expect "$store: $4" "$1" \
        "$([ "$1" -eq 0 ] || echo '(Access denied|password authentication failed)')"
}

try_server() {
    "expired_$store"
    exported 0 "$host" "$port" "exported credentials for each server of a list are used"
    exported 1 127.0.0.1 3 "those that are not for each server of a list are not"
    [ -z "$tls" ] || trust
    if command -v python3 >/dev/null; then
        cut_off
        cut_once
    else
        skip "$store: a connection that is cut" "no python3"
    fi
    clock
}

tls=yes
certificates || tls=
[ -n "$tls" ] || skip "certificates" "no openssl"
if need_server mysql -- ${tls:+--ssl-cert="$work/server.pem"} \
    ${tls:+--ssl-key="$work/server.key"}; then
    try_server
    stop_server
fi
if need_server pgsql -- ${tls:+-c ssl=on -c ssl_cert_file="$work/server.pem"} \
    ${tls:+-c ssl_key_file="$work/pgsql.key"}; then
    try_server
    stop_server
fi
for store in memfile sqlite; do
    runner=$bin/${store}_ubench
    [ ! -x "$runner" ] || clock -f "$work/$store" -s no
done
summary
