# shellcheck shell=sh source=lib-stores.sh
runner=memfile_ubench
. "$CLI/lib-stores.sh"
need json_get
# It fills up in the first phase, at once, and before there is anything.
on_disk size=400k "$BIN/$runner" -s no -f disk/leases -n 100k -O out.jsonl
echo "exit $status"
"$HELPERS/json_get" out.jsonl incomplete error runs.0.phases.0.incomplete \
    runs.0.phases.3.operations
on_disk size=4k "$BIN/$runner" -f disk/leases
echo "exit $status"
on_disk nr_inodes=1 "$BIN/$runner" -f disk/leases
echo "exit $status"
on_disk ro "$BIN/$runner" -f disk/leases
echo "exit $status"
left
