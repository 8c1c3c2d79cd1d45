# shellcheck shell=sh source=lib-sweep.sh
# Nothing is run, and nothing left behind.
. "$CLI/lib-sweep.sh"
sweep --nonsense
sweep --nonsense=1
sweep -x
sweep stray
sweep -n
sweep -n abc
sweep -n 100,0
sweep -n 10,20 -n 30
sweep -n 10,,20
sweep -t 1000 -n 100
sweep -s volatil
sweep -s yes --store null
sweep -c yes,no
sweep -o buffer
sweep -o =1
sweep -o nonsense=1,2
sweep -o buffer=1 -o buffer=2
sweep --store oracle
sweep --store memfile,,oracle
sweep --store ''
sweep -r 0
sweep -r 1001
sweep -r many
sweep -r 2 -r 3
sweep --order-seed 0
sweep --campaign 'two words'
sweep --reference nothing
sweep --reference 'null -n abc'
sweep --server-option x
sweep --dry-run=yes
sweep --json
sweep -p secret
sweep -v no
sweep --label a=b
sweep -O missing/out.jsonl
sweep @missing
sweep @./missing.sweep
echo 'stray' >stray.sweep
sweep @./stray.sweep
echo '@guide' >nested.sweep
sweep @./nested.sweep
sweep --resume
sweep --resume missing
sweep --resume=bin
sweep --resume x -n 5
sweep -n "$(printf 'two\nlines')"
echo 'somebody wrote this' >text
sweep -O text
cat text
rm text stray.sweep nested.sweep
left
for output in /dev/full / kea.conf; do
    echo '{ "Dhcp4": {} }' >kea.conf
    sweep -n 10 --store null -O "$output"
done
# Nor do the scripts that measure and test it all begin with what they do not know.
for command in 'bench.sh --help' 'bench.sh stray' 'test.sh --help' 'test.sh stray' 'test.sh -x'; do
    # shellcheck disable=SC2086 # words
    "$CLI/../../../scripts"/$command 2>&1
    echo "exit $?"
done
