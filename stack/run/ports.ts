import { randomInt } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';

/** Chooses a port for a name and remembers it, so that addresses stay the same from start to start. */
export type Ports = { choose: (name: string, preferred?: number) => Promise<number> };

export function rememberedPorts(file: string): Ports {
  const known: Record<string, number> = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  return {
    choose: async (name, preferred) => {
      const taken = Object.entries(known).flatMap(([other, port]) => (other === name ? [] : [port]));
      const port = await firstFree([known[name], preferred], taken);
      known[name] = port;
      writeFileSync(file, `${JSON.stringify(known, null, 2)}\n`);
      return port;
    },
  };
}

async function firstFree(candidates: readonly (number | undefined)[], taken: readonly number[]) {
  for (const port of candidates) {
    if (port !== undefined && !taken.includes(port) && (await isFree(port))) return port;
  }
  for (;;) {
    // Below the range of outgoing connections: a client that retries a server that is down could take its port.
    const port = randomInt(20_000, 32_000);
    if (!taken.includes(port) && (await isFree(port))) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}
