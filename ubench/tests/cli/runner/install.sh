# shellcheck shell=sh source=lib.sh
# SPDX-License-Identifier: ISC
# make install: each program with a manual page and its completion, and nothing else in
# bin; what is installed works; make uninstall removes that and nothing else.
. "$CLI/lib.sh"
need null_ubench memfile_ubench ubench_report

top=$(cd "$CLI/../../.." && pwd)
build=${HELPERS#"$top"/} bin=${BIN#"$top"}
prefix=$PWD/root/opt/u

# Nothing is built for it, whatever flags the test programs were built with, but for the
# manual pages.  A checkout's path may have a blank.
mkdir "a checkout"
ln -s "$top"/* "a checkout"
in_checkout() {
    env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C "a checkout" -W scripts/man.sh BUILD="${build%/tests}" \
        BIN=".$bin" -o "${build%/tests}/flags" -o "${build%/tests}/version" \
        PREFIX=/opt/u DESTDIR="$PWD/root" "$@"
}

in_checkout install >make.log && echo "installed"
for program in "$prefix"/bin/*; do
    name=${program##*/}
    [ -x "$BIN/$name" ] || [ -x "$top/scripts/$name.sh" ] || echo "$name is no program"
    grep -qx ".TH $name 1 .*" "$prefix/share/man/man1/$name.1" ||
        echo "$name has no manual page"
    [ -s "$prefix/share/bash-completion/completions/$name" ] ||
        echo "$name has no completion"
done
for file in $(cd "$BIN" && printf 'libexec/ubench/%s ' ubench_*.so) share/ubench/schema/mysql-kea.sql \
    share/doc/ubench/README.md share/doc/ubench/docs/measuring.md; do
    [ -s "$prefix/$file" ] || echo "$file is missing"
done
find root -type f ! -path '*/bin/*' -perm /111 | LC_ALL=C sort

grep -A 1 -x '.SH COMMANDS' "$prefix/share/man/man1/ubench.1"
command -v groff >/dev/null && groff -man -ww -z "$prefix/share/man/man1/ubench.1"

PATH=$prefix/bin:$PATH
unset BIN
ubench memfile -n 100 -s no -v no >/dev/null && echo "a run by ubench"
ubench crash --list | grep -c '^memfile write '
memfile_ubench -n 100 -s no -v no -O run.jsonl >/dev/null && echo "a run"
"$prefix/libexec/ubench/sweep" --store memfile -s no -n 100 -r 1 -O sweep.jsonl \
    >log 2>&1 || cat log
ubench_report tables sweep.jsonl run.jsonl | awk '$1 == "memfile" && !n++ { print $2, $3 }'
"$prefix/libexec/ubench/crash" --list | grep "^memfile write "
env -u UBENCH_SERVERS XDG_CACHE_HOME="$SCRATCH/cache" "$prefix/libexec/ubench/servers" env 2>&1 | sed 's/;.*//'

touch root/opt/u/bin/other root/opt/u/share/ubench/other
in_checkout uninstall 2>/dev/null
find root -type f
find root -name ubench
