// SPDX-License-Identifier: Apache-2.0
// A client of node-redlock or of redis-semaphore that holds a lock while others watch.
//   node redis_peer.mjs PORT LOCK redlock|mutex|semaphore TTL_MS
// Tells in the list peer:events: "held OWNER[,OWNER]", "renewed", "released". Does what the list peer:commands says:
// "renew", "release". A semaphore has three permits, of which two are taken.
import Redis from "ioredis";
import Redlock from "redlock";
import semaphores from "redis-semaphore";

const [port, name, kind, ttl] = process.argv.slice(2);
const client = new Redis({ port: Number(port), host: "127.0.0.1" });
const commands = client.duplicate();
const timing = { lockTimeout: Number(ttl), refreshInterval: 0 }; // renewed when it is told to, so that it can be counted
const tell = (event) => client.rpush("peer:events", event);

async function takeRedlock() {
  let lock = await new Redlock([client]).acquire([name], Number(ttl));
  return {
    owners: [lock.value],
    renew: async () => {
      lock = await lock.extend(Number(ttl));
    },
    release: () => lock.release(),
  };
}

async function takeAll(locks) {
  for (const lock of locks) await lock.acquire();
  return {
    owners: locks.map((lock) => lock.identifier),
    renew: () => Promise.all(locks.map((lock) => lock._refresh())), // as its timer does
    release: () => Promise.all(locks.map((lock) => lock.release())),
  };
}

const take = {
  redlock: takeRedlock,
  mutex: () => takeAll([new semaphores.Mutex(client, name, timing)]),
  semaphore: () => takeAll([1, 2].map(() => new semaphores.Semaphore(client, name, 3, timing))),
}[kind];

const held = await take();
await tell(`held ${held.owners.join(",")}`);
for (let command = ""; command !== "release"; ) {
  [, command] = await commands.blpop("peer:commands", 0);
  if (command === "renew") {
    await held.renew();
    await tell("renewed");
  }
}
await held.release();
await tell("released");
process.exit(0);
