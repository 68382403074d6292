import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { ImageError } from '../errors.ts';
import { FONT_ENVIRONMENT } from '../lettering.ts';
import { type EndReason, ImageProcessEnded } from './errors.ts';
import type { ChildMessage, TaskMessage } from './messages.ts';
import { readUsage, threadsOf } from './usage.ts';
import { type TaskLimits, watchUsage } from './watch.ts';

/** A child process that works on one image at a time. Once a task was cut short it is gone. */
export interface ImageProcess extends AsyncDisposable {
  readonly alive: boolean;
  readonly pid: number;
  rssBytes(): number;
  /**
   * @throws ImageError for what is wrong with the image; ImageProcessEnded when the process took too much or crashed;
   * the signal's reason; any other Error for a defect
   */
  run(message: TaskMessage, limits: TaskLimits, signal: AbortSignal): Promise<unknown>;
}

/** How the child's module is run: Node's own arguments, then the file. */
export interface EntryPoint {
  execArgv: readonly string[];
  file: string;
  cwd: string;
}

/**
 * Nothing of the parent's environment, which holds credentials. Two malloc arenas keep freed memory from piling up in
 * one for each of libuv's threads.
 */
const ENVIRONMENT = { NODE_ENV: 'production', MALLOC_ARENA_MAX: '2', ...FONT_ENVIRONMENT };
const STDERR_KEPT = 2000;
/** Work on images gives way to all other processes that it may share a machine with. */
const PRIORITY = constants.priority.PRIORITY_LOW;

/** Starts a child and resolves once it takes tasks. @throws Error with what it wrote when it ends before */
export async function startImageProcess({ execArgv, file, cwd }: EntryPoint): Promise<ImageProcess> {
  const child = fork(file, [], {
    cwd,
    execArgv: [...execArgv],
    env: ENVIRONMENT,
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const stderr = keepEndOf(child);
  await untilReady(child, stderr);
  const pid = child.pid ?? 0;
  giveWay(pid);
  return {
    pid,
    get alive() {
      return isAlive(child);
    },
    rssBytes: () => readUsage(pid)?.rssBytes ?? 0,
    run: (message, limits, signal) => runTask(child, message, { limits, signal, stderr }),
    async [Symbol.asyncDispose]() {
      await kill(child);
    },
  };
}

/** Linux has a priority for each thread: those there are by now do the work, and any more inherit it. */
function giveWay(pid: number): void {
  for (const thread of threadsOf(pid)) {
    try {
      setPriority(thread, PRIORITY);
    } catch {
      // It has ended.
    }
  }
}

const STOPS = new Set(['SIGTERM', 'SIGINT', 'SIGHUP']);

function reasonOf(signal: string | null): EndReason {
  if (signal === null) return 'crash';
  if (signal === 'SIGKILL') return 'killed';
  return STOPS.has(signal) ? 'stopped' : 'crash';
}

const isAlive = ({ exitCode, signalCode, killed }: ChildProcess) =>
  exitCode === null && signalCode === null && !killed;

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

function keepEndOf(child: ChildProcess): () => string {
  let kept = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    kept = (kept + text).slice(-STDERR_KEPT);
  });
  return () => kept.trim();
}

function untilReady(child: ChildProcess, stderr: () => string): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (cause?: unknown) =>
      reject(new Error(`The image process did not start. ${stderr()}`.trim(), { cause }));
    child.once('error', fail);
    child.once('exit', fail);
    child.once('message', () => {
      child.off('exit', fail);
      resolve();
    });
  });
}

interface Run {
  limits: TaskLimits;
  signal: AbortSignal;
  stderr: () => string;
}

async function runTask(
  child: ChildProcess,
  message: TaskMessage,
  { limits, signal, stderr }: Run,
): Promise<unknown> {
  signal.throwIfAborted();
  let cutShort: unknown;
  const end = (why: unknown) => {
    cutShort ??= why;
    child.kill('SIGKILL');
  };
  const stop = () => end(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  using _ = watchUsage(child.pid ?? 0, limits, end);
  try {
    return outputOf(await exchange(child, message));
  } catch (error) {
    if (!(error instanceof ImageProcessEnded)) throw error;
    throw cutShort ?? new ImageProcessEnded(error.reason, `${error.message} ${stderr()}`.trim());
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Sends a task and waits for its answer or the end of the process. */
function exchange(child: ChildProcess, message: TaskMessage): Promise<ChildMessage> {
  return new Promise((resolve, reject) => {
    const settle = (conclude: () => void) => {
      child.off('message', onMessage);
      child.off('exit', onExit);
      conclude();
    };
    const onMessage = (answer: unknown) => settle(() => resolve(answer as ChildMessage));
    const onExit = (code: number | null, signal: string | null) =>
      settle(() =>
        reject(new ImageProcessEnded(reasonOf(signal), `The image process ended (${signal ?? code}).`)),
      );
    child.on('message', onMessage);
    child.on('exit', onExit);
    if (!isAlive(child)) return onExit(child.exitCode, child.signalCode);
    // A channel that breaks is followed by the exit.
    child.send(message, () => {});
  });
}

function outputOf(answer: ChildMessage): unknown {
  switch (answer.kind) {
    case 'done':
      return answer.output;
    case 'imageError':
      throw new ImageError(answer.message, { cause: new Error(answer.cause) });
    case 'failed':
      throw new Error(answer.message);
    case 'ready':
      throw new Error('The image process was ready twice.');
  }
}
