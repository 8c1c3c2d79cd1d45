# shellcheck shell=sh disable=SC2034,SC2154 # sweep.sh has the other half
# SPDX-License-Identifier: ISC
# One run, and the servers that it needs.

# ^C reaches us alone: a runner is in a session of its own, gets one signal from
# here, and so has the time to put settings back.
stop() {
    stopped=$2
    [ -z "$runner" ] || kill -s "$1" "$runner" 2>/dev/null || :
}

check_stopped() {
    [ -z "$stopped" ] || exit "$stopped"
}

# run STORE WORD...: one run in an empty folder.  Leaves its line, if there is
# one, in run.jsonl and its complaint in errors; sets status and seconds.
run() {
    program=${1}_ubench
    shift
    check_stopped
    rm -rf "$folder/leases" "$folder/run.jsonl"
    mkdir "$folder/leases"
    begun=$(now)
    (
        cd "$folder/leases" &&
            exec setsid "$bin/$program" "$@" -v no -O ../run.jsonl
    ) >/dev/null 2>"$folder/errors" 8>&- &
    runner=$!
    while :; do
        status=0
        wait "$runner" || status=$?
        kill -0 "$runner" 2>/dev/null || break
    done
    runner=
    seconds=$(since "$begun")
    rm -rf "$folder/leases"
    check_stopped
}

# complaint: what the last run or start of a server said, in one line.
complaint() {
    grep -m 1 -E '_ubench: |ERROR|FATAL|invalid' "$folder/errors" ||
        sed -n '/./{p;q;}' "$folder/errors"
}

needs_server() {
    cut -f 1,3 "$work/options" | grep -qxF "$1${tab}port"
}

# is_private STORE: its server is, or will be, the one of servers.sh.
is_private() {
    needs_server "$1" || return 1
    ! cut -f 2,3 "$work/axes" | grep -qxE "option$tab(host|port)" || return 1
    prefix=UBENCH_$(echo "$1" | tr '[:lower:]' '[:upper:]')
    eval "theirs=\${${prefix}_HOST:-}:\${${prefix}_PORT:-}"
    [ "${theirs:?}" != : ] || return 0
    ours=$("$servers" env "$1" 2>/dev/null | tr -d "'" | sed -n \
        -e "s/^export ${prefix}_HOST=//p" -e "s/^export ${prefix}_PORT=//p" |
        tr '\n' ':')
    [ "$theirs:" = "$ours" ]
}

# is_ours STORE: the same, once prepare_servers has found out.
is_ours() {
    case " $private " in
    *" $1 "*) ;;
    *) return 1 ;;
    esac
}

# start_server STORE [-- OPTION...]: makes sure that it runs, and with -- that it
# was started anew with these options.  Returns 1 with errors.
start_server() {
    check_stopped
    start_begun=$(now)
    if [ $# -gt 1 ]; then
        "$servers" stop "$1" 8>&- 9>&- 2>"$folder/errors" || return 1
    fi
    "$servers" start "$@" 8>&- 9>&- </dev/null 2>"$folder/errors" || return 1
    start_seconds=$(since "$start_begun")
    eval "$("$servers" env "$1")"
}

# Servers that were not there before us are stopped; those that were go on
# without the options of a cell.
leave_servers() {
    for store in $private; do
        if grep -qxF "$store" "$folder/started"; then
            "$servers" stop "$store" 8>&- 9>&-
        elif [ -n "$restart" ]; then
            start_server "$store" -- || say "$store: $(complaint)"
        fi
    done
}

# Sets private, and starts these servers.  One that cannot be started is left
# out, or an error if it was asked for.
prepare_servers() {
    for store in $(cut -f 2 "$work/stores" | sort -u) ${reference%% *}; do
        needs_server "$store" || continue
        if ! is_private "$store"; then
            [ -z "$restart" ] || misuse "--restart-server, --server-option:" \
                "the server of $store is not of servers.sh, and is left alone"
            continue
        fi
        "$servers" status "$store" >/dev/null 2>&1 ||
            echo "$store" >>"$folder/started"
        private="$private $store"
        start_server "$store" || give_up_store "$store"
    done
}

# give_up_store STORE: one that was not asked for by name is left out.
give_up_store() {
    if [ "$1" = "${reference%% *}" ] ||
        cut -f 2 "$work/axes" | grep -qx store; then
        die "$1: $(complaint)"
    fi
    echo "$1: $(complaint)" >>"$work/left_out"
    grep -vx ".*$tab$1" "$work/stores" >"$work/stores.less" || :
    mv "$work/stores.less" "$work/stores"
    [ -s "$work/stores" ] || die "--store: no store is left"
}
