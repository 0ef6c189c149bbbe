# SPDX-License-Identifier: Apache-2.0
"""A client of redis-py's Lock, led through lists of the Redis that holds the lock.

usage: redis_py_peer.py PORT LOCK hold TTL_SECONDS     takes it, tells, keeps it until told to release it
       redis_py_peer.py PORT LOCK take                 waits for it, tells when it has it, releases it
       redis_py_peer.py PORT LOCK contend N SECONDS    N threads count up under the lock, each on its own connection

Tells what happened in the list peer:events, "<event> <ns of CLOCK_MONOTONIC>"; is told by the list peer:commands.
"""

import sys
import threading
import time

import redis


def connect(port):
    return redis.Redis(host="127.0.0.1", port=port, socket_timeout=30)


def tell(client, event):
    client.rpush("peer:events", f"{event} {time.monotonic_ns()}")


def hold(client, name, ttl):
    lock = client.lock(name, timeout=ttl)
    lock.acquire()
    tell(client, "held")
    client.blpop("peer:commands")
    lock.release()
    tell(client, "released")


def take(client, name):
    lock = client.lock(name, timeout=30)
    tell(client, "asking")
    lock.acquire()
    tell(client, "got")
    lock.release()


def count_up(port, name, until, counts, number):
    client = connect(port)
    while time.monotonic() < until:
        with client.lock(name, timeout=30):
            value = int(client.get("count") or 0)
            client.set("count", value + 1)
            counts[number] += 1


def contend(client, port, name, threads, seconds):
    counts = [0] * threads
    until = time.monotonic() + seconds
    running = [
        threading.Thread(target=count_up, args=(port, name, until, counts, i))
        for i in range(threads)
    ]
    tell(client, "contending")
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    tell(client, f"counted:{sum(counts)}:{min(counts)}")


def main():
    port, name, what = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    client = connect(port)
    if what == "hold":
        hold(client, name, float(sys.argv[4]))
    elif what == "take":
        take(client, name)
    elif what == "contend":
        contend(client, port, name, int(sys.argv[4]), float(sys.argv[5]))
    else:
        sys.exit(__doc__)


main()
