# shellcheck shell=sh source=lib-stores.sh
# A folder that a user may only read.
. "$CLI/lib-stores.sh"
# try_as_nobody OPTION...: as root has no limits, without being root.
try_as_nobody() {
    set -- "$SCRATCH/$runner" "$@"
    [ "$(id -u)" -ne 0 ] || set -- setpriv --reuid=65534 --regid=65534 \
        --clear-groups "$@"
    [ "$(id -u)" -eq 0 ] || chmod 555 .
    "$@" 2>&1 | sed "s|$PWD|FOLDER|"
    chmod 755 .
}
chmod 755 "$SCRATCH" "$SCRATCH/.." .
cp "$BIN/$runner" "$SCRATCH"
echo 'somebody wrote this' >text
chmod 444 text
try_as_nobody -f "$PWD/x"
try_as_nobody -f "$PWD/text"
left
