/** Runs a request `count` times, `concurrency` at a time, the next when one is done. @returns milliseconds of each */
export async function closedLoop(
  count: number,
  concurrency: number,
  request: () => Promise<unknown>,
): Promise<number[]> {
  const took: number[] = [];
  let left = count;
  const loop = async () => {
    while (left-- > 0) took.push(await timed(request));
  };
  await Promise.all(Array.from({ length: concurrency }, loop));
  return took;
}

/** @returns milliseconds */
export async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** The value below which the given part (0 to 1) of the values lies; of the nearest rank. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(Math.ceil(sorted.length * part) - 1, 0)] ?? Number.NaN;
}
