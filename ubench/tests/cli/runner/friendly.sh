# shellcheck shell=sh source=lib.sh
# What is typed wrongly, or for another store, is answered with what was meant.
. "$CLI/lib.sh"
need null_ubench memfile_ubench sqlite_ubench
try null_ubench --thraeds 2
try null_ubench --cont=5
try null_ubench --xyzzy
try null_ubench -w reclaime
try null_ubench -w sotrm
try null_ubench -w nothing-like-it
try null_ubench --lease=typcal
try null_ubench --progress=dot
try null_ubench --sync yes
try memfile_ubench --user me
try memfile_ubench -e MyISAM
try memfile_ubench -c no
try sqlite_ubench --database x
try sqlite_ubench --hosts
try sqlite_ubench --engine
"$BIN/sqlite_ubench" -s no -n 1 -o synchronus=3 2>&1 | sed 's/SQLite [0-9.]*/SQLite #/'
"$BIN/sqlite_ubench" -s no -n 1 -o nothing_like_it=3 2>&1 | sed 's/SQLite [0-9.]*/SQLite #/'
try null_ubench --help most
try null_ubench -n 1e
try null_ubench -n 1e9

echo "== -v alone is -v full, also before another option"
for options in "-v" "--verbose" "-v -n 100" "--verbose --seed=1"; do
    # shellcheck disable=SC2086 # words
    "$BIN/null_ubench" -n 100 $options | grep -c '^parameters'
done

echo "== --help fits a screen"
for runner in "$BIN"/*_ubench; do
    "$runner" --help | awk -v name="${runner##*/}" '
        length > 79 || NR > 30 { print name ": too much: " $0 }'
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
