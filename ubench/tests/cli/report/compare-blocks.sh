# shellcheck shell=sh source=lib-compare.sh
# A campaign in blocks: each block is a pair, whatever drifts between them.
. "$CLI/lib-compare.sh"
for i in 1 2 3 4 5 6 7 8 9; do
    block $i 1 $((i * 100)) $((i * 110 + i % 3))
    block $i 4 $((i * 100)) $((i * 100 + i % 3 - 1))
    result mysql power-safe ',"threads":"1","sync":"yes"' \
        ",\"campaign\":\"c\",\"block\":\"$i\",\"role\":\"reference\"" 500
done >campaign.jsonl
# A block of one side only, a run that was cut short and one without a block.
{
    cat campaign.jsonl
    result mysql power-safe ',"threads":"1","sync":"yes"' \
        ',"campaign":"c","block":"10"' 5000
    result mysql power-safe ',"threads":"1","sync":"server"' \
        ',"campaign":"c","block":"1"' 7777 |
        sed 's/{"phases"/{"incomplete":true,"phases"/'
    result mysql power-safe ',"threads":"1","sync":"server"' '' 9999
} >odd.jsonl
chosen='--baseline sync=yes --candidate sync=server'
# shellcheck disable=SC2086 # words
{
    try ubench_report compare $chosen campaign.jsonl
    try ubench_report compare $chosen --format=markdown --where threads=1 campaign.jsonl
    try ubench_report compare $chosen odd.jsonl
    try ubench_report compare $chosen --fail-on-regression --where threads=4 \
        --format=csv campaign.jsonl
}
# The other way round; and of the reference runs only.
try ubench_report compare --baseline sync=server --candidate sync=yes --format=csv \
    campaign.jsonl
try ubench_report compare --baseline role=reference --candidate sync=server \
    --where threads=1 --format=csv campaign.jsonl
# Threads are compared, so they are no case.
try ubench_report compare --baseline threads=1 --candidate threads=4 \
    --where sync=yes --format=csv campaign.jsonl
# Several runs of a block count as one; blocks of another campaign are no pairs.
for i in 1 2 3 4 5 6; do
    result sqlite bounded '' ",\"campaign\":\"c\",\"block\":\"$i\"" \
        $((i * 100)) $((i * 104)) >>before.jsonl
    result sqlite bounded '' ",\"campaign\":\"c\",\"block\":\"$i\"" \
        $((i * 200)) $((i * 208 + i % 2)) >>after.jsonl
done
sed 's/"campaign":"c"/"campaign":"d"/' after.jsonl >later.jsonl
try ubench_report compare --format=csv before.jsonl after.jsonl
try ubench_report compare --format=csv before.jsonl later.jsonl
# Each campaign has a seed of its own for the order in its blocks; of the same name
# on another day, or where it was begun anew, it is another campaign.
for seed in 1 2; do
    for file in before after; do
        sed 's/"campaign":"c"/"order-seed":"'$seed'","campaign":"c'$seed'"/' $file.jsonl \
            >>two-$file.jsonl
        sed 's/"campaign":"c"/"order-seed":"'$seed$file'","campaign":"nightly"/' \
            $file.jsonl >>nightly-$file.jsonl
    done
done
try ubench_report compare --format=csv two-before.jsonl two-after.jsonl
try ubench_report compare nightly-before.jsonl nightly-after.jsonl
