/** Waits for all starts, even when one fails, so that none is left half started; then throws the first failure. */
export async function allStarted(starts: readonly Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(starts);
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}
