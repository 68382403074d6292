import { ImageJobError } from './errors.ts';

export interface ReadOptions {
  /** The most bytes that are read. */
  limit: number;
  signal: AbortSignal;
  /** Called for every part that came. */
  onProgress: () => void;
}

/**
 * @throws {ImageJobError} when the body is longer than `limit`: then another server has answered
 */
export async function readBody(
  response: Response,
  { limit, signal, onProgress }: ReadOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  const reader = response.body?.getReader();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  try {
    for (let size = 0; reader !== undefined; ) {
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) break;
      size += value.byteLength;
      if (size > limit) throw tooLong(response, limit);
      parts.push(value);
      onProgress();
    }
  } finally {
    // Stops a `fetch` that does not know the signal. After the end it does nothing.
    reader?.cancel().catch(() => undefined);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

function tooLong({ status }: Response, limit: number): ImageJobError {
  const message = `${status} with a body of more than ${limit / 1e6} MB, which the service does not send.`;
  return new ImageJobError(message, { code: 'unexpected_response', status });
}
