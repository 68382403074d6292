import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * What a link does with the bytes it is given. `cut`: connections are broken off, new ones too. `swallow`: connections
 * stand, and nothing arrives at either end. `drop answers`: requests arrive, answers don't. With `lateMs` a request
 * arrives so much later, also when nobody waits for its answer any longer.
 */
export type Mode = 'pass' | 'cut' | 'swallow' | 'drop answers' | { lateMs: number };

export type Link = Awaited<ReturnType<typeof startLink>>;

/** A pair of sockets, of which bytes may have been lost: it is of no use once the link passes everything again. */
type Pair = { client: Socket; upstream: Socket; maimed: boolean };

/** A TCP proxy on loopback in front of a server, switched from mode to mode while connections are open. */
export async function startLink(target: { host: string; port: number }) {
  const pairs = new Set<Pair>();
  let mode: Mode = 'pass';
  const server = createServer((client) => {
    if (mode === 'cut') return void client.destroy();
    const pair = { client, upstream: connect(target), maimed: false };
    pairs.add(pair);
    forward(pair, 'client', () => (mode === 'swallow' ? 'lose' : lateness(mode)));
    forward(pair, 'upstream', () => (mode === 'swallow' || mode === 'drop answers' ? 'lose' : 0));
    for (const socket of [client, pair.upstream]) socket.on('error', () => {});
    client.on('close', () => pairs.delete(pair));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    set(next: Mode) {
      mode = next;
      for (const pair of pairs) if (next === 'cut' || pair.maimed) breakOff(pair);
    },
    async [Symbol.asyncDispose]() {
      for (const pair of pairs) breakOff(pair);
      await new Promise((closed) => server.close(closed));
    },
  };
}

const lateness = (mode: Mode) => (typeof mode === 'object' ? mode.lateMs : 0);

function breakOff({ client, upstream }: Pair): void {
  client.destroy();
  upstream.destroy();
}

/** Passes on what one side says, in its order; what is on its way arrives although the side has closed meanwhile. */
function forward(pair: Pair, side: 'client' | 'upstream', fate: () => 'lose' | number): void {
  const from = pair[side];
  const to = pair[side === 'client' ? 'upstream' : 'client'];
  let sent = Promise.resolve();
  const later = (ms: number, act: () => void) => {
    const due = performance.now() + ms;
    sent = sent.then(async () => {
      const wait = due - performance.now();
      if (wait > 0) await delay(wait);
      if (!to.destroyed) act();
    });
  };
  from.on('data', (bytes) => {
    const what = fate();
    if (what === 'lose') pair.maimed = true;
    else later(what, () => to.write(bytes));
  });
  from.on('close', () => later(0, () => to.end()));
}
