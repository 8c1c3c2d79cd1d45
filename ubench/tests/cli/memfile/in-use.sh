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
