# shellcheck shell=sh source=lib.sh
# One command that finds the others, from a checkout and where ubench is installed.
. "$CLI/lib.sh"
need null_ubench memfile_ubench ubench_report
top=$(cd "$CLI/../../.." && pwd)

# ask COMMAND ARGUMENT...: the first lines of what it says, and its exit status.
ask() {
    command=$1
    shift
    echo "\$ ubench${*:+ $*}"
    "$command" "$@" >"$SCRATCH/out" 2>"$SCRATCH/err"
    status=$?
    head -n 2 "$SCRATCH/out"
    sed 's/^/2> /' "$SCRATCH/err"
    echo "exit $status"
}

# Only the stores that are always built.
mkdir -p tree/scripts opt/bin opt/libexec/ubench
for program in null_ubench memfile_ubench ubench_report; do
    ln -s "$BIN/$program" tree/$program
    ln -s "$BIN/$program" opt/bin/$program
done
cp "$top/scripts/ubench.sh" tree/scripts/
cp "$top/scripts/ubench.sh" opt/bin/ubench
for script in sweep crash servers bench; do
    printf '#!/bin/sh\necho "%s of the tree:" "$@"\nexit 3\n' $script >tree/scripts/$script.sh
    printf '#!/bin/sh\necho "%s, installed:" "$@"\n' $script >opt/libexec/ubench/$script.sh
    chmod +x tree/scripts/$script.sh opt/libexec/ubench/$script.sh
done
rm opt/libexec/ubench/bench.sh
ln -s ../opt/bin/ubench tree/link
unset BIN

# all UBENCH: each kind of question.
all() {
    ask "$1" null -n 0
    ask "$1" memfile -s no -n 5 --help
    ask "$1" report bogus
    ask "$1" sweep -n 5 "two words"
    ask "$1" bench
    ask "$1" sqlite
}
all tree/scripts/ubench.sh | tee tree/all
echo "== installed, what is another:"
all opt/bin/ubench | diff tree/all - | sed -n 's/^> //p' | tee opt/all
all tree/link | diff tree/all - | sed -n 's/^> //p' | diff opt/all - && echo "and by a link"
ask opt/bin/ubench
ask opt/bin/ubench ./null
ask opt/bin/ubench --version | sed 's/ [0-9].*/ #/'
opt/bin/ubench --help | tail -n 4
rm tree/ubench_report
ask tree/scripts/ubench.sh answer | sed "s|'.*/tree'|'TREE'|"
