# shellcheck shell=sh source=lib.sh
# For programs: a line per option, with tabs between its fields.
. "$CLI/lib.sh"
need null_ubench
try null_ubench --list-options | tr '\t' '|'
