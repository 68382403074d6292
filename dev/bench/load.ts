/** Runs a request `count` times, `concurrency` at a time. @returns the milliseconds of each */
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

/** @returns the milliseconds that the work took */
export async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** The quantile by nearest rank. @param share from 0 to 1 */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(Math.ceil(sorted.length * share) - 1, 0)] ?? Number.NaN;
}
