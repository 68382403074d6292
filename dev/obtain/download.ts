import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { EnvHttpProxyAgent, fetch } from 'undici';
import type { Task } from './chain.ts';
import type { Archive } from './versions.ts';

const CONNECT_MS = 5_000;
/** Longest pause between two pieces of the response. */
const IDLE_MS = 20_000;

/**
 * Downloads a vendor's file and verifies its digest. Without internet access it fails within the
 * connect timeout.
 * @throws {Error} when the digest is not the pinned one
 */
export async function download({ url, sha256 }: Archive, file: string, task: Task): Promise<void> {
  await save(url, file, task);
  task.report('verifying');
  await verifySha256(file, sha256);
}

async function save(url: string, file: string, { signal, report }: Task): Promise<void> {
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

/** @throws {Error} when the file's SHA-256, in hexadecimal, is not the expected one */
export async function verifySha256(file: string, expected: string): Promise<void> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  const digest = hash.digest('hex');
  if (digest !== expected) throw new Error(`the download has the SHA-256 ${digest}, not ${expected}`);
}
