# shellcheck shell=sh source=lib-sweep.sh
# What became of a sweep's folder on a bad disk.
. "$CLI/lib-sweep.sh"
mkdir out.jsonl.sweep
for json in '{"place":' '{}' '[1]' '{"place":"/","arguments":[1]}' '"x"' \
    '{"place":"/missing","arguments":[],"axes":[],"stores":[],"cells":[],"plan":[],"todo":[]}'; do
    printf '%s' "$json" >out.jsonl.sweep/sweep.json
    sweep --resume out.jsonl.sweep
done
sweep -O out.jsonl
left
