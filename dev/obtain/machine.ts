/** The entry for this machine's platform and architecture, if there is one. */
export function pinnedFor<T>(
  pins: Record<string, T>,
  machine: { platform: string; arch: string } = process,
): T | undefined {
  return pins[`${machine.platform}-${machine.arch}`];
}
