import { readdir, readFile } from 'node:fs/promises';
import { parseArguments } from '../../../packages/client/src/cli/arguments.ts';
import { runEdit } from '../../../packages/client/src/cli/edit.ts';
import type { Outcome } from '../../../packages/client/src/cli/edit-photo.ts';
import { ImageJobs } from '../../../packages/client/src/node.ts';
import { API_KEY, BASE_URL, failure, json } from './fake-fetch.ts';

/** The first bytes of a JPEG, then this text. */
export const jpegOf = (text: string) => new Blob([new Uint8Array([0xff, 0xd8, 0xff]), text]);

type Answer = (url: URL, init: RequestInit) => Promise<Response | undefined>;

/** The jobs of an account whose photos are edited at once, in memory; `answer` may answer requests instead. */
export function fakeService({ balance = 50, answer }: { balance?: number; answer?: Answer } = {}) {
  const jobs = new Map<string, { job_id: string; status: string; idempotency_key: string }>();
  const state = { balance, posts: 0 };

  function create(key: string): Response {
    state.posts += 1;
    const earlier = jobs.get(key);
    if (earlier === undefined && state.balance === 0) return failure('insufficient_credits', 402);
    if (earlier === undefined) state.balance -= 1;
    const job = earlier ?? jobOf(`job-${jobs.size + 1}`, key);
    jobs.set(key, job);
    return json({ ...job, images_charged: 1, warnings: [] }, 201);
  }

  async function respond(url: URL, init: RequestInit): Promise<Response> {
    const { pathname } = url;
    if (pathname.startsWith('/results/')) return new Response(jpegOf(`result of ${pathname.slice(9)}`));
    if (pathname.includes('/v1/tools/')) return json({ slug: pathname.split('/').at(-1), options: {} });
    if (url.searchParams.has('dry_run'))
      return json({ images_charged: 1, warnings: [], balance_after: state.balance - 1 });
    if (init.method === 'POST') return create(new Headers(init.headers).get('Idempotency-Key') ?? '');
    const key = url.searchParams.get('idempotency_key');
    const asked = [...jobs.values()].filter(
      (job) => key === job.idempotency_key || pathname.endsWith(job.job_id),
    );
    return json(pathname.endsWith('/jobs') ? { data: asked, has_more: false } : asked[0]);
  }

  const fetch = async (text: string, init: RequestInit) => {
    const url = new URL(text);
    return (await answer?.(url, init)) ?? respond(url, init);
  };
  return { state, jobs, fetch, client: new ImageJobs({ apiKey: API_KEY, baseUrl: BASE_URL, fetch }) };
}

export const jobOf = (job_id: string, idempotency_key: string) => ({
  job_id,
  idempotency_key,
  status: 'completed',
  images_charged: 1,
  result_urls: [`https://images.example.com/results/${job_id}`],
});

type Service = Pick<ReturnType<typeof fakeService>, 'client'>;

/** Runs `image-job edit`; `stdout` is JSON. */
export async function edit(service: Service, ...args: string[]) {
  const texts = { stdout: '', stderr: '' };
  const stream = (name: keyof typeof texts) => ({
    write(text: string) {
      texts[name] += text;
    },
  });
  const { command } = parseArguments(['edit', ...args, '--tool', 'declutter']);
  if (command.command !== 'edit') throw new TypeError('Not a command to edit.');
  const isDone = await runEdit(command, {
    client: service.client,
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    json: true,
    signal: new AbortController().signal,
  });
  const lines = texts.stdout.split('\n').filter((line) => line !== '');
  return { isDone, stderr: texts.stderr, outcomes: lines.map((line): Outcome => JSON.parse(line)) };
}

/** Paths below a folder, with the text of each file. */
export async function filesOf(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Object.fromEntries(
    await Promise.all(
      files.map(async ({ parentPath, name }) => {
        const path = `${parentPath}/${name}`;
        return [path.slice(folder.length + 1), await readFile(path, 'utf8')];
      }),
    ),
  );
}
