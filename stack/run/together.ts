/** Waits for all; when one fails the others are disposed again and its error is thrown. Disposes in parallel. */
export async function together<T extends AsyncDisposable>(
  starts: readonly Promise<T>[],
): Promise<AsyncDisposable> {
  const results = await Promise.allSettled(starts);
  const started = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const close = async () => {
    await Promise.all(started.map((one) => one[Symbol.asyncDispose]()));
  };
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) {
    await close();
    throw failed.reason;
  }
  return { [Symbol.asyncDispose]: close };
}
