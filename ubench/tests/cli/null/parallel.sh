# shellcheck shell=sh source=lib.sh
# Twenty runners append to one file at once, lines of many pages: each of them
# arrives whole.
. "$CLI/lib.sh"
need null_ubench
for seed in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    "$BIN/null_ubench" -v no -n 3000 -R 20 --seed=$seed -O out.jsonl \
        >/dev/null || echo "$seed: exit $?" &
done
wait
json_get out.jsonl
for seed in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    grep -c "\"seed\":\"$seed\".*}\$" out.jsonl
done | tr '\n' ' '
echo
awk 'length($0) < 8 * 4096 { print "line " NR " is short" }' out.jsonl
