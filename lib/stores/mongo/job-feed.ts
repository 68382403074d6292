import type { ChangeStream, Collection, ResumeToken } from 'mongodb';
import type { Config } from '../../process/config/config.ts';
import { pause } from '../../process/countdown.ts';
import type { JobFeed, JobNews } from '../job-feed.ts';
import { createJobListeners, type JobListeners } from '../job-feed.ts';
import { type Mongo, openMongo } from './client.ts';
import { collections, type JobDocument } from './documents.ts';

/**
 * How long the server waits for a change before it answers. Less than the client waits for an
 * answer.
 */
const AWAIT_MS = 5000;
const PAUSE_MS = 1000;
/** Maximum number of jobs per query. */
const BATCH = 1000;
const END_FIELDS = ['status', 'results', 'error', 'failureReason', 'completedAt', 'processingMs'] as const;

/**
 * A change, with the {@link END_FIELDS} that it has set. A tombstone, which replaces a voided job,
 * sets none.
 */
interface Change {
  _id: ResumeToken;
  jobId: string;
  set: Partial<Pick<JobDocument, (typeof END_FIELDS)[number]>>;
}

/** The server filters, so acceptances and replays send nothing. */
const ENDS = [
  {
    $match: {
      $or: [
        {
          operationType: 'update',
          'updateDescription.updatedFields.status': { $in: ['completed', 'failed', 'deleted'] },
        },
        { operationType: 'replace' },
      ],
    },
  },
  {
    $project: {
      jobId: '$documentKey._id',
      set: Object.fromEntries(END_FIELDS.map((name) => [name, `$updateDescription.updatedFields.${name}`])),
    },
  },
];

/**
 * One change stream for all listeners of the process, on a separate connection. The first listener
 * opens it, so a process without listeners costs MongoDB nothing. It stays open until the feed is
 * closed.
 * @param onFailure called with the error when the stream has failed; not again until the stream was
 * open again
 */
export function openJobFeed(
  config: Config['mongo'],
  onFailure: (error: unknown) => void = () => {},
): JobFeed {
  const listeners = createJobListeners();
  const closing = new AbortController();
  let mongo: Mongo | undefined;
  let isFollowing = false;
  let isFailing = false;

  /** If the stream fails while there is no listener, the next listener opens it again. */
  async function followUntilClosed(): Promise<void> {
    isFollowing = true;
    while (listeners.size > 0 && !closing.signal.aborted) {
      mongo ??= openMongo(config);
      const onOpen = () => {
        isFailing = false;
      };
      await follow(collections(mongo.db).jobs, listeners, onOpen).catch((error: unknown) => {
        if (!isFailing && !closing.signal.aborted) onFailure(error);
        isFailing = true;
      });
      await pause(PAUSE_MS, closing.signal).catch(() => {});
    }
    isFollowing = false;
  }

  return {
    subscribe(jobId, listener) {
      const unsubscribe = listeners.add(jobId, listener);
      if (!isFollowing) void followUntilClosed();
      return unsubscribe;
    },
    async [Symbol.asyncDispose]() {
      closing.abort();
      // Ends the stream too.
      await mongo?.[Symbol.asyncDispose]();
    },
  };
}

/**
 * Tells the listeners what happens from now on, and what has happened before. The driver resumes
 * the stream by itself, for example after a failover.
 * @throws the error after which the driver could not resume it
 */
async function follow(
  jobs: Collection<JobDocument>,
  listeners: JobListeners,
  onOpen: () => void,
): Promise<never> {
  const stream = jobs.watch<JobDocument, Change>(ENDS, { maxAwaitTimeMS: AWAIT_MS });
  try {
    let next = stream.tryNext();
    await opened(stream, next);
    await readAgain(jobs, listeners);
    onOpen();
    for (;;) {
      const change = await next;
      if (change !== null) listeners.tell(change.jobId, newsOf(change.set));
      // When the collection was dropped, tryNext() would return null at once, forever.
      if (stream.closed) throw new Error('The change stream was closed.');
      next = stream.tryNext();
    }
  } finally {
    stream.close().catch(() => {});
  }
}

/** Resolves once the server has opened the stream; rejects if it does not. */
async function opened(stream: ChangeStream<JobDocument, Change>, first: Promise<unknown>): Promise<void> {
  // The caller awaits it later, unless it fails before.
  first.catch(() => {});
  await Promise.race([first, new Promise((resolve) => stream.once('resumeTokenChanged', resolve))]);
}

/** Tells of the jobs with listeners that ended before the stream began. */
async function readAgain(jobs: Collection<JobDocument>, listeners: JobListeners): Promise<void> {
  const waiting = listeners.jobIds();
  const projection = Object.fromEntries(END_FIELDS.map((name) => [name, 1]));
  for (let n = 0; n < waiting.length; n += BATCH) {
    const ids = waiting.slice(n, n + BATCH);
    const found = await jobs.find({ _id: { $in: ids } }, { projection }).toArray();
    const byId = new Map<string, Change['set']>(found.map(({ _id, ...set }) => [_id, set]));
    for (const id of ids) {
      const set = byId.get(id) ?? {};
      if (set.status !== 'processing') listeners.tell(id, newsOf(set));
    }
  }
}

function newsOf({ status, completedAt = null, processingMs = null, ...set }: Change['set']): JobNews {
  if (status !== 'completed' && status !== 'failed') return 'gone';
  return { status, completedAt, processingMs, ...set };
}
