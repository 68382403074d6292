import { Pool } from 'undici';
import { type BenchCaller, callerHeaders } from '../callers.ts';
import { timed } from '../load.ts';
import type { Bystander, BystanderMessage } from './bystander.ts';

// Posts a small job and reads it, repeatedly, in a process of its own so that nothing else delays it.

let pool: Pool | undefined;
let callers: readonly BenchCaller[] = [];
let body = '';
let turn = 0;
let observed: Bystander = { posts: [], gets: [], failed: [] };
let watching: Promise<void> | undefined;
let stopped = true;

async function call(method: 'GET' | 'POST', path: string, headers: Record<string, string>): Promise<string> {
  if (pool === undefined) throw new Error('The bystander has no origin to call yet.');
  const response = await pool.request({
    method,
    path: `/api/v1/jobs${path}`,
    headers: { ...headers, 'content-type': 'application/json' },
    ...(method === 'POST' ? { body } : {}),
  });
  const text = await response.body.text();
  if (response.statusCode >= 300) observed.failed.push(`${method} ${response.statusCode}`);
  return (JSON.parse(text) as { job_id?: string }).job_id ?? '';
}

async function watch(): Promise<void> {
  while (!stopped) {
    const headers = callerHeaders(callers, turn++);
    let id = '';
    const post = async () => {
      id = await call('POST', '', headers);
    };
    observed.posts.push(await timed(post));
    if (id !== '') observed.gets.push(await timed(() => call('GET', `/${id}`, headers)));
    process.send?.(observed.posts.length);
  }
}

process.on('message', async (message: BystanderMessage) => {
  if (message === 'begin') {
    observed = { posts: [], gets: [], failed: [] };
    stopped = false;
    watching = watch();
  } else if (message === 'end') {
    stopped = true;
    await watching;
    process.send?.(observed);
  } else {
    pool = new Pool(message.origin, { connections: 1 });
    ({ callers, body } = message);
  }
});
