// SPDX-License-Identifier: Apache-2.0
// A client of node-redlock, for tests that hold a lock against it.
//   node redlock_peer.mjs PORTS hold KEY LEASE_MS            takes the lock, says "acquired MS"; at SIGTERM
//                                                         says "releasing MS", releases and says "released MS"
//   node redlock_peer.mjs PORTS contend KEY LEASE_MS COUNTER SECONDS CLIENTS
//                                                           counts COUNTER up under the lock, says "counted N"
// Whoever holds asks every 100 ms until it has the lock.
// PORTS: of the masters on 127.0.0.1, separated by commas. MS: the wall clock, in milliseconds.
import Redis from "ioredis";
import Redlock from "redlock";

const [ports, mode, key, lease, ...rest] = process.argv.slice(2);
const connect = () => ports.split(",").map((port) => new Redis({ port: Number(port), host: "127.0.0.1" }));
const say = (text) => process.stdout.write(`${text}\n`);
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function hold() {
  const redlock = new Redlock(connect(), { retryCount: -1, retryDelay: 100, retryJitter: 0 });
  const lock = await redlock.acquire([key], Number(lease));
  say(`acquired ${Date.now()}`);
  process.on("SIGTERM", async () => {
    say(`releasing ${Date.now()}`);
    await lock.release();
    say(`released ${Date.now()}`);
    process.exit(0);
  });
  setInterval(() => {}, 1000);
}

// One try at a time: between its own tries node-redlock keeps what it got of a minority, and two of them that do so
// stand in each other's way until a lease ends.
async function countUp(redlock, store, counter, until) {
  let counted = 0;
  while (Date.now() < until) {
    let lock;
    try {
      lock = await redlock.acquire([key], Number(lease));
    } catch {
      await pause(20 + Math.random() * 60);
      continue;
    }
    const read = Number((await store.get(counter)) ?? 0);
    await pause(1);
    await store.set(counter, String(read + 1));
    counted += 1;
    await lock.release().catch((error) => say(`not released: ${error.message}`));
  }
  return counted;
}

async function contend() {
  const [counter, seconds, clients] = rest;
  const until = Date.now() + Number(seconds) * 1000;
  const all = [];
  for (let i = 0; i < Number(clients); i += 1) {
    const nodes = connect();
    const redlock = new Redlock(nodes, { retryCount: 0 });
    redlock.on("error", () => {}); // each "taken" is one
    all.push(countUp(redlock, nodes[0], counter, until));
  }
  say("contending");
  const counts = await Promise.all(all);
  say(`counted ${counts.reduce((sum, n) => sum + n, 0)}`);
  process.exit(0);
}

await (mode === "hold" ? hold() : contend());
