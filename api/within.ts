/** Waits for the work, but no longer than told; then the work goes on by itself. It must not reject. */
export async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const up = new Promise((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, up]);
  clearTimeout(timer);
}
