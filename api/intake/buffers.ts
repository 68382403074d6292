import { createHash } from 'node:crypto';

export interface DecodedImage {
  bytes: Buffer;
  /** SHA-256 of the decoded bytes, in hex. */
  sha256: string;
}

/** Collects and hashes the bytes of an image. */
export interface ImageBytes {
  /**
   * Adds `count` bytes, which `write` stores at an offset.
   * @returns `over` if they exceed the limit; otherwise what `write` returns: whether it stored
   * them
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

/**
 * A contiguous buffer that grows up to a limit. `store` may be reallocated; its first `length`
 * bytes are used.
 */
export interface GrowingBuffer {
  store: Buffer;
  length: number;
  readonly limit: number;
}

/**
 * @param expected estimate of the final size, so that it is allocated once; memory is committed
 * only as it fills
 */
export function createGrowingBuffer(limit: number, expected: number): GrowingBuffer {
  return { store: Buffer.allocUnsafeSlow(Math.min(expected, limit)), length: 0, limit };
}

/** Makes room for `count` more bytes. @returns false when that would exceed the limit */
export function reserve(target: GrowingBuffer, count: number): boolean {
  const needed = target.length + count;
  if (needed > target.limit) return false;
  if (needed > target.store.length) {
    const larger = Buffer.allocUnsafeSlow(Math.min(Math.max(needed, target.store.length * 2), target.limit));
    target.store.copy(larger, 0, 0, target.length);
    target.store = larger;
  }
  return true;
}

export const filled = (target: GrowingBuffer, from = 0) => target.store.subarray(from, target.length);
