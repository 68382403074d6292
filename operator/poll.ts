import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 200;

/** Reads until there is a result. @returns undefined when there was none within `withinMs` */
export async function poll<T>(withinMs: number, read: () => Promise<T | undefined>): Promise<T | undefined> {
  const deadline = Date.now() + withinMs;
  while (Date.now() < deadline) {
    const result = await read();
    if (result !== undefined) return result;
    await delay(POLL_MS);
  }
  return undefined;
}
