# shellcheck shell=sh source=lib.sh
# A stack of 64 kB is enough: what needs more has one of its own.
. "$CLI/lib.sh"
need memfile_ubench null_ubench

# shellcheck disable=SC3045 # dash and bash have it
ulimit -s 64
for threads in 1 4; do
    "$BIN/null_ubench" -v no -n 1000 -t $threads -O out.jsonl >/dev/null
    echo "exit $?"
    "$BIN/memfile_ubench" -v no -n 1000 -s no -t $threads >/dev/null
    echo "exit $?"
done
