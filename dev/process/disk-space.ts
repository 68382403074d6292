import { statfsSync } from 'node:fs';

const MB = 2 ** 20;

/** There is too little space for the data of the servers. */
export class DiskFullError extends Error {
  override readonly name = 'DiskFullError';
}

/** @throws {DiskFullError} when fewer than `needed` megabytes are left for this user */
export function requireSpace(folder: string, needed: number): void {
  const { bavail, bsize } = statfsSync(folder);
  const free = Math.floor((bavail * bsize) / MB);
  if (free < needed)
    throw new DiskFullError(
      `The disk of ${folder} is full: ${free} MB are free, and the servers need ${needed}. Free some space, and start again.`,
    );
}
