import { randomInt } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Lock, tryLock } from './lock.ts';
import { privateFolder } from './private-folder.ts';

/** The reservations of this user's processes. */
const RESERVATIONS = join(tmpdir(), `image-job-api-ports-${process.getuid?.() ?? 0}`);

/** The ports of one stack, reserved against other stacks of this user until disposed. */
export type Ports = Disposable & {
  /** Chooses a port for a name and remembers it, so that addresses stay the same after a restart. */
  choose: (name: string, preferred?: number) => Promise<number>;
  /** Takes exactly this port. @throws {PortTakenError} */
  take: (port: number, host: string) => Promise<number>;
};

/** The port is in use, or this user may not listen on it. */
export class PortTakenError extends Error {
  override readonly name = 'PortTakenError';
}

export function rememberedPorts(file: string): Ports {
  const remembered: Record<string, number> = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  const reservations: Lock[] = [];
  const reserve = async (port: number, host?: string) => {
    const reservation = await reservePort(port, host);
    if (reservation) reservations.push(reservation);
    return reservation !== undefined;
  };
  return {
    choose: async (name, preferred) => {
      const others = Object.entries(remembered).flatMap(([other, port]) => (other === name ? [] : [port]));
      const port = await firstReserved(
        [remembered[name], preferred],
        async (port) => !others.includes(port) && reserve(port),
      );
      remembered[name] = port;
      writeFileSync(file, `${JSON.stringify(remembered, null, 2)}\n`);
      return port;
    },
    take: async (port, host) => {
      if (await reserve(port, host)) return port;
      throw new PortTakenError(
        `Port ${port} of ${host} is in use or not permitted. Stop what listens there, or set API_PORT to another port.`,
      );
    },
    [Symbol.dispose]: () => {
      for (const reservation of reservations.splice(0)) reservation[Symbol.dispose]();
    },
  };
}

async function firstReserved(
  candidates: readonly (number | undefined)[],
  reserve: (port: number) => Promise<boolean>,
): Promise<number> {
  for (const port of candidates) if (port !== undefined && (await reserve(port))) return port;
  for (;;) {
    // Below the ephemeral range, or an outgoing connection could take the port while its server is down.
    const port = randomInt(20_000, 32_000);
    if (await reserve(port)) return port;
  }
}

/**
 * Reserves a port for a server that is about to start. Resolves to undefined when another stack of this user has
 * reserved it, or when nothing can listen on it. Without a reservation another stack would also find the port free in
 * the seconds until the server listens.
 */
async function reservePort(port: number, host = '127.0.0.1'): Promise<Lock | undefined> {
  privateFolder(RESERVATIONS);
  const reservation = tryLock(join(RESERVATIONS, `${port}.lock`));
  if (!reservation || (await canListen(port, host))) return reservation;
  reservation[Symbol.dispose]();
  return undefined;
}

function canListen(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
