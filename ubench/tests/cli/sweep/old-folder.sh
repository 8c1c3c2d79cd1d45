# shellcheck shell=sh source=lib-sweep.sh
# What a sweep.sh left behind that kept its state in another form, or what became of
# it on a bad disk.
. "$CLI/lib-sweep.sh"
mkdir out.jsonl.sweep
echo "$PWD" >out.jsonl.sweep/command
sweep -O out.jsonl
sweep --resume out.jsonl.sweep
rm out.jsonl.sweep/command
for json in '{"place":' '{}' '[1]' '{"place":"/","arguments":[1]}' '"x"' \
    '{"place":"/missing","arguments":[],"axes":[],"stores":[],"cells":[],"plan":[],"todo":[]}'; do
    printf '%s' "$json" >out.jsonl.sweep/sweep.json
    sweep --resume out.jsonl.sweep
done
sweep -O out.jsonl
left
