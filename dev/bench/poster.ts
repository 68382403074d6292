import { Pool } from 'undici';
import { type BenchCaller, callerHeaders } from './callers.ts';

export interface Poster extends AsyncDisposable {
  /** Sends the body and returns the id of the new job. @throws Error for any other status than 201 */
  post(): Promise<string>;
}

/** Posts the same body repeatedly, rotating through the callers. */
export function createPoster(
  origin: string,
  callers: readonly BenchCaller[],
  body: string | Buffer,
  connections: number,
  path = '/api/v1/jobs',
): Poster {
  const pool = new Pool(origin, { connections });
  let sent = 0;
  return {
    async post() {
      const headers = { ...callerHeaders(callers, sent++), 'content-type': 'application/json' };
      const response = await pool.request({ method: 'POST', path, headers, body });
      const text = await response.body.text();
      if (response.statusCode !== 201) throw new Error(`POST answered ${response.statusCode}: ${text}`);
      return (JSON.parse(text) as { job_id: string }).job_id;
    },
    [Symbol.asyncDispose]: () => pool.close(),
  };
}
