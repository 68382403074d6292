import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

/** @throws {Error} when the file's SHA-256, in hexadecimal, is not the expected one */
export async function verifySha256(file: string, expected: string): Promise<void> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  const digest = hash.digest('hex');
  if (digest !== expected) throw new Error(`the download has the SHA-256 ${digest}, not ${expected}`);
}
