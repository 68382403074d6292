import { ImageJobError } from './errors.ts';
import { exchange, type Fetch } from './exchange.ts';
import { withRetries } from './retry.ts';
import { ATTEMPT_MS } from './transport.ts';

export type Download = (url: string, signal: AbortSignal | undefined) => Promise<Blob>;

/** Downloads a result by its public URL, without the API key. */
export function createDownload({ fetch, timeoutMs }: { fetch: Fetch; timeoutMs: number }): Download {
  return (url, outer) =>
    withRetries({ totalMs: timeoutMs, attemptMs: ATTEMPT_MS, outer }, async ({ signal }) => {
      const { response, body } = await exchange(fetch, url, { signal }, (answer) => answer.blob());
      if (response.ok) return body;
      throw new ImageJobError(`The result could not be downloaded: ${response.status}.`, {
        code: 'unexpected_response',
        status: response.status,
      });
    });
}
