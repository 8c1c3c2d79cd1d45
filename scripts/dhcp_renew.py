#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""dhcp_renew.py FIRST COUNT SECONDS WITHIN: sends a DHCPREQUEST for each of COUNT leases that
clients have, those of dhcp_server.taken from FIRST on, in so many SECONDS, and prints how many
were acknowledged WITHIN seconds.  perfdhcp renews only what it was granted itself, each lease
once."""
import json
import socket
import statistics
import struct
import sys
import time

RELAY, ALL = "10.0.0.8", "255.255.255.255"
FIRST_ADDRESS = 0x0a010000  # of the pool of a single subnet
# Message type 3, what is asked for, the client's identifier, the end.
OPTIONS = b"\x63\x82\x53\x63\x35\x01\x03\x37\x04\x01\x03\x06\x0f\x3d\x07\x01%b\xff"
ACK = b"\x35\x01\x05"


def request(n, number):
    """A request from a relay: op, type, length, hops, xid, secs, flags, ciaddr, ..."""
    mac = b"\x0b\x00\x00" + (n & 0xffffff).to_bytes(3, "big")
    return struct.pack("!BBBBIHHI8x4s16s192x", 1, 1, 6, 1, number, 0, 0, FIRST_ADDRESS + n,
                       socket.inet_aton(RELAY), mac) + OPTIONS % mac


def renew(first, count, seconds, within):
    """Returns how many were sent, and the delays of their answers in seconds."""
    link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
    link.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
    link.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b"load0")
    link.bind((RELAY, 67))
    link.setblocking(False)
    began, at, delays = time.monotonic(), [], {}
    while (now := time.monotonic() - began) < seconds + within and len(delays) < count:
        due = min(count, int(min(now / seconds, 1) * count) + 1)
        for number in range(len(at), min(due, len(at) + 20)):
            link.sendto(request(first + number, number), (ALL, 67))
            at.append(time.monotonic())
        try:
            while True:
                answer = link.recv(1500)
                number = int.from_bytes(answer[4:8], "big")
                if number < len(at) and answer[240:243] == ACK:
                    delays.setdefault(number, time.monotonic() - at[number])
        except BlockingIOError:
            if len(at) == due:
                time.sleep(0.0005)
    return len(at), [delay for delay in delays.values() if delay <= within]


def main():
    first, count = map(int, sys.argv[1:3])
    sent, delays = renew(first, count, *map(float, sys.argv[3:]))
    of = {"min_ms": min, "mean_ms": statistics.fmean, "max_ms": max, "sd_ms": statistics.pstdev}
    print(json.dumps({"sent": sent, "received": len(delays), **{
        name: round(figure(delays) * 1000, 3) if delays else None
        for name, figure in of.items()}}))


if __name__ == "__main__":
    main()
