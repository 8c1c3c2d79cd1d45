# shellcheck shell=sh source=lib-stores.sh
runner=memfile_ubench
. "$CLI/lib-stores.sh"
try_unwritable
