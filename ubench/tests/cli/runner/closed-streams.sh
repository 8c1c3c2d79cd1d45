# shellcheck shell=sh source=lib.sh
. "$CLI/lib.sh"
need memfile_ubench sqlite_ubench
# The file of the store must not take the place of a stream that was closed: a
# later run still knows it for its own, and finds in it what it wrote.
for runner in memfile_ubench sqlite_ubench; do
    echo "\$ $runner >&-"
    "$BIN/$runner" -f "$runner.file" -n 10 2>&1 >&-
    echo "exit $?"
    echo "\$ $runner <&- >&- 2>&-"
    "$BIN/$runner" -f "$runner.file" -n 10 <&- >&- 2>&-
    echo "exit $?"
    grep -a -c "$runner 0" "$runner.file"
    "$BIN/$runner" -f "$runner.file" -n 10 -v no | grep -o 'verified .*hit'
done
left
