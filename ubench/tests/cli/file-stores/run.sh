# shellcheck shell=sh source=lib-stores.sh
. "$CLI/lib-stores.sh"
# disk_class: what only a disk keeps is less on a file system in memory.
disk_class() {
    case $(stat -f -c %T .) in
    tmpfs | ramfs) sed 's/^process-safe /power-safe   /' ;;
    *) cat ;;
    esac
}
try "$runner" -s yes -f leases | disk_class
for level in no volatile process-safe; do
    try "$runner" -s $level -f leases
done
try "$runner" -s power-safe -f leases | disk_class
left
# Its own file is taken again, whatever the schema was.
try "$runner" -s no -v no -f leases -S kea -L guide --preload=500 -n 1000
left
