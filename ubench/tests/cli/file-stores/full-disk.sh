# shellcheck shell=sh source=lib-stores.sh
. "$CLI/lib-stores.sh"
need json_get
# on_disk OPTIONS COMMAND...: runs it in a file system in memory of its own,
# mounted at ./disk with these options; skips where that cannot be.
on_disk() {
    mkdir -p disk
    how=
    for way in "unshare -m" "unshare -rm"; do
        if $way mount -t tmpfs none disk 2>/dev/null; then
            how=$way
            break
        fi
    done
    [ -n "$how" ] || skip "no file system can be mounted here"
    options=$1
    shift
    # shellcheck disable=SC2016 # expanded by the inner shell
    $how sh -c 'mount -t tmpfs -o "$0" none disk && "$@"' "$options" "$@"
    status=$?
    rmdir disk
}
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
