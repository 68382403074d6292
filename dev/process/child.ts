import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { logTail } from './log-tail.ts';
import { removePidFile, signalGroup, writePidFile } from './pid-file.ts';

export type ChildSpec = {
  name: string;
  command: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  cwd?: string;
  /** Resolves when the child is ready; rejects otherwise. Must stop on the signal. */
  probe: (signal: AbortSignal) => Promise<unknown>;
  /** How long the probe may fail after a start. */
  readyWithinMs: number;
  /** Time between SIGTERM and SIGKILL. */
  graceMs: number;
};

export type Host = { logFile: string; pidFolder: string; say: (line: string) => void; signal: AbortSignal };

const PROBE_MS = 3_000;
const FIRST_BACKOFF_MS = 250;
const LONGEST_BACKOFF_MS = 10_000;
/** After running this long, the backoff is reset. */
const HEALTHY_MS = 30_000;

/** A child process in a process group of its own, restarted when it ends unexpectedly. */
export class Child implements AsyncDisposable {
  readonly #spec: ChildSpec;
  readonly #host: Host;
  #process: ChildProcess | undefined;
  #exited: Promise<void> = Promise.resolve();
  #phase: 'down' | 'starting' | 'up' = 'down';
  #restart: NodeJS.Timeout | undefined;
  #backoffMs = FIRST_BACKOFF_MS;
  #runs = 0;
  #exitReason = '';
  readonly #onParentExit = () => this.kill('SIGTERM');

  constructor(spec: ChildSpec, host: Host) {
    this.#spec = spec;
    this.#host = host;
  }

  get name(): string {
    return this.#spec.name;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /**
   * Starts the child if it is down; resolves when it is ready.
   * @throws {Error} with the end of its log
   */
  async start(): Promise<void> {
    if (this.#phase === 'down') {
      this.#phase = 'starting';
      process.once('exit', this.#onParentExit);
      this.#launch();
    }
    try {
      await this.ready();
      this.#phase = 'up';
    } catch (cause) {
      await this.stop();
      throw cause;
    }
  }

  /** Resolves when the probe succeeds. */
  async ready(): Promise<void> {
    const { probe, readyWithinMs } = this.#spec;
    const deadline = Date.now() + readyWithinMs;
    let problem: unknown;
    // Back off: a child that starts slowly needs the processor for itself.
    for (let wait = 50; ; wait = Math.min(wait * 1.5, 500)) {
      try {
        this.#host.signal.throwIfAborted();
        if (await this.#isReady(probe)) return;
      } catch (cause) {
        problem = cause;
      }
      this.#host.signal.throwIfAborted();
      if (!this.#process && this.#phase !== 'up')
        throw this.#failure(`ended with ${this.#exitReason} before it was ready`);
      if (Date.now() > deadline)
        throw this.#failure(`was not ready within ${readyWithinMs / 1000} s`, problem);
      await delay(wait, undefined, { signal: this.#host.signal });
    }
  }

  /** Sends a signal. If the child ends, it is restarted. */
  kill(signal: NodeJS.Signals): void {
    if (this.pid !== undefined) signalGroup(this.pid, signal);
  }

  pause(): void {
    this.kill('SIGSTOP');
  }

  resume(): void {
    this.kill('SIGCONT');
  }

  /** Stops the child until `start` is called; SIGKILL skips its graceful shutdown. */
  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    this.#phase = 'down';
    clearTimeout(this.#restart);
    process.removeListener('exit', this.#onParentExit);
    this.kill(signal);
    this.kill('SIGCONT');
    const grace = setTimeout(() => this.kill('SIGKILL'), this.#spec.graceMs);
    await this.#exited;
    clearTimeout(grace);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /** Another program on the port may satisfy the probe, so the child must still be running. */
  async #isReady(probe: ChildSpec['probe']): Promise<boolean> {
    const probed = this.#process;
    if (probed?.pid === undefined) return false;
    await probe(AbortSignal.timeout(PROBE_MS));
    return this.#process === probed;
  }

  #launch(): void {
    const { name, command, args, env, cwd } = this.#spec;
    const { logFile, pidFolder } = this.#host;
    const child = withPrivateUmask(() => {
      mkdirSync(dirname(logFile), { recursive: true });
      const log = openSync(logFile, this.#runs++ === 0 ? 'w' : 'a');
      const started = spawn(command, args, { env, cwd, detached: true, stdio: ['ignore', log, log] });
      closeSync(log);
      return started;
    });
    this.#process = child;
    const started = Date.now();
    this.#exited = new Promise((resolve) => {
      const onEnd = (reason: string) => {
        this.#process = undefined;
        this.#exitReason = reason;
        removePidFile(pidFolder, name);
        resolve();
        if (Date.now() - started > HEALTHY_MS) this.#backoffMs = FIRST_BACKOFF_MS;
        if (this.#phase === 'up') this.#scheduleRestart(reason);
      };
      child.once('error', (cause) => onEnd(cause.message));
      child.once('exit', (code, signal) => onEnd(signal ?? `code ${code}`));
    });
    if (child.pid !== undefined) writePidFile(pidFolder, name, child.pid);
  }

  #scheduleRestart(reason: string): void {
    const wait = this.#backoffMs;
    this.#backoffMs = Math.min(wait * 2, LONGEST_BACKOFF_MS);
    const { say, logFile } = this.#host;
    say(`${this.name} ended with ${reason}; starting it again in ${wait / 1000} s. Its log: ${logFile}`);
    this.#restart = setTimeout(() => {
      this.#launch();
      this.ready().then(
        () => this.#host.say(`${this.name} is back`),
        (cause) => this.#phase === 'up' && this.#host.say(String(cause.message)),
      );
    }, wait);
  }

  #failure(what: string, cause?: unknown): Error {
    const tail = logTail(this.#host.logFile).join('\n  ');
    const why = cause instanceof Error ? ` (${cause.message})` : '';
    return new Error(`${this.name} ${what}${why}. End of ${this.#host.logFile}:\n  ${tail}`, { cause });
  }
}

/** Files created by the work, and by children it starts, are readable by this user only. */
function withPrivateUmask<T>(work: () => T): T {
  const before = process.umask(0o077);
  try {
    return work();
  } finally {
    process.umask(before);
  }
}
