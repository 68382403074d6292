import { GeneratorError } from './errors.ts';
import { LIVENESS, type Liveness } from './open-calls.ts';

/** Says every few seconds that the process of a call is alive. Stops when it is disposed. */
export interface KeepAlive extends Disposable {
  start(): void;
  /** Aborts when nobody needs the call any more. */
  ended: AbortSignal;
}

/** @param beat see CallLog.beat. While it fails, the call goes on. */
export function keepAlive(beat: () => Promise<boolean>, { beatMs }: Liveness = LIVENESS): KeepAlive {
  const ended = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const check = async () => {
    if (await beat()) return;
    clearInterval(timer);
    ended.abort(new GeneratorError({ kind: 'exhausted' }, 'The job has ended.'));
  };
  return {
    ended: ended.signal,
    start() {
      timer = setInterval(() => check().catch(() => {}), beatMs);
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
