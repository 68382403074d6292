import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Lock, tryLock } from './lock.ts';
import { privateFolder } from './private-folder.ts';

/** The reservations of this user's processes. */
const RESERVATIONS = join(tmpdir(), `image-job-api-ports-${process.getuid?.() ?? 0}`);

/**
 * Reserves a port for a server that is about to start. Resolves to undefined when another stack of this user has
 * reserved it, or when nothing can listen on it. Without a reservation another stack would also find the port free in
 * the seconds until the server listens.
 */
export async function reservePort(port: number, host = '127.0.0.1'): Promise<Lock | undefined> {
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
