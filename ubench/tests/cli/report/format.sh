# shellcheck shell=sh source=lib.sh
# results/schema.json and the tables of results/README.md are what the table of
# fields says; "make fields" writes them.
. "$CLI/lib.sh"
need format
results=$CLI/../../../results

"$HELPERS/format" schema | cmp - "$results/schema.json" && echo "the schema is right"
sed -n '/<!-- fields -->/,/<!-- end -->/{//!p}' "$results/README.md" >tables
"$HELPERS/format" tables | cmp - tables && echo "the tables are right"
