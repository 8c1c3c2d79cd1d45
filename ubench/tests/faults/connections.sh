#!/bin/sh
# SPDX-License-Identifier: ISC
# connections.sh: passwords that have expired, certificates that are not trusted,
# connections that are cut after any byte of the answers, and clocks that jump.  Each
# ends in one sentence and the right exit status, in time, and with no figure that was
# not measured.  See cases.sh.
. "$(dirname "$0")/../lib/cases.sh"
helpers=${HELPERS:-$top/build/release/tests}
proxy=

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
    printf '[client]\nssl-ca=%s\nssl-verify-server-cert\nssl-mode=VERIFY_IDENTITY\n' \
        "$file" >"$work/.my.cnf"
    HOME=$work PGSSLMODE=verify-full PGSSLROOTCERT=$file "$@"
}

trust() {
    trusting "$work/other.pem" try -m "$host" -P "$port"
    expect "$store: a certificate that is not trusted" 1 \
        "(self-signed certificate|certificate verify failed)"
    check "$store: and nothing is printed" "$(wc -c <"$work/out")" 0
    trusting "$work/server.pem" "$runner" -m "$host" -P "$port" -n 10 \
        >"$work/out" 2>&1
    check "$store: one that is trusted" \
        "$(grep -c 'TLS.*TLS_' "$work/out")" 1
}

# through BYTES OPTION...: a run whose connections are cut after so many bytes of the
# answers.
through() {
    bytes=$1
    shift
    rm -f "$work/port"
    python3 -B "$top/ubench/tests/lib/cut_proxy.py" "$host" "$port" "$bytes" \
        "$work/port" &
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
    [ "$took" -le 20 ] || return
    if [ "$status" -eq 0 ]; then
        grep -q '^verified' "$work/out" && [ ! -s "$work/err" ]
    else
        [ "$status" -eq 1 ] && [ "$(wc -l <"$work/err")" -eq 1 ] &&
            grep -q "^${store}_ubench: $store: " "$work/err" &&
            { [ ! -s "$work/out" ] || grep -q 'ended early' "$work/out"; }
    fi
}

# cut: after each of the first bytes, of a greeting, and then all over a run; the
# schemas take turns, so that tables are made each time.
cut() {
    through 1000000000 -S kea
    expect "$store: nothing is cut" 0 ""
    total=$(cat "$work/port.total")
    bad=0 ended=0 runs=0
    for at in 1 2 3 4 5 6 7 8 9 11 13 17 23 31 47 64 80 $(seq 97 $((total / 12)) \
        "$total"); do
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

# jumps OPTION...: the same run with a time of day that jumps, whose digest is that
# of a quiet one, and whose time is no more than that of the process.
jumps() {
    "$runner" -v no -n 500 "$@" >"$work/quiet" 2>&1
    began=$(date +%s)
    LD_PRELOAD=$helpers/clock_jumps.so timeout 120 "$runner" -v no -n 500 "$@" \
        >"$work/out" 2>"$work/err"
    status=$?
    took=$(($(date +%s) - began))
    expect "$store: a clock that jumps" 0 ""
    check "$store: the same answers" "$(sed -n 's/.*; digest //p' "$work/out")" \
        "$(sed -n 's/.*; digest //p' "$work/quiet")"
    check "$store: no time that did not pass" "$(awk -v took="$took" '
        $1 ~ /^(create|search|update|delete|overall)$/ && NF > 3 {
            lines++
            if ($3 > 0 && $3 <= took + 1) good++
        }
        END { print (lines == 5 && good == 5) }' "$work/out")" 1
}

clock() {
    if [ ! -e "$helpers/clock_jumps.so" ]; then
        skip "$store: a clock that jumps" "clock_jumps.so was not built"
        return
    fi
    jumps "$@"
}

try_server() {
    "expired_$store"
    [ -z "$tls" ] || trust
    if command -v python3 >/dev/null; then
        cut
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
