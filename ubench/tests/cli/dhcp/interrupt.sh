# shellcheck shell=sh source=lib.sh
# A signal that comes before there is anything to put back is heeded, too.
. "$CLI/lib.sh"
jq=$(command -v jq) || skip "there is no jq"
mkdir bin
cat >bin/jq <<END
#!/bin/sh
[ -z "\$UBENCH_DHCP_INSIDE" ] || {
    echo >started
    until [ -e go ]; do sleep 0.1; done
}
exec "$jq" "\$@"
END
chmod +x bin/jq
PATH=$PWD/bin:$PATH "$CLI/../../../scripts/dhcp.sh" rate -O missing/out.jsonl >out 2>&1 &
is_inside() { [ -e started ] || ! kill -0 $! 2>/dev/null; }
await is_inside
kill -TERM $! 2>/dev/null
echo >go
wait $!
status=$?
[ $status -ne 77 ] || skip "$(sed 's/.*skipped: //' out)"
cat out
echo "exit $status"
