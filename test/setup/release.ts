import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { runCommand } from '../../dev/process/command.ts';
import { printed } from './printed.ts';

/** The service, whose processes are started one by one. */
export interface Release {
  /** @returns its address, and how to stop it with SIGTERM */
  api(): Promise<{ address: string } & Running>;
  worker(): Promise<Running>;
  renderer(): Promise<Running>;
  /** Runs a command of the operator. @returns its JSON */
  operator<T = Record<string, string>>(...args: string[]): Promise<T>;
}

export interface Running {
  /** Resolves to the exit code. */
  stop(): Promise<number | null>;
}

const FOLDER = join(import.meta.dirname, '..', '..');
/** The file of a process, after the arguments that Node needs for sources. */
const entry = (name: string) => ['--import', import.meta.resolve('tsx'), join(FOLDER, `${name}.ts`)];

/** The service in this folder, from its sources. */
export function today(env: Record<string, string>): Release {
  const start = (name: string) => {
    const child = spawn(process.execPath, entry(name), { cwd: FOLDER, env });
    onTestFinished(() => void child.kill('SIGKILL'));
    return child;
  };
  const started = async (name: string, ready: RegExp): Promise<Running> => {
    const child = start(name);
    await printed(child, ready);
    return { stop: () => stop(child) };
  };
  return {
    async api() {
      const child = start('api/main');
      const address = await printed(child, /(?<=listening at )http:[^"]+/);
      return { address, stop: () => stop(child) };
    },
    worker: () => started('worker/main', /The worker is ready/),
    renderer: () => started('worker/renderer', /The renderer is ready/),
    async operator(...args) {
      const { signal } = new AbortController();
      const command = [...entry('operator/main'), ...args, '--json'];
      return JSON.parse(await runCommand(process.execPath, command, { cwd: FOLDER, env, signal }));
    },
  };
}

async function stop(child: ChildProcess): Promise<number | null> {
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const [code] = await exited;
  return code;
}
