import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { type EndReason, ImageError, ImageProcessEnded } from '../errors.ts';
import { FONT_ENVIRONMENT } from '../lettering.ts';
import type { ChildMessage, TaskMessage } from './serve.ts';
import { readUsage, threadsOf } from './usage.ts';
import { type TaskLimits, watchUsage } from './watch.ts';

/**
 * A child process that works on one image at a time. A task that exceeds a limit or is aborted ends
 * the process.
 */
export interface ImageProcess extends AsyncDisposable {
  readonly alive: boolean;
  readonly pid: number;
  rssBytes(): number;
  /**
   * @throws ImageError when the image cannot be used; ImageProcessEnded when the process exceeded a
   * limit or crashed; the signal's reason when aborted; any other Error for a bug in the task
   */
  run(message: TaskMessage, limits: TaskLimits, signal: AbortSignal): Promise<unknown>;
}

/** The module a child runs; `execArgv` is for Node. */
export interface EntryPoint {
  execArgv: readonly string[];
  /** Arguments for the module itself. */
  args?: readonly string[];
  file: string;
  cwd: string;
}

/**
 * Inherits nothing from the parent, whose environment holds credentials. Two malloc arenas, instead
 * of one per libuv thread, limit the freed memory that malloc retains.
 */
const ENVIRONMENT = { NODE_ENV: 'production', MALLOC_ARENA_MAX: '2', ...FONT_ENVIRONMENT };
const STDERR_TAIL = 2000;
/** Image work must not slow down other processes on the machine. */
const PRIORITY = constants.priority.PRIORITY_LOW;

/**
 * Starts a child and resolves once it accepts tasks.
 * @throws Error with the end of its stderr when it exits first
 */
export async function startImageProcess({
  execArgv,
  args = [],
  file,
  cwd,
}: EntryPoint): Promise<ImageProcess> {
  const child = fork(file, [...args], {
    cwd,
    execArgv: [...execArgv],
    env: ENVIRONMENT,
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const stderr = captureStderr(child);
  await untilReady(child, stderr);
  const pid = child.pid ?? 0;
  lowerPriority(pid);
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

/** Linux has a priority per thread: set it for the existing ones; later threads inherit it. */
function lowerPriority(pid: number): void {
  for (const thread of threadsOf(pid)) {
    try {
      setPriority(thread, PRIORITY);
    } catch {
      // The thread has ended.
    }
  }
}

const STOP_SIGNALS = new Set(['SIGTERM', 'SIGINT', 'SIGHUP']);

function reasonOf(signal: string | null): EndReason {
  if (signal === null) return 'crash';
  if (signal === 'SIGKILL') return 'killed';
  return STOP_SIGNALS.has(signal) ? 'stopped' : 'crash';
}

const isAlive = ({ exitCode, signalCode, killed }: ChildProcess) =>
  exitCode === null && signalCode === null && !killed;

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

function captureStderr(child: ChildProcess): () => string {
  let tail = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    tail = (tail + text).slice(-STDERR_TAIL);
  });
  return () => tail.trim();
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
  let endReason: unknown;
  const end = (reason: unknown) => {
    endReason ??= reason;
    child.kill('SIGKILL');
  };
  const onAbort = () => end(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  using _ = watchUsage(child.pid ?? 0, limits, end);
  try {
    return outputOf(await exchange(child, message));
  } catch (error) {
    if (!(error instanceof ImageProcessEnded)) throw error;
    throw endReason ?? new ImageProcessEnded(error.reason, `${error.message} ${stderr()}`.trim());
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function exchange(child: ChildProcess, message: TaskMessage): Promise<ChildMessage> {
  return new Promise((resolve, reject) => {
    const stopListening = () => {
      child.off('message', onMessage);
      child.off('exit', onExit);
    };
    const onMessage = (response: unknown) => {
      stopListening();
      resolve(response as ChildMessage);
    };
    const onExit = (code: number | null, signal: string | null) => {
      stopListening();
      reject(new ImageProcessEnded(reasonOf(signal), `The image process ended (${signal ?? code}).`));
    };
    child.on('message', onMessage);
    child.on('exit', onExit);
    if (!isAlive(child)) return onExit(child.exitCode, child.signalCode);
    // Errors are ignored: a broken channel is followed by the exit.
    child.send(message, () => {});
  });
}

function outputOf(response: ChildMessage): unknown {
  switch (response.kind) {
    case 'done':
      return response.output;
    case 'imageError':
      throw new ImageError(response.message, { cause: new Error(response.cause) });
    case 'failed':
      throw new Error(response.message);
    case 'ready':
      throw new Error('The image process sent `ready` twice.');
  }
}
