# shellcheck shell=sh source=lib.sh
. "$CLI/lib.sh"
need memfile_ubench
start memfile_ubench -s no -n 100M
"$BIN/memfile_ubench" -n 10
echo "exit $?"
kill -s INT "$pid"
finish >"$SCRATCH/finished"
tail -n 1 "$SCRATCH/finished"
try memfile_ubench -v no -n 10 | tail -n 3
# If two begin together, on a file that is not there, one goes on: here, where
# there is strace, the one that has not made it.
slow=
! strace true 2>"$SCRATCH/log" ||
    slow="strace -f -o $SCRATCH/log -e trace=flock -e inject=flock:delay_enter=1000000"
$slow "$BIN/memfile_ubench" -f both -s no -n 100M >"$SCRATCH/one" 2>&1 &
one=$!
until [ -e both ]; do sleep 0.01; done
"$BIN/memfile_ubench" -f both -s no -n 100M >"$SCRATCH/two" 2>&1 &
two=$!
await grep -qs 'in use by another' "$SCRATCH/one" "$SCRATCH/two" || echo "both have it"
# shellcheck disable=SC2046 # strace waits for what it has started
kill $two $(pgrep -P $one) $one 2>/dev/null
wait
