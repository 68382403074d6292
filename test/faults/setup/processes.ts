import { join } from 'node:path';
import { fetch } from 'undici';
import { Child } from '../../../stack/run/child.ts';
import type { Surroundings } from '../../../stack/servers/part.ts';
import type { Failpoints } from './failpoints.ts';

const programs = join(import.meta.dirname, '..', 'programs');

/** The API under test as a process of its own; ready when it answers. */
export async function startApi(around: Surroundings, failpoints: Failpoints) {
  const port = await around.ports.choose('api');
  const url = `http://127.0.0.1:${port}/api/v1`;
  const env = { ...around.env, API_PORT: String(port) };
  const probe = async (signal: AbortSignal) => (await fetch(`${url}/tools`, { signal })).body?.cancel();
  const child = new Child({ ...program('api', failpoints, 'api'), env, probe }, hostOf('api', around));
  await child.start();
  return { child, url };
}

/** A worker under test as a process of its own; ready when it says so, just before it asks for its first task. */
export async function startWorker(around: Surroundings, failpoints: Failpoints, name = 'worker') {
  const probe = async () => {
    if (!failpoints.reached('worker ready', String(child.pid))) throw new Error(`${name} is not ready`);
  };
  const spec = { ...program('worker', failpoints, name), env: around.env, probe };
  const child: Child = new Child(spec, hostOf(name, around));
  await child.start();
  return child;
}

function program(file: 'api' | 'worker', { url }: Failpoints, name: string) {
  return {
    name,
    command: process.execPath,
    args: ['--import', 'tsx', join(programs, `${file}.ts`), url, name],
    readyWithinMs: 60_000,
    graceMs: 5_000,
  };
}

function hostOf(name: string, { folder, say, signal }: Surroundings) {
  return { logFile: folder.file('logs', `${name}.log`), pidFolder: folder.pids, say, signal };
}
