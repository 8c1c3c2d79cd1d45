# shellcheck shell=sh source=lib.sh
# ^C, a part that is killed and a script that is killed: nothing goes on.
. "$CLI/lib.sh"
agents=$CLI/../../../scripts/agents.sh
export TMPDIR="$SCRATCH" BIN

# begin: a run of a day, from three hosts; leaves the pids of its parts in pids.
begin() {
    env --default-signal=INT "$agents" local,local,local -- "$BIN/null_ubench" -t 3 \
        -w renew --rate 3 --duration 24h >"$SCRATCH/out" 2>&1 &
    script=$!
    await holds_pids
    pids=$(cat "$SCRATCH"/ubench-agents.*/pid.*)
}
holds_pids() {
    [ "$(cat "$SCRATCH"/ubench-agents.*/pid.* 2>/dev/null | wc -l)" -eq 3 ] ||
        ! kill -0 "$script" 2>/dev/null
}

gone() {
    for pid in $pids; do
        ! kill -0 "$pid" 2>/dev/null || return
    done
}

# ended: how the script ended, what it said, and that no part is left.
ended() {
    wait "$script"
    echo "exit $?"
    grep -v Killed "$SCRATCH/out"
    await gone && echo "all parts are gone"
    find "$SCRATCH" -name 'ubench-agents*' | wc -l
    rm -rf "$SCRATCH"/ubench-agents.*
}

for signal in INT TERM; do
    echo "== $signal"
    begin
    kill "-$signal" "$script"
    ended
done
echo "== a part is killed"
begin
kill -KILL "$(cat "$SCRATCH"/ubench-agents.*/pid.2)"
ended
echo "== the script is killed"
begin
sleep 4 # by then they do not meet any more, but for the end
kill -KILL "$script"
ended 2>/dev/null
