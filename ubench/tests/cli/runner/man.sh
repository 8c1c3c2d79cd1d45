# shellcheck shell=sh source=lib.sh
# A manual page has each option of the table, each command, and nothing that
# groff complains of.
. "$CLI/lib.sh"
need null_ubench ubench_report
page() {
    "$CLI/../../../scripts/man.sh" "$BIN/$1" >page
    echo "$1: $(grep -c '^\.SH' page) sections"
    command -v groff >/dev/null && groff -man -ww -z page
}
page null_ubench
grep -A 2 -x '.SH NAME' page
"$BIN/null_ubench" --list-options | cut -f 2 | while read -r option; do
    sed 's,\\,,g' page | grep -qe "^ .* --$option" || echo "--$option is missing"
done
page ubench_report
grep '^\.SH' page
