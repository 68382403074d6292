import type { ChangeStream, Collection, ResumeToken } from 'mongodb';
import type { Config } from '../../process/config/config.ts';
import { pause } from '../../process/countdown.ts';
import type { JobEnd, JobFeed, JobNews } from '../job-feed.ts';
import { createJobListeners, type JobListeners } from '../job-listeners.ts';
import { type Mongo, openMongo } from './client.ts';
import { collections, type JobDocument } from './documents.ts';

/** How long the server waits for a change before it answers. Less than the client waits for an answer. */
const AWAIT_MS = 5000;
const PAUSE_MS = 1000;
/** Most jobs that are read again by one query. */
const BATCH = 1000;
const END_FIELDS = ['status', 'results', 'error', 'failureReason', 'completedAt', 'processingMs'] as const;

/** A change, with the fields of {@link END_FIELDS} that it has set. A job that is replaced by a tombstone has none. */
interface Change {
  _id: ResumeToken;
  jobId: string;
  set: Partial<Pick<JobDocument, (typeof END_FIELDS)[number]>>;
}

/** Filtered by the server: an acceptance or a replay sends nothing. */
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
 * One change stream for all listeners of the process, on a connection of its own. It is opened for the first listener,
 * so a process that has none costs MongoDB nothing, and stays open until the feed is closed.
 * @param onFailure called with the error after which the stream has to be opened again, once until that succeeds
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

  /** Once the stream has failed without listeners, the next one opens it again. */
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
 * Tells the listeners what happens from now on, and what has happened before. The driver resumes the stream by its
 * token, after a failover for example. @throws the error after which it could not
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
      // After the collection was dropped, every further answer would be null, at once.
      if (stream.closed) throw new Error('The change stream was closed.');
      next = stream.tryNext();
    }
  } finally {
    stream.close().catch(() => {});
  }
}

/** Resolves once the server has opened the stream; rejects if it does not. */
async function opened(stream: ChangeStream<JobDocument, Change>, first: Promise<unknown>): Promise<void> {
  // Awaited later, unless reading again fails before.
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
  return { status, completedAt, processingMs, ...set } satisfies JobEnd;
}
