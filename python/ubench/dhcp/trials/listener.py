# SPDX-License-Identifier: ISC
"""Writes down which addresses the clients of one network are offered and granted (RFC 2131).

A program that runs beside perfdhcp, in its network namespace: python3 -I listener.py INTERFACE
FILE. It imports nothing of ubench. It says "ready" once it hears every answer, and ends when its
standard input does. FILE then has a line for each answer: the type of the message, the address and
the client's hardware address, in hexadecimal. The last line is the number of frames that the kernel
had no room for.
"""

from __future__ import annotations

import select
import socket
import struct
import sys
from typing import TextIO

ETHERTYPE_IPV4 = 0x0800
ETHERNET_HEADER = 14  # octets
IPV4_HEADER = 20  # without options
UDP_HEADER = 8
UDP = 17
BOOTREPLY = 2
MESSAGE_TYPE = 53  # the option
PAD, END = 0, 255
OPTIONS = 240  # where the options of a message begin, after their magic number
ROOM = 64 << 20  # octets of frames that wait for this program
LONGEST = 2048  # octets of a frame
# Numbers of linux/if_packet.h and asm-generic/socket.h, which the socket module lacks.
SOL_PACKET = 263
PACKET_STATISTICS = 6
SO_RCVBUFFORCE = 33


def read_answer(frame: bytes) -> str | None:
    """Return the line of a server's answer to a client; None if the frame has none."""
    packet = frame[ETHERNET_HEADER:]
    if len(packet) < IPV4_HEADER or packet[9] != UDP:
        return None
    message = packet[4 * (packet[0] & 15) + UDP_HEADER :]
    kind = read_option(message, MESSAGE_TYPE)
    if not kind or message[0] != BOOTREPLY:
        return None
    client = message[28 : 28 + min(message[2], 16)]
    return f"{kind[0]} {message[16:20].hex()} {client.hex()}\n"


def read_option(message: bytes, code: int) -> bytes:
    """Return the octets of an option of a DHCPv4 message; none if it lacks the option."""
    at = OPTIONS
    while at + 1 < len(message) and message[at] != END:
        if message[at] == PAD:
            at += 1
            continue
        end = at + 2 + message[at + 1]
        if message[at] == code:
            return message[at + 2 : end]
        at = end
    return b""


def listen(interface: str) -> socket.socket:
    """Return a socket that gets all IPv4 frames that arrive at an interface."""
    heard = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    heard.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, ROOM)
    heard.setblocking(False)
    heard.bind((interface, ETHERTYPE_IPV4))
    return heard


def write_waiting(heard: socket.socket, lines: TextIO) -> None:
    """Write down the answers that have arrived."""
    while True:
        try:
            frame = heard.recv(LONGEST)
        except BlockingIOError:
            return
        line = read_answer(frame)
        if line:
            lines.write(line)


def main(interface: str, path: str) -> None:
    """Write down answers until the end of standard input."""
    heard = listen(interface)
    with open(path, "w", encoding="ascii") as lines:
        print("ready", flush=True)
        ready: list[object] = []
        while sys.stdin not in ready:
            ready, _, _ = select.select([heard, sys.stdin], [], [])
            write_waiting(heard, lines)
        counts = heard.getsockopt(SOL_PACKET, PACKET_STATISTICS, 8)
        lines.write(f"{struct.unpack('II', counts)[1]}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
