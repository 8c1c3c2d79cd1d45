#!/bin/sh
# SPDX-License-Identifier: ISC
# Usage: base.sh NAME [RELEASE]
# Makes the image NAME of a minimal Debian RELEASE [trixie] with mmdebstrap and
# buildah, for the argument BASE of the Containerfile, where no registry of images
# can be had. Run it as root, or within "buildah unshare".
set -eu

[ $# -ge 1 ] || {
    echo "base.sh: NAME is missing; expected that of an image, such as localhost/debian" >&2
    exit 2
}
name=$1 release=${2:-trixie}
root=$(mktemp -d /var/tmp/ubench-base.XXXXXX)
trap 'rm -rf "$root"' EXIT
apt-config dump Acquire >"$root/apt"
mmdebstrap --aptopt="$root/apt" --mode=root --variant=minbase --skip=output/dev,output/mknod \
    --include=ca-certificates "$release" "$root/root.tar"
container=$(buildah from scratch)
buildah add -q "$container" "$root/root.tar" /
buildah config --cmd /bin/bash "$container"
buildah commit -q --rm "$container" "$name"
