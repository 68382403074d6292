import { randomInt } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Lock } from './lock.ts';
import { claimPort } from './port-claim.ts';

/** The ports of one stack; no other stack of this user gets one of them until this is disposed. */
export type Ports = Disposable & {
  /** Chooses a port for a name and remembers it, so that addresses stay the same from start to start. */
  choose: (name: string, preferred?: number) => Promise<number>;
  /** Takes the one port that will do. @throws {PortTakenError} */
  take: (port: number, host: string) => Promise<number>;
};

/** Somebody else has the port, or this user may not listen on it. */
export class PortTakenError extends Error {
  override readonly name = 'PortTakenError';
}

export function rememberedPorts(file: string): Ports {
  const known: Record<string, number> = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  const claims: Lock[] = [];
  const claim = async (port: number, host?: string) => {
    const claimed = await claimPort(port, host);
    if (claimed) claims.push(claimed);
    return claimed !== undefined;
  };
  return {
    choose: async (name, preferred) => {
      const taken = Object.entries(known).flatMap(([other, port]) => (other === name ? [] : [port]));
      const port = await firstClaimed(
        [known[name], preferred],
        async (port) => !taken.includes(port) && claim(port),
      );
      known[name] = port;
      writeFileSync(file, `${JSON.stringify(known, null, 2)}\n`);
      return port;
    },
    take: async (port, host) => {
      if (await claim(port, host)) return port;
      throw new PortTakenError(
        `Port ${port} of ${host} is in use or not permitted. Stop what listens there, or set API_PORT to another port.`,
      );
    },
    [Symbol.dispose]: () => {
      for (const claimed of claims.splice(0)) claimed[Symbol.dispose]();
    },
  };
}

async function firstClaimed(
  candidates: readonly (number | undefined)[],
  claim: (port: number) => Promise<boolean>,
): Promise<number> {
  for (const port of candidates) if (port !== undefined && (await claim(port))) return port;
  for (;;) {
    // Below the range of outgoing connections: a client that retries a server that is down could take its port.
    const port = randomInt(20_000, 32_000);
    if (await claim(port)) return port;
  }
}
