# shellcheck shell=sh source=lib.sh
. "$CLI/lib.sh"
need null_ubench
# A report that nobody can read is no success.
for options in "-n 100" "-n 100 -v no" --help --version; do
    echo "\$ null_ubench $options >/dev/full"
    # shellcheck disable=SC2086 # words
    "$BIN/null_ubench" $options 2>"$SCRATCH/err" >/dev/full
    status=$?
    sed 's/^/2> /' "$SCRATCH/err"
    echo "exit $status"
done
