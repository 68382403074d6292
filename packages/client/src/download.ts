import { ImageJobError } from './errors.ts';
import { exchange, type Fetch } from './exchange.ts';
import { imageType } from './image.ts';
import { withRetries } from './retry.ts';
import { ATTEMPT_MS } from './transport.ts';

export type Download = (url: string, signal: AbortSignal | undefined) => Promise<Blob>;

/** Larger than any result. */
const LIMIT_BYTES = 200_000_000;

/**
 * Downloads a result by its public URL, without the API key. An attempt goes on for as long as
 * bytes come.
 */
export function createDownload({ fetch, timeoutMs }: { fetch: Fetch; timeoutMs: number }): Download {
  return (url, outer) =>
    withRetries({ totalMs: timeoutMs, attemptMs: ATTEMPT_MS, outer }, async ({ signal, onProgress }) => {
      const { response, bytes } = await exchange(fetch, url, {}, { signal, onProgress, limit: LIMIT_BYTES });
      if (!response.ok) throw unusable(`The result could not be downloaded: ${response.status}.`, response);
      // The login page of a Wi-Fi answers with 200 too.
      const type = imageType(bytes);
      if (type === undefined)
        throw unusable(`The download is no JPEG, PNG or WebP${kind(response)}.`, response);
      return new Blob([bytes], { type });
    });
}

function unusable(message: string, { status }: Response): ImageJobError {
  return new ImageJobError(message, { code: 'unexpected_response', status });
}

function kind({ headers }: Response): string {
  const type = /^[\w.+-]+\/[\w.+-]+/.exec(headers.get('Content-Type') ?? '')?.[0];
  return type === undefined ? '' : ` but ${type}`;
}
