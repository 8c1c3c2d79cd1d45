# shellcheck shell=sh source=lib.sh
. "$CLI/lib.sh"
# shellcheck source=lib-results.sh
. "$CLI/lib-results.sh"
# shellcheck source=lib-page.sh
. "$CLI/lib-page.sh"
command -v python3 >/dev/null || skip "there is no python3"

{
    line memfile power-safe 1 1000000000
    line memfile power-safe 1 2000000000
    line memfile power-safe 4 500000000
    line sqlite process-safe 1 100000000 '"warning":"a busy machine",'
} >out.jsonl
page --title="A & B" out.jsonl
grep -o '<title>.*</title>' page.html
grep -o '"overall":{[^}]*}' page.html
grep -o '"common":{[^}]*}\|"properties":{[^}]*}' page.html

# The references of a campaign are counted apart.
{
    line memfile bounded 1 1000000000 '"warning":"a busy machine",'
    line memfile bounded 1 1000000000 '"labels":{"role":"reference"},"warning":"a busy machine",'
} >campaign.jsonl
page campaign.jsonl
grep -o '<p>Results: .*</p>' page.html
grep -o 'During [0-9]* of [0-9]* results' page.html
grep -o 'by [0-9]* more results' page.html

# Texts that try to be something else, and lines that are not whole.
{
    hostile
    echo '{"format":"ubench-result/1"'
    echo '{"format":"ubench-crash/1","store":"mysql"}'
} >hostile.jsonl
page hostile.jsonl
for text in '<script>a' '<img' '<td></table'; do
    echo "$text: $(grep -c "$text" page.html)"
done
[ ! -e owned ] || echo "it was OWNED"

# Wrong command lines.
try ubench_report page
try ubench_report page missing.jsonl
try ubench_report page --title out.jsonl
try ubench_report page --format=text out.jsonl
: >empty.jsonl
try ubench_report page empty.jsonl
echo '$ ubench_report page out.jsonl >/dev/full'
"$BIN/ubench_report" page out.jsonl >/dev/full 2>err
echo "exit $?"
sed 's/^/2> /' err
