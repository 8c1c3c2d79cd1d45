# shellcheck shell=sh source=lib.sh
# How long a sweep takes, by short runs first, then by those that are done.
. "$CLI/lib.sh"
command -v jq >/dev/null || skip "there is no jq"

ask() { jq -nc -L "$CLI/../../../scripts" "include \"sweep\"; $1"; }

# line PRELOAD TOGETHER NANOSECONDS...: of a run's phases.
line() {
    preload=$1 together=$2
    shift 2
    echo "{parameters: {preload: \"$preload\"}, durability: 1, facts: 1, runs: [{together:
        $together, phases: [$(printf '{elapsed_ns: %s},' "$@" | sed 's/,$//')]}]}"
}

echo "== kinds that are mixed have the time of the whole run each"
ask "$(line 0 true 2000000000 1990000000), $(line 0 false 2000000000 1990000000) | busy_s"
echo "== exchanges have 10,000 leases at the least; a million are created in a second each 100,000"
cell='{cells: [{small: 100, count: 1000, preload: 1000000}]}'
first="add_try(0; 100; 1.5; $(line 10k true 1000000000))"
ask "$cell | $first | .cells[0] | next_try"
ask "$cell | $first | add_try(0; 100; 1.6; $(line 20000 true 1000000000)) | .cells[0]
    | (next_try | error), (estimate * 10 | round / 10)"
echo "== a run that cannot be made short"
ask "$cell | add_try(0; null; 1.5; $(line 10k true 1000000000)) | .cells[0]
    | (next_try | error), estimate"
echo "== one cell that took a hundred times as long as was thought is not all of them"
ask '{cells: [{cell: 0, estimate: 1, seconds: [100]}, {cell: 1, estimate: 1, seconds: [2, 2]},
    {cell: 2, estimate: 1, seconds: [2]}, {cell: 3, estimate: 10}], todo: [{run: 4, cell: 3}]}
    | time_left(4)'
