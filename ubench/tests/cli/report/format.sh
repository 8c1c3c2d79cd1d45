# shellcheck shell=sh source=lib.sh
# The schemas in results/ and the tables of results/README.md are what the tables of
# fields say; "make fields" writes them.
. "$CLI/lib.sh"
need format
results=$CLI/../../../results

for kind in '' kea.; do
    "$HELPERS/format" "${kind}schema" | cmp - "$results/${kind}schema.json" &&
        echo "the schema ${kind}schema.json is right"
    sed -n "/<!-- ${kind}fields -->/,/<!-- end -->/{//!p}" "$results/README.md" >tables
    "$HELPERS/format" "${kind}tables" | cmp - tables &&
        echo "the tables ${kind}tables are right"
done
