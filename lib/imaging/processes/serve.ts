import { writeFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { ImageError } from '../errors.ts';

/** The tasks of a child process by name; inputs and outputs are structured-cloneable. */
export type Tasks = Readonly<Record<string, (input: never) => Promise<unknown>>>;

/** From the pool to a child. A child works on one task at a time. */
export interface TaskMessage {
  task: string;
  input: unknown;
}

/** From a child to the pool. The message of `imageError` is shown to the client. */
export type ChildMessage =
  | { kind: 'ready' }
  | { kind: 'done'; output: unknown }
  | { kind: 'imageError'; message: string; cause: string }
  | { kind: 'failed'; message: string };

/**
 * An orphan gets another parent. SIGKILL, because process.exit would wait for libvips to finish the
 * current image.
 */
const WATCH_PARENT = `
  const { workerData: parent } = require('node:worker_threads');
  setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL'); }, 500);
`;
const OOM_SCORE = '/proc/self/oom_score_adj';

/** The child's side of the pool: runs one task at a time until the parent ends. */
export function serveTasks(tasks: Tasks): void {
  volunteerForOomKiller();
  const send = (message: ChildMessage) => process.send?.(message);
  process.on('message', async ({ task, input }: TaskMessage) => send(await run(tasks, task, input)));
  endWithParent();
  send({ kind: 'ready' });
}

/** Checks in a separate thread, because an image may block this one. */
function endWithParent(): void {
  const watch = new Worker(WATCH_PARENT, { eval: true, workerData: process.ppid });
  watch.unref();
}

/**
 * When the machine is out of memory, the kernel should kill this process rather than its parent.
 */
function volunteerForOomKiller(): void {
  try {
    writeFileSync(OOM_SCORE, '1000');
  } catch {
    // Linux only.
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
