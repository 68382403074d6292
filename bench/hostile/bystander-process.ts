import { Pool } from 'undici';
import { type BenchCaller, headersOf } from '../callers.ts';
import { timed } from '../load.ts';
import type { Bystander, BystanderMessage } from './bystander.ts';

// Posts one small job and reads it, again and again, in a process that nothing else keeps busy.

let pool: Pool | undefined;
let callers: readonly BenchCaller[] = [];
let body = '';
let turn = 0;
let seen: Bystander = { posts: [], gets: [], failed: [] };
let watching: Promise<void> | undefined;
let over = true;

async function call(method: 'GET' | 'POST', path: string, headers: Record<string, string>): Promise<string> {
  if (pool === undefined) throw new Error('The bystander was not told where to call.');
  const answer = await pool.request({
    method,
    path: `/api/v1/jobs${path}`,
    headers: { ...headers, 'content-type': 'application/json' },
    ...(method === 'POST' ? { body } : {}),
  });
  const text = await answer.body.text();
  if (answer.statusCode >= 300) seen.failed.push(`${method} ${answer.statusCode}`);
  return (JSON.parse(text) as { job_id?: string }).job_id ?? '';
}

async function watch(): Promise<void> {
  while (!over) {
    const headers = headersOf(callers, turn++);
    let id = '';
    const post = async () => {
      id = await call('POST', '', headers);
    };
    seen.posts.push(await timed(post));
    if (id !== '') seen.gets.push(await timed(() => call('GET', `/${id}`, headers)));
    process.send?.(seen.posts.length);
  }
}

process.on('message', async (message: BystanderMessage) => {
  if (message === 'begin') {
    seen = { posts: [], gets: [], failed: [] };
    over = false;
    watching = watch();
  } else if (message === 'end') {
    over = true;
    await watching;
    process.send?.(seen);
  } else {
    pool = new Pool(message.origin, { connections: 1 });
    ({ callers, body } = message);
  }
});
