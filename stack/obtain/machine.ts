/** What is pinned for this machine, if anything: what cannot be verified is not run. */
export function pinnedFor<T>(
  pins: Record<string, T>,
  machine: { platform: string; arch: string } = process,
): T | undefined {
  return pins[`${machine.platform}-${machine.arch}`];
}
