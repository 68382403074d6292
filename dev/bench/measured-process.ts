import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessUsage } from './probe.ts';

const READY_WITHIN_MS = 60_000;
const ROOT = join(import.meta.dirname, '..', '..');
const PROBE = join(import.meta.dirname, 'probe.ts');

export interface ProcessSpec {
  /** Path from the project's root, without extension. */
  module: string;
  env: NodeJS.ProcessEnv;
  logFile: string;
  /** Rejects until the process is ready. */
  ready: () => Promise<unknown>;
}

export interface BenchProcess extends AsyncDisposable {
  readonly pid: number;
  /** Measures the resource usage of the process during the work. */
  during(work: () => Promise<unknown>): Promise<ProcessUsage>;
}

/** Starts one of the project's processes with the probe loaded first. */
export async function startProcess({ module, env, logFile, ready }: ProcessSpec): Promise<BenchProcess> {
  mkdirSync(dirname(logFile), { recursive: true });
  const log = openSync(logFile, 'w');
  const child = fork(PROBE, [join(ROOT, `${module}.ts`)], {
    cwd: ROOT,
    env,
    execArgv: ['--expose-gc', '--import', 'tsx'],
    stdio: ['ignore', log, log, 'ipc'],
  });
  closeSync(log);
  const stop = () => stopChild(child);
  try {
    await untilReady(child, ready);
  } catch (cause) {
    await stop();
    throw new Error(`${module} did not start:\n${readFileSync(logFile, 'utf8').slice(-2000)}`, { cause });
  }
  return {
    pid: child.pid ?? 0,
    async during(work) {
      await request(child, 'begin');
      await work();
      return (await request(child, 'end')) as ProcessUsage;
    },
    [Symbol.asyncDispose]: stop,
  };
}

async function request(child: ChildProcess, message: 'begin' | 'end'): Promise<unknown> {
  const response = once(child, 'message');
  child.send(message);
  return (await response)[0];
}

async function untilReady(child: ChildProcess, ready: () => Promise<unknown>): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS;
  for (;;) {
    try {
      await ready();
      return;
    } catch (cause) {
      if (child.exitCode !== null || Date.now() > deadline) throw cause;
      await delay(100);
    }
  }
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const force = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await exited;
  clearTimeout(force);
}
