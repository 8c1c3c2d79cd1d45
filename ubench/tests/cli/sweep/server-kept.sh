# shellcheck shell=sh source=lib-sweep.sh
# A server that ran before the sweep runs after it, too, also if the sweep was
# interrupted and went on.
. "$CLI/lib-sweep.sh"
need_pgsql
slow_down pgsql_ubench
servers=$checkout/scripts/servers.sh
"$servers" start pgsql | sed "s:$checkout/::"
interrupt TERM --store pgsql -s no -r 3 -n 100 --reference none --campaign x
sweep --resume out.jsonl.sweep | sed '/^  .*ubench_report/d' | tail -n 4
runs out.jsonl
"$servers" status pgsql | cut -d , -f 1
