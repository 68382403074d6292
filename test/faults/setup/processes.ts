import { join } from 'node:path';
import { fetch } from 'undici';
import { Child } from '../../../stack/run/child.ts';
import type { Surroundings } from '../../../stack/servers/part.ts';
import type { Failpoints } from './failpoints.ts';

const programs = join(import.meta.dirname, '..', 'programs');

/** One of several processes of a kind, and by how much its clock is wrong. */
type Which = { name?: string; clockSkewMs?: number };

/** The API under test as a process of its own; ready when it answers. */
export async function startApi(around: Surroundings, failpoints: Failpoints, which: Which = {}) {
  const { name = 'api' } = which;
  const port = await around.ports.choose(name);
  const url = `http://127.0.0.1:${port}/api/v1`;
  const env = { ...around.env, API_PORT: String(port) };
  const probe = async (signal: AbortSignal) => (await fetch(`${url}/tools`, { signal })).body?.cancel();
  const child = new Child(
    { ...program('api', failpoints, { ...which, name }), env, probe },
    hostOf(name, around),
  );
  await child.start();
  return { child, url };
}

/** A worker under test as a process of its own; ready when it says so, just before it asks for its first task. */
export async function startWorker(around: Surroundings, failpoints: Failpoints, which: Which = {}) {
  const { name = 'worker' } = which;
  const probe = async () => {
    if (!failpoints.reached('worker ready', String(child.pid))) throw new Error(`${name} is not ready`);
  };
  const spec = { ...program('worker', failpoints, { ...which, name }), env: around.env, probe };
  const child: Child = new Child(spec, hostOf(name, around));
  await child.start();
  return child;
}

function program(
  file: 'api' | 'worker',
  { url }: Failpoints,
  { name, clockSkewMs = 0 }: Which & { name: string },
) {
  return {
    name,
    command: process.execPath,
    args: ['--import', 'tsx', join(programs, `${file}.ts`), url, name, String(clockSkewMs)],
    readyWithinMs: 60_000,
    graceMs: 5_000,
  };
}

function hostOf(name: string, { folder, say, signal }: Surroundings) {
  return { logFile: folder.file('logs', `${name}.log`), pidFolder: folder.pids, say, signal };
}
