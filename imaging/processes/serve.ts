import { writeFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { ImageError } from '../errors.ts';
import type { ChildMessage, TaskMessage, Tasks } from './messages.ts';

/** An orphan has another parent. Not process.exit, which would wait for libvips to finish the image at hand. */
const WATCH_PARENT = `
  const { workerData: parent } = require('node:worker_threads');
  setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL'); }, 500);
`;
const OOM_SCORE = '/proc/self/oom_score_adj';

/** The child's side of the pool: carries out one task after the other until its parent is gone. */
export function serveTasks(tasks: Tasks): void {
  volunteerForOomKiller();
  const answer = (message: ChildMessage) => process.send?.(message);
  process.on('message', async ({ task, input }: TaskMessage) => answer(await run(tasks, task, input)));
  endWithParent();
  answer({ kind: 'ready' });
}

/** In a thread of its own, which goes on looking while the image keeps this one busy. */
function endWithParent(): void {
  const watch = new Worker(WATCH_PARENT, { eval: true, workerData: process.ppid });
  watch.unref();
}

/** Where memory runs out after all, the kernel ends this process rather than its parent. */
function volunteerForOomKiller(): void {
  try {
    writeFileSync(OOM_SCORE, '1000');
  } catch {
    // Only Linux has it.
  }
}

async function run(tasks: Tasks, name: string, input: unknown): Promise<ChildMessage> {
  try {
    const task = Object.hasOwn(tasks, name) ? tasks[name] : undefined;
    if (task === undefined) throw new Error(`There is no task ${name}.`);
    return { kind: 'done', output: await task(input as never) };
  } catch (error) {
    if (!(error instanceof ImageError)) return { kind: 'failed', message: describe(error) };
    return { kind: 'imageError', message: error.message, cause: describe(error.cause) };
  }
}

const describe = (error: unknown) =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);
