# shellcheck shell=sh source=lib.sh
# SPDX-License-Identifier: ISC
# ^C ends the command, and so does the end of distro.sh, whatever it was.  The namespaces
# are real; the root is not, since making one takes minutes.
. "$CLI/lib.sh"
unshare --mount --pid --fork true 2>/dev/null || leave_out "no namespaces can be made here"
command -v setpriv >/dev/null || skip "there is no setpriv"

mkdir -p bin roots/trixie/etc
for program in mount umount pivot_root; do
    printf '#!/bin/sh\n' >bin/$program
done
# The command runs here instead of there: its folder is another one.
cat >bin/chroot <<'END'
#!/bin/sh
shift
for word; do
    shift
    set -- "$@" "$(printf '%s' "$word" | sed "s,cd /root/ubench,cd '$HERE',")"
done
exec "$@"
END
chmod +x bin/*

is_over() { flock -n held true; }

# interrupt SIGNAL WHOM: the command holds a lock.
interrupt() {
    rm -f started
    PATH=$PWD/bin:$PATH HERE=$PWD UBENCH_DISTRO=$PWD/roots setsid \
        env --default-signal=INT "$CLI/../../../scripts/distro.sh" trixie -- \
        sh -c 'exec 9>held; flock 9; echo >started; exec sleep 1000' >out 2>&1 &
    await test -e started
    kill -s "$1" -- "$2$!"
    wait $! 2>/dev/null
    echo "$1: exit $?"
    await is_over && echo "it is over"
    grep -v roots/trixie out
}
interrupt INT -
interrupt KILL
PATH=$PWD/bin:$PATH HERE=$PWD UBENCH_DISTRO=$PWD/roots \
    "$CLI/../../../scripts/distro.sh" trixie sh -c 'exit 5' 2>/dev/null
echo "its own exit $?"
