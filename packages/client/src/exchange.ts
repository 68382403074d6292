import { ImageJobConnectionError } from './errors.ts';

/** The part of `fetch` that is used. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface Exchanged<T> {
  response: Response;
  body: T;
}

/**
 * Sends a request and reads the whole response with `read`.
 * @throws {ImageJobConnectionError} for what `fetch` rejects with; the signal's reason, once it has aborted
 */
export async function exchange<T>(
  fetch: Fetch,
  url: string,
  init: RequestInit & { signal: AbortSignal },
  read: (response: Response) => Promise<T>,
): Promise<Exchanged<T>> {
  try {
    const response = await fetch(url, init);
    return { response, body: await read(response) };
  } catch (cause) {
    init.signal.throwIfAborted();
    throw new ImageJobConnectionError(`The connection failed: ${reasonOf(cause)}`, { cause });
  }
}

/** Node's fetch says what went wrong in the cause only. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && error.cause.message !== '' ? error.cause.message : error.message;
}
