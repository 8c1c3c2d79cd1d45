# shellcheck shell=sh source=lib.sh
# Labels go into the result as they were typed, or nowhere.
. "$CLI/lib.sh"
need null_ubench
long() {
    printf '%*s' "$1" '' | tr ' ' x
}
try null_ubench --label block=3 --label=role=reference --label a.B_c-9=x=y \
    --label note="two words" --label empty= -O out.jsonl | grep '^exit'
json_get out.jsonl labels parameters.output
"$BIN/null_ubench" -v no -O out.jsonl --label "$(long 47)=$(long 207)" >/dev/null
json_get out.jsonl labels.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx |
    wc -c
