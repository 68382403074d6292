import { writeFileSync } from 'node:fs';
import { ImageError } from '../errors.ts';
import type { ChildMessage, TaskMessage, Tasks } from './messages.ts';

const OOM_SCORE = '/proc/self/oom_score_adj';

/** The child's side of the pool: carries out one task after the other until its parent is gone. */
export function serveTasks(tasks: Tasks): void {
  volunteerForOomKiller();
  const answer = (message: ChildMessage) => process.send?.(message);
  process.on('message', async ({ task, input }: TaskMessage) => answer(await run(tasks, task, input)));
  // Not process.exit, which waits for libvips to finish the image at hand.
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  answer({ kind: 'ready' });
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
