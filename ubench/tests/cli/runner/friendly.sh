# shellcheck shell=sh source=lib.sh
# A runner is pleasant to use by hand.
. "$CLI/lib.sh"
need null_ubench memfile_ubench
echo "== -v alone is -v full, also before another option"
for options in "-v" "--verbose" "-v -n 100" "--verbose --seed=1"; do
    # shellcheck disable=SC2086 # words
    "$BIN/null_ubench" -n 100 -O k.jsonl $options | grep -c '^more *ubench_report show k.jsonl'
done

echo "== colours are for a terminal"
if command -v script >/dev/null; then
    coloured() {
        script -qec "$1 '$BIN/memfile_ubench' -n 10 -s no $2" /dev/null </dev/null |
            tr -d '\r' | grep -c "$(printf '\033')\[[0-9;]*m"
    }
    [ "$(coloured 'env -u NO_COLOR TERM=xterm' '')" -ge 1 ] && echo "in a terminal"
    coloured 'env NO_COLOR=1 TERM=xterm' ''
    coloured 'env -u NO_COLOR TERM=dumb' ''
    coloured 'env -u NO_COLOR TERM=xterm' '| cat'
else
    printf '%s\n' "in a terminal" 0 0 0
fi
