import type { JobFeed } from '../../lib/stores/job-feed.ts';
import type { Books } from './books.ts';

/** Tells what the fake stores with these books do. */
export function createFakeJobFeed({ listeners }: Pick<Books, 'listeners'>): JobFeed {
  return { subscribe: listeners.add, async [Symbol.asyncDispose]() {} };
}
