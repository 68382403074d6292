import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { removePidFile, signalGroup, writePidFile } from './pid-file.ts';

export type ChildSpec = {
  name: string;
  command: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  cwd?: string;
  /** Resolves when the child can be used; rejects while it cannot. Must stop on the signal. */
  probe: (signal: AbortSignal) => Promise<unknown>;
  /** How long it may take until the probe works. */
  readyWithinMs: number;
  /** From SIGTERM to SIGKILL. */
  graceMs: number;
};

export type Host = { logFile: string; pidFolder: string; say: (line: string) => void; signal: AbortSignal };

const PROBE_MS = 3_000;
const FIRST_BACKOFF_MS = 250;
const LONGEST_BACKOFF_MS = 10_000;
/** A child that ran this long is healthy again: the next restart is a quick one. */
const HEALTHY_MS = 30_000;

/** A child process that is started again when it ends unasked. It leads its own process group. */
export class Child implements AsyncDisposable {
  readonly #spec: ChildSpec;
  readonly #host: Host;
  #process: ChildProcess | undefined;
  #exited: Promise<void> = Promise.resolve();
  #phase: 'down' | 'starting' | 'up' = 'down';
  #restart: NodeJS.Timeout | undefined;
  #backoffMs = FIRST_BACKOFF_MS;
  #runs = 0;
  #ending = '';
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

  /** Starts the child when it is down; resolves when it is ready. @throws {Error} with the end of its log. */
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

  /** Resolves when the probe works. */
  async ready(): Promise<void> {
    const { probe, readyWithinMs } = this.#spec;
    const deadline = Date.now() + readyWithinMs;
    let problem: unknown;
    // Asked seldomer the longer it takes: what starts slowly needs the processor for itself.
    for (let wait = 50; ; wait = Math.min(wait * 1.5, 500)) {
      try {
        this.#host.signal.throwIfAborted();
        if (await this.#answers(probe)) return;
      } catch (cause) {
        problem = cause;
      }
      this.#host.signal.throwIfAborted();
      if (!this.#process && this.#phase !== 'up')
        throw this.#failure(`ended with ${this.#ending} before it was ready`);
      if (Date.now() > deadline)
        throw this.#failure(`was not ready within ${readyWithinMs / 1000} s`, problem);
      await delay(wait, undefined, { signal: this.#host.signal });
    }
  }

  /** Sends a signal. When the child ends by it, it is started again. */
  kill(signal: NodeJS.Signals): void {
    if (this.pid !== undefined) signalGroup(this.pid, signal);
  }

  pause(): void {
    this.kill('SIGSTOP');
  }

  resume(): void {
    this.kill('SIGCONT');
  }

  /** Ends the child and leaves it down until `start`; with SIGKILL it gets no chance to tidy up. */
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

  /** What answers the probe may be a stranger on the same port, so the child must outlive it. */
  async #answers(probe: ChildSpec['probe']): Promise<boolean> {
    const asked = this.#process;
    if (asked?.pid === undefined) return false;
    await probe(AbortSignal.timeout(PROBE_MS));
    return this.#process === asked;
  }

  #launch(): void {
    const { name, command, args, env, cwd } = this.#spec;
    const { logFile, pidFolder } = this.#host;
    const child = closedToOthers(() => {
      mkdirSync(dirname(logFile), { recursive: true });
      const log = openSync(logFile, this.#runs++ === 0 ? 'w' : 'a');
      const started = spawn(command, args, { env, cwd, detached: true, stdio: ['ignore', log, log] });
      closeSync(log);
      return started;
    });
    this.#process = child;
    const started = Date.now();
    this.#exited = new Promise((resolve) => {
      const ended = (how: string) => {
        this.#process = undefined;
        this.#ending = how;
        removePidFile(pidFolder, name);
        resolve();
        if (Date.now() - started > HEALTHY_MS) this.#backoffMs = FIRST_BACKOFF_MS;
        if (this.#phase === 'up') this.#scheduleRestart(how);
      };
      child.once('error', (cause) => ended(cause.message));
      child.once('exit', (code, signal) => ended(signal ?? `code ${code}`));
    });
    if (child.pid !== undefined) writePidFile(pidFolder, name, child.pid);
  }

  #scheduleRestart(how: string): void {
    const wait = this.#backoffMs;
    this.#backoffMs = Math.min(wait * 2, LONGEST_BACKOFF_MS);
    this.#host.say(`${this.name} ended with ${how}; starting it again in ${wait / 1000} s`);
    this.#restart = setTimeout(() => {
      this.#launch();
      this.ready().then(
        () => this.#host.say(`${this.name} is back`),
        (cause) => this.#phase === 'up' && this.#host.say(String(cause.message)),
      );
    }, wait);
  }

  #failure(what: string, cause?: unknown): Error {
    const tail = readFileSync(this.#host.logFile, 'utf8').trim().split('\n').slice(-8).join('\n  ');
    const why = cause instanceof Error ? ` (${cause.message})` : '';
    return new Error(`${this.name} ${what}${why}. End of ${this.#host.logFile}:\n  ${tail}`, { cause });
  }
}

/** What is made during the work, and by a child that it starts, is readable by this user alone. */
function closedToOthers<T>(work: () => T): T {
  const before = process.umask(0o077);
  try {
    return work();
  } finally {
    process.umask(before);
  }
}
