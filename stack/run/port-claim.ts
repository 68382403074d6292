import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Lock, tryLock } from './lock.ts';
import { privateFolder } from './private-folder.ts';

/** Where this user's processes keep what they have claimed. */
const CLAIMS = join(tmpdir(), `image-job-api-ports-${process.getuid?.() ?? 0}`);

/**
 * Claims a port for a server that is about to be started, or resolves to undefined when it is claimed by another of
 * this user's stacks or cannot be listened on. Between the look and the server's own listening seconds pass, in which
 * another stack would find the port free as well.
 */
export async function claimPort(port: number, host = '127.0.0.1'): Promise<Lock | undefined> {
  privateFolder(CLAIMS);
  const claim = tryLock(join(CLAIMS, `${port}.lock`));
  if (!claim || (await canListen(port, host))) return claim;
  claim[Symbol.dispose]();
  return undefined;
}

function canListen(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
