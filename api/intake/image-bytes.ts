import { createHash } from 'node:crypto';
import { createGrowingBuffer, filled, reserve } from './growing-buffer.ts';

export interface DecodedImage {
  bytes: Buffer;
  /** SHA-256 of the decoded bytes, in hex. */
  sha256: string;
}

/** Collects and hashes the bytes of an image. */
export interface ImageBytes {
  /**
   * Adds `count` bytes, which `write` stores at an offset.
   * @returns `over` if they exceed the limit; otherwise what `write` returns: whether it stored them
   */
  add(count: number, write: (store: Buffer, offset: number) => boolean): boolean | 'over';
  finish(): DecodedImage;
}

/** Bytes per hash update; many small updates would cost more in calls than in hashing. */
const HASH_BLOCK = 64 * 1024;

/** @param expectedBytes estimate of the size */
export function createImageBytes(maxBytes: number, expectedBytes: number): ImageBytes {
  const out = createGrowingBuffer(maxBytes, expectedBytes);
  const hash = createHash('sha256');
  let hashed = 0;

  function updateHash(): void {
    hash.update(filled(out, hashed));
    hashed = out.length;
  }

  return {
    add(count, write) {
      if (!reserve(out, count)) return 'over';
      if (!write(out.store, out.length)) return false;
      out.length += count;
      if (out.length - hashed >= HASH_BLOCK) updateHash();
      return true;
    },
    finish() {
      updateHash();
      return { bytes: filled(out), sha256: hash.digest('hex') };
    },
  };
}
