# shellcheck shell=sh source=lib.sh
# SPDX-License-Identifier: ISC
# The completions that bash finds for the last word of a line: the
# lines are typed into one, on a terminal of its own.
. "$CLI/lib.sh"
need memfile_ubench null_ubench ubench_report
command -v bash >/dev/null || skip "there is no bash"
command -v script >/dev/null || skip "there is no script to type with"

mkdir "$SCRATCH/bin"
cp "$CLI/../../../scripts/ubench.sh" "$SCRATCH/bin/ubench"
for program in memfile_ubench null_ubench ubench_report ubench; do
    cp "$CLI/../../../scripts/completion.sh" "$SCRATCH/$program"
    echo ". '$SCRATCH/$program'"
done >"$SCRATCH/load"
touch lease.file
PATH=$BIN:$SCRATCH/bin:$PATH

# typed LINE: its words, after M-* has inserted the completions of the last one.
typed() {
    echo "\$ $1"
    printf '. "%s"\n%s\033*\001printf "%%s\\n" \005 >"%s"\nexit\n' "$SCRATCH/load" "$1" \
        "$SCRATCH/words" |
        script -qec "bash --norc --noprofile" /dev/null >"$SCRATCH/screen" 2>&1
    tail -n +2 "$SCRATCH/words" | tr '\n' ' ' | sed 's/ $//'
    echo
}

typed 'memfile_ubench -s '
typed 'memfile_ubench --w'
typed 'memfile_ubench -n 10 --sync='
typed 'memfile_ubench -w re'
typed 'memfile_ubench --ipv6 --lis'
typed 'memfile_ubench -O le'
typed 'null_ubench --syn'
typed 'ubench_report '
typed 'ubench_report compare --figure '
typed 'ubench_report tables --format=c'
typed 'ubench rep'
typed 'ubench memfile -s '
typed 'ubench report compare --fig'
