# shellcheck shell=sh source=lib.sh
# The line of progress fits a narrow terminal, and a log has whole lines.
. "$CLI/lib.sh"
need null_ubench memfile_ubench
command -v script >/dev/null || skip "there is no script(1)"
# show COLUMNS: two runs at a pace, so that they last on a fast machine, too, in a
# terminal of so many columns.
show() {
    script -qec "stty cols $1; exec '$BIN/null_ubench' -w churn --preload 30 --pace 20 -n 60 -R 2" \
        /dev/null </dev/null | tr '\r' '\n' |
        sed "s/$(printf '\033')\[K//g; / %  .*\/s/!d" >"shown$1"
}
for columns in 20 40 80; do
    show $columns &
done
wait
for columns in 20 40 80; do
    awk -v columns="$columns" 'length > n { n = length }
        END { print (n < columns ? "it fits" : "it has " n), columns }' shown$columns
done
sed 's/[0-9][0-9,.]*/#/g; s/  \[[#.]*\]$/ and a bar/' shown80 | tr -s ' ' |
    sort -u | grep -m 1 ' s left'
# In a log: nothing for ten seconds, and then whole lines.
"$BIN/memfile_ubench" -s no -w churn --preload 30 --pace 10 -n 10k --progress plain \
    >/dev/null 2>log &
pid=$!
await grep -qs left log
kill -s INT "$pid"
wait "$pid"
sed -n '1s/[0-9][0-9,.]*/#/gp' log | tr -s ' '
tr -d '[:print:]\n' <log | wc -c
