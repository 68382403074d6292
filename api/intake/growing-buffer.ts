/** A contiguous buffer that grows up to a limit. `store` may be reallocated; its first `length` bytes are used. */
export interface GrowingBuffer {
  store: Buffer;
  length: number;
  readonly limit: number;
}

/** @param expected estimate of the final size, so that it is allocated once; memory is committed only as it fills */
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
