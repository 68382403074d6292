import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { BenchCaller } from '../callers.ts';

/** Measurements of an ordinary account during an attack. */
export interface Bystander {
  /** Milliseconds of each POST. */
  posts: number[];
  /** Milliseconds of each GET. */
  gets: number[];
  /** Method and status of failed requests. */
  failed: string[];
}

/** Messages to its process: first the target and the body, then `begin` and `end` of each period. */
export type BystanderMessage =
  | { origin: string; callers: readonly BenchCaller[]; body: string }
  | 'begin'
  | 'end';

export interface Watching extends AsyncDisposable {
  /** Starts sending requests. */
  begin(): void;
  /** POSTs since `begin`. */
  readonly posts: number;
  /** Stops, and resolves to the measurements since `begin`. */
  end(): Promise<Bystander>;
}

/** Starts a process that sends requests of ordinary accounts, one at a time, with rotating keys and addresses. */
export function startBystander(origin: string, callers: readonly BenchCaller[], body: Buffer): Watching {
  const child = fork(new URL('./bystander-process.ts', import.meta.url), { execArgv: ['--import', 'tsx'] });
  const send = (message: BystanderMessage) => child.send(message);
  let posts = 0;
  child.on('message', (message) => {
    if (typeof message === 'number') posts = message;
  });
  send({ origin, callers, body: body.toString() });
  return {
    begin() {
      posts = 0;
      send('begin');
    },
    get posts() {
      return posts;
    },
    end() {
      const result = new Promise<Bystander>((resolve) => {
        child.on('message', function onResult(message: unknown) {
          if (typeof message === 'number') return;
          child.off('message', onResult);
          resolve(message as Bystander);
        });
      });
      send('end');
      return result;
    },
    async [Symbol.asyncDispose]() {
      const exited = once(child, 'exit');
      child.kill();
      await exited;
    },
  };
}
