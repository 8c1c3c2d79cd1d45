# shellcheck shell=sh source=lib.sh
# --ledger and --verify: what was acknowledged is there after kill -9, and what
# is taken away is missed.
. "$CLI/lib.sh"
need memfile_ubench
[ -d /dev/shm ] || skip "there is no /dev/shm"
ledger=$(mktemp /dev/shm/ubench.XXXXXX) || skip "/dev/shm cannot be written"
trap 'rm -f "$ledger"' EXIT

# verdict RUNNER OPTION...: the last word of --verify and its exit status.
verdict() {
    "$BIN/$1" --verify "$ledger" --json >"$SCRATCH/out" 2>"$SCRATCH/err"
    status=$?
    sed 's/.*"verdict":"\([a-z]*\)".*"leases":{\([^}]*\)}.*/\1 \2/
        s/"kept":[1-9][0-9]*/"kept":some/' "$SCRATCH/out"
    sed "s|$ledger|LEDGER|; s/^/2> /" "$SCRATCH/err"
    echo "exit $status"
}

for runner in memfile_ubench sqlite_ubench; do
    [ -x "$BIN/$runner" ] || continue
    echo "== $runner, whole"
    for options in "-w phases -t 3" "-w churn --preload 30 -t 3 -b 4" "-6 -w churn"; do
        # shellcheck disable=SC2086 # words
        "$BIN/$runner" -v no -s no -n 300 --ledger "$ledger" $options |
            sed -n 's/^verified *//p; s/^\(digest\) .*/\1/p'
        verdict $runner
    done
done >whole 2>&1
cat whole

echo "== killed in mid-load"
for options in "-w phases" "-w churn --preload 100 -t 4 -b 7"; do
    for _ in 1 2 3 4 5 6 7 8 9 10; do # on a fast disk it may be over before
        rm -f "$ledger"
        # shellcheck disable=SC2086 # words
        python3 -B -c 'import pathlib, subprocess, sys
sys.path.insert(0, sys.argv[1])
from ubench.campaigns import crash_inject
load = subprocess.Popen(sys.argv[3:], stdout=-3, stderr=-3)
path = pathlib.Path(sys.argv[2])
ledger = crash_inject.wait_for_moment(path, load, pathlib.Path("."), 0.03)
ledger.note_crash()
crash_inject.kill([load.pid])' "$CLI/../../../python" "$ledger" \
            "$BIN/memfile_ubench" -s yes -n 200k --ledger "$ledger" $options \
            2>"$SCRATCH/err" && break
    done
    verdict memfile_ubench
done

echo "== without the last record, the last two, the last three; and with a hole"
"$BIN/memfile_ubench" -v no -n 10 --preload 10 -w churn --ledger "$ledger" -s no >/dev/null
cp dhcpd.leases whole
for _ in 1 2 3; do
    sed -i '$d' dhcpd.leases
    while [ "$(tail -n 1 dhcpd.leases)" != '}' ]; do sed -i '$d' dhcpd.leases; done
    verdict memfile_ubench
done
sed '/^lease 1.0.0.9 /,/^}/d' whole >dhcpd.leases
verdict memfile_ubench

"$BIN/memfile_ubench" --verify "$ledger" |
    sed 's/[0-9.]* [nmu]*s of/# of/; s/[0-9.]* [nmu]*s until/# until/; s/, on [a-z0-9]*)/, on #)/'

echo "== damage"
sed '19s/.*/lease nonsense {/' whole >dhcpd.leases
verdict memfile_ubench
"$BIN/memfile_ubench" --verify "$ledger" | head -n 2

echo "== what cannot be judged"
(
    ulimit -f 1000
    "$BIN/memfile_ubench" -v no -n 10 --preload 5k --ledger "$ledger" -s no 2>&1 |
        sed 's/ (while .*//'
)
verdict memfile_ubench
rm dhcpd.leases
verdict memfile_ubench
: >dhcpd.leases
verdict sqlite_ubench
echo 'somebody wrote this' >"$ledger"
verdict memfile_ubench
try memfile_ubench --ledger ./ledger | sed "s/ (.*)//"
