# shellcheck shell=sh source=lib.sh
. "$CLI/lib.sh"
need kea_ubench
"$BIN/kea_ubench" --help=all | sed -n '/^Store:/,/^Output:/p; /^--set/,/^Ex/p'
"$BIN/kea_ubench" --help | sed -n "/--batch/p"
