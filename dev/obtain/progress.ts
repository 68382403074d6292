/** Prints one line for a person. */
export type Say = (line: string) => void;

const REPEAT_MS = 8_000;

/**
 * Runs work that reports its steps. Each step is printed at once, and again with its duration while
 * it lasts.
 */
export async function withProgress<T>(
  what: string,
  say: Say,
  work: (report: (step: string) => void) => Promise<T>,
): Promise<T> {
  let current: { step: string; since: number } | undefined;
  const timer = setInterval(() => {
    if (current) say(`${what}: ${current.step} (${duration(Date.now() - current.since)})`);
  }, REPEAT_MS);
  try {
    return await work((step) => {
      current = { step, since: Date.now() };
      say(`${what}: ${step}`);
    });
  } finally {
    clearInterval(timer);
  }
}

/** `8 s`, `2 min 10 s`. */
export function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
