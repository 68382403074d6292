import { randomInt } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listenProblem } from '../../lib/process/listen-problem.ts';
import { holderOf, type Lock, tryLock } from './lock.ts';
import { privateFolder } from './private-folder.ts';

/** The reservations of this user's processes. */
const RESERVATIONS = join(tmpdir(), `image-job-api-ports-${process.getuid?.() ?? 0}`);

const LOOPBACK = '127.0.0.1';

/** Errors of one port. Another port may work. */
const OF_ONE_PORT: ReadonlySet<string> = new Set(['EADDRINUSE', 'EACCES']);

/** The ports of one stack, reserved against other stacks of this user until disposed. */
export type Ports = Disposable & {
  /**
   * Chooses a port for a name: the preferred one, that of the last start, or any. It is remembered,
   * so that addresses stay the same after a restart.
   * @throws {PortTakenError} when nothing can listen on any port of the host
   */
  choose: (name: string, preferred?: number, host?: string) => Promise<number>;
  /** Takes exactly this port. @throws {PortTakenError} */
  take: (port: number, host: string) => Promise<number>;
};

/** Nothing can listen on the port. The message says why. */
export class PortTakenError extends Error {
  override readonly name = 'PortTakenError';
}

export function rememberedPorts(file: string): Ports {
  const remembered: Record<string, number> = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  const reservations: Lock[] = [];
  const reserve = async (port: number, host = LOOPBACK) => {
    const reservation = await reservePort(port, host);
    if ('problem' in reservation) return reservation;
    reservations.push(reservation);
    return undefined;
  };
  return {
    choose: async (name, preferred, host) => {
      const others = Object.entries(remembered).flatMap(([other, port]) => (other === name ? [] : [port]));
      const port = await firstReserved([preferred, remembered[name]], async (port) => {
        if (others.includes(port)) return false;
        const obstacle = await reserve(port, host);
        if (obstacle?.everyPort) throw new PortTakenError(obstacle.problem);
        return obstacle === undefined;
      });
      remembered[name] = port;
      writeFileSync(file, `${JSON.stringify(remembered, null, 2)}\n`);
      return port;
    },
    take: async (port, host) => {
      const obstacle = await reserve(port, host);
      if (obstacle !== undefined) throw new PortTakenError(obstacle.problem);
      return port;
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
    // Below the ephemeral range, or an outgoing connection could take the port while its server is
    // down.
    const port = randomInt(20_000, 32_000);
    if (await reserve(port)) return port;
  }
}

/** Why a port cannot be used. `everyPort`: the host is the reason, so no port will work. */
type Obstacle = { problem: string; everyPort: boolean };

/**
 * Reserves a port for a server that is about to start. Resolves to the obstacle when another stack
 * of this user has reserved it, or when nothing can listen on it. Without a reservation another
 * stack would also find the port free in the seconds until the server listens.
 */
async function reservePort(port: number, host: string): Promise<Lock | Obstacle> {
  privateFolder(RESERVATIONS);
  const path = join(RESERVATIONS, `${port}.lock`);
  const reservation = tryLock(path);
  if (!reservation) {
    const problem = `Port ${port} is reserved by another stack of yours, ${holder(path)}. Set another API_PORT.`;
    return { problem, everyPort: false };
  }
  const code = await failureToListen(port, host);
  if (code === undefined) return reservation;
  reservation[Symbol.dispose]();
  return { problem: listenProblem(code, { host, port }), everyPort: !OF_ONE_PORT.has(code) };
}

const holder = (path: string) => `process ${holderOf(path)?.pid ?? 'unknown'}`;

/** The code of the error, if nothing can listen there. */
function failureToListen(port: number, host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', ({ code, message }: NodeJS.ErrnoException) => resolve(code ?? message));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}
