/**
 * Waits for all starts, even when one fails, so that none is left half started; then throws the first failure.
 * @param giveUp called at the first failure, so that the other starts end soon
 */
export async function allStarted(
  starts: readonly Promise<unknown>[],
  giveUp: () => void = () => {},
): Promise<void> {
  const failures: unknown[] = [];
  const settled = starts.map((start) =>
    start.catch((cause: unknown) => {
      failures.push(cause);
      giveUp();
    }),
  );
  await Promise.all(settled);
  if (failures.length > 0) throw failures[0];
}
