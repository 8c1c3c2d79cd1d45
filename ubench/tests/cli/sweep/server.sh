# shellcheck shell=sh source=lib-sweep.sh
# A private server is started anew with other options, which are read back from
# it, and is stopped in the end.
. "$CLI/lib-sweep.sh"
need_pgsql
sweep --store memfile,pgsql -s no -r 1 -n 50 --reference none \
    --server-option shared_buffers=2MB,3MB,1000TB \
    --order-seed 2 --campaign x | sed 's/: about .*/: about TIME/; s/: 2.*FATAL/: FATAL/'
runs sweep.jsonl
jq '.facts.shared_buffers // empty' sweep.jsonl | sort
"$CLI/../../../scripts/servers.sh" status
# One that is not there to be stopped.
UBENCH_PGSQL_HOST=localhost
export UBENCH_PGSQL_HOST
sweep --store pgsql --restart-server -O other.jsonl
