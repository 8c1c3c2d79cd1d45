# shellcheck shell=sh source=lib-sweep.sh
# Cells that promise the same by different words are run once.
. "$CLI/lib-sweep.sh"
sweep --dry-run --store memfile -s power-safe,yes,no -o buffer=64k,65536 -t 1,2 \
    -r 1 --reference 'memfile -s yes -n 50' --order-seed 1 --campaign x
sweep --store memfile,null -s yes,power-safe -n 50 -r 1 --reference none \
    --order-seed 1 --campaign x | sed 's/: about .*/: about TIME/'
runs sweep.jsonl
