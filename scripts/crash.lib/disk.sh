# shellcheck shell=sh disable=SC2034,SC2154 # crash.sh has the other half
# SPDX-License-Identifier: ISC
# The file system that is lost in a power cut.

# Both mount an image at $disk: a new one of that size, or a copy.
make_image() {
    truncate -s "$1" "$work/image" &&
        mkfs.ext4 -q -F "$work/image" >/dev/null 2>&1 && mount_image
}

copy_image() {
    cp --sparse=always "$1" "$work/image" && mount_image
}

mount_image() {
    mount -o loop "$work/image" "$disk" || return 1
    mounted=yes
    chmod 711 "$disk"
}

# try_unmount: fails if somebody still uses it after 5 s.
try_unmount() {
    tries=0
    while [ -n "$mounted" ] && ! umount "$disk" 2>/dev/null; do
        tries=$((tries + 1))
        [ "$tries" -lt 100 ] || return 1
        sleep 0.05
    done
    mounted=
}

unmount() {
    try_unmount || die "$disk cannot be unmounted"
}

# new_disk [IMAGE]: an empty one, or a copy of that image.
new_disk() {
    unmount
    if [ -n "$no_power" ]; then
        rm -rf "${disk:?}"/*
    elif [ $# -gt 0 ]; then
        copy_image "$1" || die "no image can be mounted at $disk"
    else
        make_image 256M || die "no image can be mounted at $disk"
    fi
    echo "$$ $name" >"$work/witness"
    cp "$work/witness" "$disk/witness"
    sync -f "$disk/witness"
}

# remount: after a power cut; what was synced on it before tells whether the
# file system itself is as it should be.
remount() {
    if ! try_unmount; then
        record invalid "the image could not be unmounted"
    elif ! mount_image; then
        record invalid "the image could not be mounted again"
    elif ! cmp -s "$disk/witness" "$work/witness"; then
        record invalid "what was synced before the load is not on the image"
    else
        return 0
    fi
    return 1
}
