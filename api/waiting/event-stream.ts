import { WAITING } from '../../lib/contract/limits.ts';
import type { Job } from '../../lib/contract/schemas.ts';
import type { JobRecord } from '../../lib/domain/records.ts';
import type { UsualTimes } from './usual-times.ts';
import type { Waiter } from './waiters.ts';

export interface Watched {
  /** The job as it was read after the waiter was registered. */
  job: JobRecord;
  /** Undefined when the request may not wait: the stream ends after its first events. */
  waiter: Waiter | undefined;
  /** The status that the client had received before it connected again. */
  lastEventId: string | undefined;
  usualTimes: Pick<UsualTimes, 'saw' | 'progress'>;
  present: (job: JobRecord) => Job;
}

/** Times in milliseconds. */
export type StreamTimes = Readonly<Record<'streamMs' | 'heartbeatMs' | 'progressMs' | 'reconnectMs', number>>;

/**
 * The server-sent events of a job (HTML Standard, 9.2): `status` with the job, at the beginning and
 * when it has ended; `progress` while it is processing, if it is known what its tool usually takes.
 * Comments keep the connection open. A stream that ends before the job makes its client connect
 * again.
 */
export async function* eventsOf(
  { job, waiter, lastEventId, usualTimes, present }: Watched,
  { streamMs, heartbeatMs, progressMs, reconnectMs }: StreamTimes = WAITING,
): AsyncGenerator<string> {
  const start = performance.now();
  let nextBeat = start + heartbeatMs;
  // Spread at random, because all streams of a process end at once when it stops.
  yield `retry: ${Math.round(reconnectMs * (1 + Math.random()))}\n\n`;
  if (job.status !== lastEventId) yield statusEvent(present(job));
  if (job.status !== 'processing') return;
  yield* progressEvent(usualTimes.progress(job));
  while (waiter?.isOver === false && performance.now() < start + streamMs) {
    const news = await waiter.news(progressMs);
    if (news === 'gone') return yield comment('The job was deleted.');
    if (news === 'revoked') return yield comment('The key was revoked or its account is disabled.');
    if (news !== undefined) {
      const ended = { ...job, ...news };
      usualTimes.saw(ended);
      return yield statusEvent(present(ended));
    }
    yield* progressEvent(usualTimes.progress(job));
    if (performance.now() < nextBeat) continue;
    nextBeat += heartbeatMs;
    yield comment('still processing');
  }
  yield comment('Connect again.');
}

/** The id is the status, the same from every process. */
const statusEvent = (job: Job) => `id: ${job.status}\nevent: status\ndata: ${JSON.stringify(job)}\n\n`;

function* progressEvent(progress: object | undefined): Generator<string> {
  if (progress !== undefined) yield `event: progress\ndata: ${JSON.stringify(progress)}\n\n`;
}

const comment = (text: string) => `: ${text}\n\n`;
