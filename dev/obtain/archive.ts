import { createWriteStream, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { x as extract } from 'tar';
import { EnvHttpProxyAgent, fetch } from 'undici';
import type { Task } from './chain.ts';
import { verifySha256 } from './checksum.ts';
import type { Archive } from './versions.ts';

const CONNECT_MS = 5_000;
/** Longest pause between two pieces of the response. */
const IDLE_MS = 20_000;

/**
 * Downloads a .tgz, verifies its digest, unpacks the file called `name` and resolves to its path. Without internet
 * access it fails within the connect timeout.
 * @throws {Error} when the digest is not the pinned one; nothing is unpacked then
 */
export async function fromArchive(
  { url, sha256 }: Archive,
  name: string,
  folder: string,
  task: Task,
): Promise<string> {
  const file = join(folder, 'archive.tgz');
  await download(url, file, task);
  task.report('verifying and unpacking');
  await verifySha256(file, sha256);
  // node-tar never writes outside of `cwd`: it makes absolute paths relative and refuses `..`.
  await extract({
    file,
    cwd: folder,
    filter: (path, entry) => 'type' in entry && entry.type === 'File' && basename(path) === name,
  });
  return findFile(folder, name);
}

async function download(url: string, file: string, { signal, report }: Task): Promise<void> {
  report(`connecting to ${new URL(url).host}`);
  const dispatcher = new EnvHttpProxyAgent({
    connect: { timeout: CONNECT_MS },
    headersTimeout: IDLE_MS,
    bodyTimeout: IDLE_MS,
  });
  try {
    const response = await fetch(url, { dispatcher, signal });
    if (!response.ok || !response.body) throw new Error(`${url} answered ${response.status}`);
    const size = Number(response.headers.get('content-length')) / 2 ** 20;
    report(`downloading${size ? ` ${size.toFixed(0)} MB` : ''} from ${new URL(url).host}`);
    await pipeline(Readable.fromWeb(response.body), createWriteStream(file), { signal });
  } finally {
    await dispatcher.destroy();
  }
}

/** Finds a file by its name, in the folder or below. @throws {Error} when there is none */
export function findFile(folder: string, name: string): string {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).find(
    (entry) => entry.isFile() && entry.name === name,
  );
  if (!found) throw new Error(`the archive holds no ${name}`);
  return join(found.parentPath, found.name);
}
