# SPDX-License-Identifier: Apache-2.0
"""A client of redis-py's Lock that holds a lock while others watch.

usage: redis_py_peer.py PORT LOCK TTL_MS

Tells in the list peer:events: "held OWNER", "renewed", "released". Does what the list peer:commands says: "renew",
"release".
"""

import sys

import redis


def main():
    port, name, ttl = int(sys.argv[1]), sys.argv[2], float(sys.argv[3]) / 1000
    client = redis.Redis(host="127.0.0.1", port=port)
    lock = client.lock(name, timeout=ttl)
    lock.acquire()
    client.rpush("peer:events", f"held {lock.local.token.decode()}")
    while client.blpop("peer:commands")[1] == b"renew":
        lock.reacquire()
        client.rpush("peer:events", "renewed")
    lock.release()
    client.rpush("peer:events", "released")


main()
