# shellcheck shell=sh source=lib-stores.sh
runner=sqlite_ubench
. "$CLI/lib-stores.sh"
for level in yes no volatile process-safe power-safe; do
    try $runner -s $level -f leases
done
left
# Its own file is taken again, whatever the schema was.
try $runner -s no -v no -f leases -S kea -L guide --preload=500 -n 1000
left
