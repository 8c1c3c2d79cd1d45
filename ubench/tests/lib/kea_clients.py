#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""kea_clients.py LOG FOLDER DATABASE: starts kea-dhcp4 on DATABASE (its lease-database, as
JSON, in which leases have run out), is a client of it in each exchange, and leaves in
FOLDER what the database's server has written into LOG meanwhile, in a file of the
exchange's name."""
import glob
import json
import os
import re
import socket
import struct
import subprocess
import sys
import time

OWN, NOBODY = "127.0.0.1", "0.0.0.0"
DISCOVER, REQUEST, DECLINE, RELEASE, INFORM = 1, 3, 4, 7, 8
ASKED, KIND, SERVER, CLIENT = 50, 53, 54, 61
ANSWERED = 120  # seconds: Kea has died, or waits for something for ever


class Server:
    """kea-dhcp4 on the loopback interface, and the socket of its relay.  keep: how many
    seconds a reclaimed lease stays; wait: those between two cycles, 0 for none."""

    def __init__(self, database, folder, keep, wait):
        self.link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.link.bind((OWN, 0))
        self.link.settimeout(0.2)
        self.number = 0
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
            other.bind((OWN, 0))
            self.port = other.getsockname()[1]
        kind = {"mysql": "mysql", "postgresql": "pgsql"}[database["type"]]
        config = {
            "interfaces-config": {"interfaces": ["lo"], "dhcp-socket-type": "udp"},
            "lease-database": database, "valid-lifetime": 4000, "cache-max-age": 0,
            "hooks-libraries": [{"library": path} for path in glob.glob(
                f"/usr/lib/*/kea/hooks/libdhcp_{kind}.so")],
            "multi-threading": {"enable-multi-threading": False},
            "expired-leases-processing": {
                "reclaim-timer-wait-time": wait, "max-reclaim-time": 0,
                "hold-reclaimed-time": keep, "flush-reclaimed-timer-wait-time": wait or keep},
            "loggers": [{"name": "kea-dhcp4", "severity": "WARN",
                         "output_options": [{"output": "stdout"}]}],
            "subnet4": [{"id": 1, "subnet": "10.0.0.0/8", "relay": {"ip-addresses": [OWN]},
                         "pools": [{"pool": "10.1.0.0 - 10.1.255.255"}]}]}
        with open(f"{folder}/kea.conf", "w", encoding="ascii") as file:
            json.dump({"Dhcp4": config}, file)
        with open(f"{folder}/kea.out", "w", encoding="ascii") as out:
            self.process = subprocess.Popen(
                ["kea-dhcp4", "-c", f"{folder}/kea.conf", "-p", str(self.port),
                 "-P", str(self.link.getsockname()[1])], stdout=out, stderr=out,
                env={**os.environ, "KEA_LOCKFILE_DIR": folder, "KEA_PIDFILE_DIR": folder})

    def __enter__(self):
        self.settle()
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def send(self, client, kind, address=NOBODY, options=()):
        """The packet of a relay: op, type, length, hops, xid, secs, flags, ciaddr, ..."""
        self.number += 1
        mac = bytes([10, 0, 0, 0, 0, client])
        options = [(KIND, bytes([kind])), (CLIENT, b"\x01" + mac), *options]
        self.link.sendto(
            struct.pack("!BBBBIHH4s8x4s16s192x", 1, 1, 6, 1, self.number, 0, 0,
                        socket.inet_aton(address), socket.inet_aton(OWN), mac)
            + b"\x63\x82\x53\x63" + b"".join(bytes([code, len(value)]) + value
                                             for code, value in options) + b"\xff",
            (OWN, self.port))

    def receive(self, first):
        """The answer to what was sent, or sent first, as address and options, or None."""
        try:
            answer = self.link.recv(1500)
            while int.from_bytes(answer[4:8], "big") < first:
                answer = self.link.recv(1500)
        except TimeoutError:
            return None
        name = answer.index(bytes([SERVER, 4]), 240) + 2
        return socket.inet_ntoa(answer[16:20]), [(ASKED, answer[16:20]),
                                                 (SERVER, answer[name:name + 4])]

    def ask(self, *words, again=False, **more):
        """Sends it once, or again and again, until there is an answer."""
        ends = time.monotonic() + ANSWERED
        self.send(*words, **more)
        first = self.number
        while time.monotonic() < ends and self.process.poll() is None:
            answer = self.receive(first)
            if answer:
                return answer
            if again:
                self.send(*words, **more)
        return sys.exit("kea-dhcp4 does not answer")

    def settle(self):
        """Until all before is done: one thread answers in turn, and this without leases."""
        self.ask(0, INFORM, address=OWN, again=True)

    def four(self, client):
        """DISCOVER, OFFER, REQUEST, ACK; the address, and what names it and the server."""
        _, named = self.ask(client, DISCOVER)
        return self.ask(client, REQUEST, options=named)


class Log:
    """The log of the database's server, of which each exchange has a part."""

    def __init__(self, path, folder):
        # It stays open as long as the log is read.
        self.file = open(path, encoding="utf-8", errors="replace")  # noqa: SIM115
        self.folder = folder

    def note(self, name, server, function, *words, **more):
        """The part that is written during that call."""
        self.file.seek(0, os.SEEK_END)
        result = function(*words, **more)
        server.settle()
        self.keep(name, self.file.readlines())
        return result

    def keep(self, name, lines):
        with open(f"{self.folder}/{name}", "w", encoding="utf-8") as file:
            file.writelines(lines)

    def note_cycles(self, database):
        """The part of the first cycle that reclaims leases, up to the next, and of a removal."""
        self.file.seek(0, os.SEEK_END)
        lines, found, ends = [], {}, time.monotonic() + ANSWERED
        with Server(database, self.folder, 1, 1) as server:
            while not (found.get("UPDATE", [1e9])[0] < found.get("ORDER BY", [0])[-1]
                       and "DELETE" in found):
                if time.monotonic() > ends:
                    sys.exit("kea-dhcp4 does not reclaim")
                time.sleep(0.2)
                server.settle()
                lines += self.file.readlines()
                found = {}
                for at, line in enumerate(lines):
                    what = re.search(r"[Ee]xecute( \w+:)?\s.*?(ORDER BY|UPDATE|DELETE)", line)
                    if what:
                        found.setdefault(what[2], []).append(at)
        first = found["UPDATE"][0]
        around = sorted(found["ORDER BY"] + found["DELETE"])
        self.keep("reclaim", lines[max(at for at in around if at < first):
                                   min(at for at in around if at > first)])
        self.keep("purge", lines[found["DELETE"][0]:found["DELETE"][0] + 1])


def main():
    path, folder, database = *sys.argv[1:3], json.loads(sys.argv[3])
    log = Log(path, folder)
    with Server(database, folder, 3600, 0) as server:
        address, named = log.note("dora", server, server.four, 1)
        log.note("dora-known", server, server.four, 1)
        log.note("renew", server, server.ask, 1, REQUEST, address=address)
        log.note("init-reboot", server, server.ask, 1, REQUEST, options=named[:1])
        log.note("release", server, server.send, 1, RELEASE, address=address,
                 options=named[1:])
        _, named = server.four(2)
        log.note("decline", server, server.send, 2, DECLINE, options=named)
    with Server(database, folder, 0, 0) as server:
        address, named = server.four(3)
        log.note("release-delete", server, server.send, 3, RELEASE, address=address,
                 options=named[1:])
    log.note_cycles(database)


if __name__ == "__main__":
    main()
