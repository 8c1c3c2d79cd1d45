# shellcheck shell=sh source=lib-sweep.sh
# What a sweep.sh left behind that kept its state in another form.
. "$CLI/lib-sweep.sh"
mkdir out.jsonl.sweep
echo "$PWD" >out.jsonl.sweep/command
sweep -O out.jsonl
sweep --resume out.jsonl.sweep
left
