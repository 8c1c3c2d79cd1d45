# shellcheck shell=sh source=lib.sh
# The guide's Tables 3.1 to 3.3 from its times, in each format.
. "$CLI/lib.sh"
guide=$CLI/../../../results/guide-2012.jsonl
for format in text markdown csv; do
    try ubench_report tables "--format=$format" "$guide" | sed "s|$CLI/../../../||"
done
