#!/bin/sh
# SPDX-License-Identifier: ISC
#
# Each part of the run is a process, served by a subshell that answers what it asks
# (ubench/load/meeting.h); all of them report to this script, where they meet:
#   down.N       what part N is told        meeting      what the parts report
#   part-N.jsonl its result                 errors.N, status.N, pid.N
# What a part is told is held open by a cat that reads "alive", and that by this
# script: if it dies, the input of all parts ends, and they stop by themselves, on
# other machines, too.
set -eu

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
bin=$(cd "${BIN:-$programs}" && pwd)

usage() {
    cat <<'END'
Usage: agents.sh [-O FILE] HOST,HOST... -- RUNNER [OPTION]...
Splits one run among several hosts that load the same database server at the same
time, and puts their results together as that one run.

All that OPTION says is of the whole: with four hosts, -t 8 --rate 2000 is two
threads and 500 requests a second on each, on clients of their own.  The result is
shown and, with -O, appended to FILE as one line; ubench_report reads it like any
other.  Where one part fails, is invalid or was not at work while the others were,
there is no result.

HOST is a name for ssh (which must ask for no password), local, or netns:NAME, a
network namespace of this machine.  RUNNER is a path on each host: mysql_ubench,
pgsql_ubench or null_ubench.  Passwords belong into ~/.my.cnf and ~/.pgpass there.

  -O, --output FILE   append the result to FILE
  -h, --help          print this and exit

AGENT_SSH is called instead of "ssh -o BatchMode=yes", with HOST and a command.
^C ends all parts, which put back what they have set; a second one kills them.

Example: agents.sh -O all.jsonl east,west -- mysql_ubench -m db -t 8 -w renew \
             --rate 2000

Exit status: 0 done, 1 a part failed or cannot be put together with the others,
2 usage, 3 a store gave a wrong answer, 130 or 143 interrupted.
END
}

# ---- The parts

# start NUMBER HOST: runs that part on that host.
start() {
    run="exec $command --part $1/$parts --label agent='$2'"
    # shellcheck disable=SC2086 # the words of a command
    case $2 in
    local) sh -c "echo \$\$ >'$work/pid.$1'; $run" ;;
    netns:*) ip netns exec "${2#netns:}" sh -c "echo \$\$ >'$work/pid.$1'; $run" ;;
    *) sh -c "echo \$\$ >'$work/pid.$1'; exec \"\$@\"" - \
        $ssh "$2" "$run" ;;
    esac
}

# serve NUMBER HOST: the part, and what it is answered; and that it has ended, also if a
# signal to the whole group did that.
serve() {
    trap : TERM HUP
    exec 4<&- 5>"$work/meeting" 6<&-
    cat "$work/alive" >"$work/down.$1" 5>&- &
    { start "$1" "$2" <"$work/down.$1" 2>"$work/errors.$1" ||
        echo $? >"$work/status.$1"; } |
        while read -r word value; do
            case $word in
            clock) echo "clock $(date +%s%N)" 1<>"$work/down.$1" ;;
            meet) echo "$1 $value" >&5 ;;
            result) cat >"$work/part-$1.jsonl" ;;
            *) echo "$word $value" >>"$work/errors.$1" ;;
            esac
        done || :
    echo "$1 end" >&5
}

# tell LINE: all parts that are still there.
tell() {
    for number in $(seq "$parts"); do
        echo "$1" 1<>"$work/down.$number"
    done
}

# interrupt STATUS: the first time, ends the run; then kills what is left of it.
# shellcheck disable=SC2317 # called by a trap
interrupt() {
    if [ "$status" -ge 128 ]; then
        cat "$work"/pid.* 2>/dev/null | xargs -r kill -KILL 2>/dev/null || :
        rm -rf "$work"
        exit "$1"
    fi
    status=$1
    tell stop
}

# note_end NUMBER: a part is no more.  One that failed ends the others.
note_end() {
    ended=$((ended + 1))
    [ -s "$work/status.$1" ] || return 0
    [ "$status" -ne 0 ] || tell stop
    # A wrong answer says more than parts that were called off for it.
    case $status,$(cat "$work/status.$1") in
    [01],[23]) status=$(cat "$work/status.$1") ;;
    0,*) status=1 ;;
    esac
}

# explain NUMBER HOST: why a part failed.  What all say is said once, and what was
# called off for another part says nothing.
explain() {
    if [ "$1" -eq 1 ] || ! cmp -s "$work/errors.1" "$work/errors.$1"; then
        sed "/--part: the run was called off/d; s/^/$2: /" "$work/errors.$1"
    fi
    code=$(cat "$work/status.$1" 2>/dev/null) || return 0
    [ "$code" -le 3 ] || [ "$status" -ge 128 ] ||
        echo "$2: part $1 ended with exit status $code"
}

# ---- The run

output=
while :; do
    case ${1:-} in
    -h | --help) usage && exit 0 ;;
    -O | --output)
        [ $# -gt 1 ] || misuse "$1: a file is missing"
        output=$2
        shift
        ;;
    --output=*) output=${1#*=} ;;
    -?*) misuse "'$1' is no option; --help lists them" ;;
    *) break ;;
    esac
    shift
done
if [ $# -lt 3 ] || [ "$2" != -- ]; then
    misuse "expected HOST,HOST... -- RUNNER [OPTION]...; --help says more"
fi
hosts=$(printf '%s' "$1" | tr ',' '\n')
parts=$(printf '%s\n' "$hosts" | grep -c '^[A-Za-z0-9][A-Za-z0-9@:._-]*$') || :
if [ "$parts" -lt 2 ] || [ "$parts" -ne "$(printf '%s\n' "$hosts" | wc -l)" ]; then
    misuse "'$1' is not a list of two hosts or more"
fi
shift 2
[ -z "$output" ] || check_output --output "$output"
command=
for word; do
    command="$command '$(printf '%s' "$word" | sed "s/'/'\\\\''/g")'"
done

ssh=${AGENT_SSH:-ssh -o BatchMode=yes}
status=0 ended=0 met=0 sum=0 number=0
work=$(mktemp -d "${TMPDIR:-/tmp}/ubench-agents.XXXXXX")
trap 'interrupt 130' INT
trap 'interrupt 143' TERM HUP
mkfifo "$work/meeting" "$work/alive"
exec 4<>"$work/meeting" 6<>"$work/alive"
for host in $hosts; do
    number=$((number + 1))
    mkfifo "$work/down.$number"
    serve "$number" "$host" &
done
while [ "$ended" -lt "$parts" ]; do
    read -r number value <&4 || continue
    if [ "$value" = end ]; then
        note_end "$number"
        continue
    fi
    met=$((met + 1)) sum=$((sum + value))
    if [ "$met" -eq "$parts" ]; then
        tell "meet $sum"
        met=0 sum=0
    fi
done
number=0
for host in $hosts; do
    number=$((number + 1))
    explain "$number" "$host" >&2
done
if [ "$status" -eq 0 ]; then
    "$bin/ubench_report" merge "$work"/part-*.jsonl >"$work/merged" ||
        die "the results of the parts are in $work"
    "$bin/ubench_report" show "$work/merged"
    [ -z "$output" ] ||
        "$bin/ubench_report" merge -O "$output" "$work"/part-*.jsonl ||
        die "the results of the parts are in $work"
fi
rm -rf "$work"
exit "$status"
