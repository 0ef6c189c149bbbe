# SPDX-License-Identifier: Apache-2.0
# A process that locks with kazoo, told what to do line by line. 
# usage: kazoo_peer.py HOST:PORT PATH Lock|ReadLock|WriteLock [PATTERN]
import logging
import sys
import threading
import time

from kazoo.client import KazooClient
from kazoo.exceptions import LockTimeout

logging.disable(logging.CRITICAL)
hosts, path = sys.argv[1], sys.argv[2]
kind = sys.argv[3]
patterns = sys.argv[4:]


def connect():
    client = KazooClient(hosts=hosts, timeout=2)
    client.start(timeout=20)
    return client


def lock_of(client):
    return getattr(client, kind)(path, "kazoo", extra_lock_patterns=patterns)


def say(text):
    print(text, flush=True)


def increment(client, counter):
    value = int(client.get(counter)[0])
    client.set(counter, str(value + 1).encode())


def contend(counter, seconds, count):
    added = [0] * count
    clients = [connect() for _ in range(count)]
    end = time.monotonic() + seconds

    def work(number):
        client = clients[number]
        lock = lock_of(client)
        while time.monotonic() < end:
            lock.acquire()
            increment(client, counter)
            added[number] += 1
            lock.release()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for client in clients:
        client.stop()
        client.close()
    say("added %d" % sum(added))


client = connect()
lock = lock_of(client)
say("ready")
for line in sys.stdin:
    words = line.split()
    if words[0] == "acquire":
        try:
            lock.acquire(timeout=float(words[1]))
            say("acquired %d" % time.monotonic_ns())
        except LockTimeout:
            say("timeout")
    elif words[0] == "release":
        lock.release()
        say("released %d" % time.monotonic_ns())
    elif words[0] == "contend":
        contend(words[1], float(words[2]), int(words[3]))
