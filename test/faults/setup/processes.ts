import { join } from 'node:path';
import { fetch } from 'undici';
import { Child } from '../../../dev/process/child.ts';
import type { ServerContext } from '../../../dev/servers/context.ts';
import { CLOSING_MS } from '../../../lib/process/process.ts';
import type { Failpoints } from './failpoints.ts';

const programs = join(import.meta.dirname, '..', 'programs');

/** `clockSkewMs`: how far the clock of the process is ahead. */
type ProcessOptions = { name?: string; clockSkewMs?: number };

/** Starts an API process; ready when it responds. */
export async function startApi(context: ServerContext, failpoints: Failpoints, options: ProcessOptions = {}) {
  const { name = 'api' } = options;
  const port = await context.ports.choose(name);
  const url = `http://127.0.0.1:${port}/api/v1`;
  const env = { ...context.env, API_PORT: String(port) };
  const probe = async (signal: AbortSignal) => (await fetch(`${url}/tools`, { signal })).body?.cancel();
  const child = new Child(
    { ...program('api', failpoints, { ...options, name }), env, probe },
    hostOf(name, context),
  );
  await child.start();
  return { child, url };
}

/** Starts a worker process; ready when it has reached the failpoint just before it polls. */
export async function startFaultWorker(
  context: ServerContext,
  failpoints: Failpoints,
  options: ProcessOptions = {},
) {
  const { name = 'worker' } = options;
  const probe = async () => {
    if (!failpoints.reached('worker ready', String(child.pid))) throw new Error(`${name} is not ready.`);
  };
  const graceMs = Number(context.env.RENDER_GRACE_MS) + CLOSING_MS;
  const spec = { ...program('worker', failpoints, { ...options, name }), env: context.env, probe, graceMs };
  const child: Child = new Child(spec, hostOf(name, context));
  await child.start();
  return child;
}

function program(
  file: 'api' | 'worker',
  { url }: Failpoints,
  { name, clockSkewMs = 0 }: ProcessOptions & { name: string },
) {
  return {
    name,
    command: process.execPath,
    args: ['--import', 'tsx', join(programs, `${file}.ts`), url, name, String(clockSkewMs)],
    readyWithinMs: 60_000,
    graceMs: 5_000,
  };
}

function hostOf(name: string, { folder, say, signal }: ServerContext) {
  return { logFile: folder.file('logs', `${name}.log`), pidFolder: folder.pids, say, signal };
}
