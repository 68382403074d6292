import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { printed } from './printed.ts';

export const PROCESSES = ['api/main.ts', 'worker/main.ts', 'worker/renderer.ts'] as const;

const root = join(import.meta.dirname, '..', '..');

export interface ServiceProcess {
  child: ChildProcess;
  /** What the group of the pattern has matched in its log. */
  found: string;
}

/** Starts a process of the service, for one test; resolves once it has logged a match of the pattern. */
export async function startServiceProcess(
  file: (typeof PROCESSES)[number],
  env: NodeJS.ProcessEnv,
  pattern: RegExp,
): Promise<ServiceProcess> {
  const child = spawn(process.execPath, ['--import', 'tsx', join(root, file)], { cwd: root, env });
  onTestFinished(() => void child.kill('SIGKILL'));
  const match = await printed(child, pattern);
  return { child, found: pattern.exec(match)?.[1] ?? '' };
}
