/**
 * Waits for every start, also after one has failed, so that nothing is left half started. Then
 * throws the first failure.
 * @param giveUp called at every failure, so that the other starts end soon
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
