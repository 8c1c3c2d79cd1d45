# shellcheck shell=sh source=lib-sweep.sh
# The cells, what is left out of them, and the order that a seed gives.
. "$CLI/lib-sweep.sh"
sweep --dry-run --order-seed 7 --campaign x -n 20 -r 3 -s volatile,no -t 1,4 --reference none
sweep --dry-run --order-seed 7 --campaign x -n20 -r3 --sync=volatile,no --threads=1,4 --reference=none
sweep --dry-run --order-seed 8 --campaign x -n 20 -r 3 -s volatile,no -t 1,4 --reference "null -n 100"
# An axis that a store does not have; a value that it does not have.
sweep --dry-run --order-seed 1 --campaign x -r 1 --store memfile,null \
    -o buffer=4k,64k -n 100,300 -t 2,200 --reference none
# What a store does not have alone, where another one has it.
cat >mine.sweep <<'END'
# a comment, and an empty line

-s yes
-n 100
+
  --store memfile
-s volatile,no
--count 300
-o format=kea
END
sweep --dry-run --order-seed 1 --campaign x -r 2 @./mine.sweep --store memfile,null \
    --reference 'null -n 5'
sweep --dry-run --order-seed 1 --campaign x @./mine.sweep -n 50 -t 2 -r 1 \
    --reference none --store null
# Workloads that have no --count, cannot be without leases, or have no --preload.
sweep --dry-run --order-seed 1 --campaign x -r 1 --store memfile -s no -o buffer=4k,64k \
    --reference none -w storm --clients 50
sweep --dry-run --order-seed 1 --campaign x -r 1 --store memfile -s no \
    --reference none -w renew --rate 50,100 --duration 200ms
sweep --dry-run --order-seed 1 --campaign x -r 1 --store memfile -s no -o buffer=4k,64k \
    --reference none -w churn --preload 10,20k -n 200
sweep --dry-run --order-seed 1 --campaign x -r 1 --store memfile -s no \
    --reference none -w fill --pool 100,200
# A name that is like an option; sweeps in a folder that is not there.
sweep --dry-run --order-seed 1 --campaign x -r 1 --store null --reference none -O -x.jsonl
sweep --dry-run --store null -O new/
left
