# shellcheck shell=sh source=lib.sh
# Without memory or descriptors: one sentence, the right exit status, no line of
# results; and with enough all is well.
. "$CLI/lib.sh"
need null_ubench memfile_ubench sqlite_ubench
! ldd "$BIN/memfile_ubench" | grep -q 'lib[atu]b*san' ||
    skip "a sanitizer takes more memory than there is"

# ends COMMAND...: under the limit, as it should or with one line that says why not.  A
# shell needs descriptors of its own, so that the limit is set behind its redirections.
ends() {
    rm -f out.jsonl dhcpd.leases sqlite.db*
    # shellcheck disable=SC2016 # for the other shell
    sh -c 'ulimit $0 $1; shift; exec "$@"' "${limit% *}" "${limit#* }" "$@" \
        >"$SCRATCH/out" 2>"$SCRATCH/err"
    status=$?
    wanted='memory|Too many open files|cannot start|unable to open|shared librar'
    case $status,$(wc -l <"$SCRATCH/err") in
    0,0) return ;;
    1,1 | 2,1 | 127,1) ! grep -qiE "$wanted" "$SCRATCH/err" || check_line && return ;;
    esac
    echo "$limit: $*: exit $status"
    sed 's/^/2> /' "$SCRATCH/err"
}

# check_line: what failed has written no line, or one that says so.
check_line() {
    [ ! -e out.jsonl ] || grep -q '"incomplete":true' out.jsonl
}

# all LIMIT: everything that is tried under it.
all() {
    limit=$1
    for options in "" "-t 4"; do
        for runner in null_ubench 'memfile_ubench -s no' 'sqlite_ubench -s no'; do
            # shellcheck disable=SC2086 # words
            ends "$BIN"/$runner -v no -n 200 -O out.jsonl $options
        done
    done
}

for kilobytes in 6000 10000 14000 20000 40000; do
    all "-v $kilobytes"
done
for number in 3 5 7 10; do
    all "-n $number"
done
echo "== enough"
all "-c 0"
left
