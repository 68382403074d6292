import { ImageJobConnectionError, ImageJobError } from './errors.ts';
import { type ReadOptions, readBody } from './read-body.ts';

/** The part of `fetch` that is used. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface Exchanged {
  response: Response;
  bytes: Uint8Array<ArrayBuffer>;
}

/**
 * Sends a request and reads the whole response.
 * @throws {ImageJobConnectionError} when `fetch` fails; after an abort, the reason of the signal
 * @throws {ImageJobError} for a body that is longer than the limit
 */
export async function exchange(
  fetch: Fetch,
  url: string,
  init: Omit<RequestInit, 'signal'>,
  reading: ReadOptions,
): Promise<Exchanged> {
  const { signal, onProgress } = reading;
  try {
    const response = await fetch(url, { ...init, signal });
    signal.throwIfAborted();
    onProgress();
    return { response, bytes: await readBody(response, reading) };
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof ImageJobError) throw cause;
    throw new ImageJobConnectionError(`The connection failed: ${reasonOf(cause)}`, { cause });
  }
}

/** Node's fetch has its reason in the cause. After several addresses the cause has only a code. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : error.message;
  return cause.message === '' ? code : cause.message;
}
