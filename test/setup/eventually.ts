import { setTimeout as delay } from 'node:timers/promises';

/** Repeats a check until it no longer throws. Throws its last error when the time is up. */
export async function eventually<T>(check: () => Promise<T>, withinMs = 60_000): Promise<T> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await delay(50);
    }
  }
}
