# shellcheck shell=sh source=lib.sh
. "$CLI/lib.sh"
need memfile_ubench sqlite_ubench null_ubench
# A file that may not grow (ulimit -f) is an error, not a sudden death.
for command in "memfile_ubench -s no -f leases -n 10k" "sqlite_ubench -s no -f db" \
    "null_ubench -O out.jsonl" "memfile_ubench -s volatile -f at-close -n 20"; do
    (
        ulimit -f 1
        # shellcheck disable=SC2086,SC2069 # words; what it complains of alone
        "$BIN"/$command -v no 2>&1 >/dev/null
        echo "exit $?"
    )
done
