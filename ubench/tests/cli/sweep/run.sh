# shellcheck shell=sh source=lib-sweep.sh
# A campaign from beginning to end, in a file that has something in it.
. "$CLI/lib-sweep.sh"
"$BIN/null_ubench" -v no -O out.jsonl >/dev/null
sweep -n 50 -r 2 -s no,volatile -t 1,2 --order-seed 7 --campaign mine -O out.jsonl \
    --reference 'null -n 1000' --store memfile | sed 's/: about .*/: about TIME/'
runs out.jsonl | tail -n +2
wc -l <out.jsonl
"$HELPERS/json_get" out.jsonl labels.campaign parameters.count program
# The same command has nothing to do, and another one is not mixed with it.
sweep -n 50 -r 2 -s no,volatile -t 1,2 --order-seed 7 --campaign mine -O out.jsonl \
    --reference 'null -n 1000' --store memfile
sweep -n 50 -r 3 -O out.jsonl
sweep --resume out.jsonl.sweep
wc -l <out.jsonl
left
