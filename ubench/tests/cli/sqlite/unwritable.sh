# shellcheck shell=sh source=lib-stores.sh
runner=sqlite_ubench
. "$CLI/lib-stores.sh"
try_unwritable
