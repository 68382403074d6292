import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { BenchCaller } from '../callers.ts';

/** Milliseconds of each request of an account that does nothing unusual. */
export interface Bystander {
  posts: number[];
  gets: number[];
  /** Answers that were no success. */
  failed: string[];
}

/** What its process is told: where to call and with what, then when to begin and to end. */
export type BystanderMessage =
  | { origin: string; callers: readonly BenchCaller[]; body: string }
  | 'begin'
  | 'end';

export interface Watching extends AsyncDisposable {
  /** Has it call from now on. */
  begin(): void;
  /** Posts it has made since it began. */
  readonly posts: number;
  /** What it saw since it began. */
  end(): Promise<Bystander>;
}

/** Another account's calls, one at a time, by keys and addresses that take turns, from a process of their own. */
export function startBystander(origin: string, callers: readonly BenchCaller[], body: Buffer): Watching {
  const child = fork(new URL('./bystander-process.ts', import.meta.url), { execArgv: ['--import', 'tsx'] });
  const tell = (message: BystanderMessage) => child.send(message);
  let posts = 0;
  child.on('message', (message) => {
    if (typeof message === 'number') posts = message;
  });
  tell({ origin, callers, body: body.toString() });
  return {
    begin() {
      posts = 0;
      tell('begin');
    },
    get posts() {
      return posts;
    },
    end() {
      const seen = new Promise<Bystander>((resolve) => {
        child.on('message', function onSeen(message: unknown) {
          if (typeof message === 'number') return;
          child.off('message', onSeen);
          resolve(message as Bystander);
        });
      });
      tell('end');
      return seen;
    },
    async [Symbol.asyncDispose]() {
      const exited = once(child, 'exit');
      child.kill();
      await exited;
    },
  };
}
