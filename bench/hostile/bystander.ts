import { Pool } from 'undici';
import { type BenchCaller, headersOf } from '../callers.ts';
import { timed } from '../load.ts';

/** Milliseconds of each request of an account that does nothing unusual. */
export interface Bystander {
  posts: number[];
  gets: number[];
}

export interface Watching extends AsyncDisposable {
  /** Posts one small job and reads it, again and again, until `enough`. @throws Error for any answer that is no success */
  watch(enough: (seen: Bystander) => boolean): Promise<Bystander>;
}

/** Another account's calls, one at a time, by keys and addresses that take turns. */
export function createBystander(origin: string, callers: readonly BenchCaller[], body: Buffer): Watching {
  const pool = new Pool(origin, { connections: 1 });
  let turn = 0;

  async function call(
    method: 'GET' | 'POST',
    path: string,
    headers: Record<string, string>,
  ): Promise<string> {
    const answer = await pool.request({
      method,
      path: `/api/v1/jobs${path}`,
      headers: { ...headers, 'content-type': 'application/json' },
      ...(method === 'POST' ? { body } : {}),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300)
      throw new Error(`${method} of a bystander answered ${answer.statusCode}: ${text}`);
    return (JSON.parse(text) as { job_id: string }).job_id;
  }

  return {
    async watch(enough) {
      const seen: Bystander = { posts: [], gets: [] };
      while (!enough(seen)) {
        const headers = headersOf(callers, turn++);
        let id = '';
        seen.posts.push(
          await timed(async () => {
            id = await call('POST', '', headers);
          }),
        );
        seen.gets.push(await timed(() => call('GET', `/${id}`, headers)));
      }
      return seen;
    },
    [Symbol.asyncDispose]: () => pool.close(),
  };
}
