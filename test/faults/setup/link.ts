import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * What a link does with traffic. `cut`: closes open and new connections. `drop all`: connections stay open, and nothing
 * arrives at either end. `drop responses`: requests arrive, responses do not. `delayMs`: requests arrive late, even if
 * the client has closed the connection meanwhile.
 */
export type Mode = 'pass' | 'cut' | 'drop all' | 'drop responses' | { delayMs: number };

/** `corrupted`: bytes were dropped, so the connection has to be closed when the mode changes. */
type Pair = { client: Socket; upstream: Socket; corrupted: boolean };

/** A TCP proxy on loopback for a server. The mode can change while connections are open. */
export async function startLink(target: { host: string; port: number }) {
  const pairs = new Set<Pair>();
  let mode: Mode = 'pass';
  const server = createServer((client) => {
    if (mode === 'cut') return void client.destroy();
    const pair = { client, upstream: connect(target), corrupted: false };
    pairs.add(pair);
    forward(pair, 'client', () => (mode === 'drop all' ? 'drop' : delayOf(mode)));
    forward(pair, 'upstream', () => (mode === 'drop all' || mode === 'drop responses' ? 'drop' : 0));
    for (const socket of [client, pair.upstream]) socket.on('error', () => {});
    client.on('close', () => pairs.delete(pair));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    set(next: Mode) {
      mode = next;
      for (const pair of pairs) if (next === 'cut' || pair.corrupted) destroy(pair);
    },
    async [Symbol.asyncDispose]() {
      for (const pair of pairs) destroy(pair);
      await new Promise((closed) => server.close(closed));
    },
  };
}

const delayOf = (mode: Mode) => (typeof mode === 'object' ? mode.delayMs : 0);

function destroy({ client, upstream }: Pair): void {
  client.destroy();
  upstream.destroy();
}

/** Forwards the data of one side in order. Delayed data arrives even if that side has closed meanwhile. */
function forward(pair: Pair, side: 'client' | 'upstream', next: () => 'drop' | number): void {
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
    const action = next();
    if (action === 'drop') pair.corrupted = true;
    else later(action, () => to.write(bytes));
  });
  from.on('close', () => later(0, () => to.end()));
}
