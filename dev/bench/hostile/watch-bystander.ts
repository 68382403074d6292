import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { BenchCaller } from '../requests.ts';

export type BystanderStart = { origin: string; callers: readonly BenchCaller[]; body: string };
export type BystanderSample = { method: 'GET' | 'POST'; ms: number; status: number };

export interface Bystander extends AsyncDisposable {
  /** Starts sending requests. */
  begin(): void;
  /** The requests since `begin`. */
  readonly samples: readonly BystanderSample[];
  /** Stops, and resolves to the requests since `begin`. */
  end(): Promise<readonly BystanderSample[]>;
}

/** Starts a process that sends requests of ordinary accounts, one request at a time. */
export function startBystander(start: BystanderStart): Bystander {
  const child = fork(join(import.meta.dirname, 'bystander.ts'), { execArgv: ['--import', 'tsx'] });
  let samples: BystanderSample[] = [];
  let onIdle = () => {};
  child.on('message', (message) => {
    if (message === 'idle') onIdle();
    else samples.push(message as BystanderSample);
  });
  child.send(start);
  return {
    begin() {
      samples = [];
      child.send(true);
    },
    get samples() {
      return samples;
    },
    end() {
      return new Promise((resolve) => {
        onIdle = () => resolve(samples);
        child.send(false);
      });
    },
    async [Symbol.asyncDispose]() {
      const exited = once(child, 'exit');
      child.kill();
      await exited;
    },
  };
}
