# shellcheck shell=sh source=lib.sh
# README.md is short, and the files that it and the other pages link to are there.
. "$CLI/lib.sh"
top=$CLI/../../..
[ "$(wc -l <"$top/README.md")" -le 150 ] || echo "README.md is too long"
for page in "$top"/*.md "$top"/docs/*.md "$top"/results/*.md; do
    grep -o '](\([^)#]*\)' "$page" | cut -c 3- | sort -u | while read -r link; do
        [ -e "$(dirname "$page")/$link" ] || echo "${page##*/}: no $link"
    done
done
