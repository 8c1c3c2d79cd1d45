# SPDX-License-Identifier: ISC
"""cut_proxy.py HOST PORT BYTES FILE [once]: passes connections on to a server, and cuts
all of them, for good or once, when it has passed on so many bytes of the server's answers.
Writes its port into FILE when it listens, and into FILE.total how much it has passed on."""

import selectors
import socket
import sys


def main():
    host, port, left, name = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    total = 0
    peers = {}
    answers = set()
    selector = selectors.DefaultSelector()
    listener = socket.create_server(("127.0.0.1", 0))
    selector.register(listener, selectors.EVENT_READ)
    with open(name, "w", encoding="ascii") as file:
        print(listener.getsockname()[1], file=file)

    def connect():
        client, _ = listener.accept()
        if left == 0:
            client.close()
            return
        server = socket.create_connection((host, port))
        answers.add(server)
        for one, other in ((client, server), (server, client)):
            peers[one] = other
            selector.register(one, selectors.EVENT_READ)

    def close(one):
        for end in (one, peers[one]):
            selector.unregister(end)
            peers.pop(end)
            end.close()

    while True:
        for key, _ in selector.select():
            one = key.fileobj
            if one is listener:
                connect()
                continue
            if one not in peers:
                continue
            try:
                data = one.recv(min(left, 65536) if one in answers else 65536)
                peers[one].sendall(data)
            except OSError:
                data = b""
            if one in answers:
                left -= len(data)
                total += len(data)
                with open(name + ".total", "w", encoding="ascii") as file:
                    print(total, file=file)
            if not data:
                close(one)
            for end in list(peers) if left == 0 else ():
                if end in peers:
                    close(end)
            if left == 0 and sys.argv[5:] == ["once"]:
                left = 1 << 60


main()
