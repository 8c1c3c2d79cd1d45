#!/bin/sh
# SPDX-License-Identifier: ISC
# Usage: dhcp_network.sh FILE
# Makes the network of scripts/dhcp, in the network namespace that it is called in: FILE
# becomes one more namespace, where perfdhcp runs, with a bridge that leads to an
# interface here for each of two servers.
set -eu

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
load_side=$1
there() { nsenter --net="$load_side" "$@"; }

: >"$load_side"
unshare --net="$load_side" true
for side in '' there; do
    $side sh -c 'echo 0 >/proc/sys/net/ipv6/conf/default/accept_dad'
    $side ip link set lo up
done
there ip link add load0 type bridge mcast_snooping 0
for number in 1 2; do
    ip link add dhcp$number type veth peer name port$number netns "$load_side"
    there ip link set port$number master load0 up
    ip addr add 10.0.0.$number/8 dev dhcp$number
    ip addr add 2001:db8:1::$number/64 dev dhcp$number
    ip link set dhcp$number up
    # The kernel takes a moment; Kea would open no socket before.
    until ip link show dhcp$number | grep -q 'state UP'; do sleep 0.05; done
done
for address in 10.0.0.9/8 10.0.0.8/8 2001:db8:1::9/64; do
    there ip addr add $address dev load0
done
there ip link set load0 up
