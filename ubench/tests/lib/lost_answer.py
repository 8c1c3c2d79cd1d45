#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""lost_answer.py PORT TEXT: a proxy before the server at that port of 127.0.0.1.

It prints its own port.  The first request that has TEXT in it reaches the server,
but its answer does not reach the client: the connection is cut.  Those after it are
left alone.
"""
import socket
import sys
import threading


def forward(source, target):
    """Copies what comes, to the end."""
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def serve(client, port, text, is_cut):
    server = socket.create_connection(("127.0.0.1", port))
    answers = threading.Thread(target=forward, args=(server, client), daemon=True)
    answers.start()
    while data := client.recv(65536):
        if text in data and not is_cut.is_set():
            is_cut.set()
            client.shutdown(socket.SHUT_RDWR)
            server.sendall(data)
            break
        server.sendall(data)
    server.shutdown(socket.SHUT_WR)
    answers.join()
    client.close()
    server.close()


def main():
    port, text = int(sys.argv[1]), sys.argv[2].encode()
    is_cut = threading.Event()
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    while True:
        client, _ = listener.accept()
        threading.Thread(target=serve, args=(client, port, text, is_cut),
                         daemon=True).start()


main()
