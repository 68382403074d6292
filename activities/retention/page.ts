import type { RetentionCounts } from '../../lib/protocol/retention.ts';

/** What a batch has done. */
export interface Done<Counts> {
  counts: Partial<Counts>;
  /** Id and error message of items that failed. */
  problems?: string[];
}

/** Result of one batch of a step. */
export interface Batch<Counts> extends Done<Counts> {
  /** The cursor of the following batch; null when the step is done. */
  next: string | null;
}

export type RetentionBatch = Batch<RetentionCounts>;

/** Time limit for the items of one page; well below the timeout of a retention activity. */
const PAGE_MS = 60_000;
export const pageDeadline = () => Date.now() + PAGE_MS;

/** Problems reported per page; further ones are only counted. */
const MAX_PROBLEMS = 10;

/** The items that failed. The rest of the step goes on without them. */
export interface ItemProblems {
  /** How many items failed; the next run retries them. */
  failed: number;
  /** Id and error message of the first items that failed. */
  problems: string[];
}

/**
 * Processes the items of a page, `width` at a time. A failed item does not stop the others. After
 * the time limit, the next page takes the rest.
 * @returns how many items were processed, failed ones included
 */
export async function processItems<T>(
  items: readonly T[],
  width: number,
  idOfItem: (item: T) => string,
  work: (item: T) => Promise<unknown>,
): Promise<ItemProblems & { processed: number }> {
  const deadline = pageDeadline();
  const problems: string[] = [];
  let processed = 0;
  while (processed < items.length && (processed === 0 || Date.now() < deadline)) {
    const group = items.slice(processed, processed + width);
    const outcomes = await Promise.allSettled(group.map(work));
    for (const [n, item] of group.entries()) {
      const outcome = outcomes[n];
      if (outcome?.status === 'rejected') problems.push(problemOf(idOfItem(item), outcome.reason));
    }
    processed += group.length;
  }
  return { processed, ...failures(problems) };
}

/**
 * Does the work for all ids in one call. If that fails, bisects down to the ids that fail. After
 * the deadline, all remaining ids count as failed.
 * @param work returns how many ids it was done for
 * @param deadline see {@link pageDeadline}
 */
export async function bisect(
  ids: readonly string[],
  work: (ids: readonly string[]) => Promise<number>,
  deadline: number,
): Promise<ItemProblems & { done: number; stuck: string[] }> {
  try {
    return { done: ids.length === 0 ? 0 : await work(ids), stuck: [], ...failures([]) };
  } catch (error) {
    if (ids.length === 1 || Date.now() > deadline)
      return { done: 0, stuck: [...ids], ...failures(ids.map((id) => problemOf(id, error))) };
    const middle = Math.ceil(ids.length / 2);
    const first = await bisect(ids.slice(0, middle), work, deadline);
    const second = await bisect(ids.slice(middle), work, deadline);
    return {
      done: first.done + second.done,
      stuck: [...first.stuck, ...second.stuck],
      ...mergeProblems(first, second),
    };
  }
}

export const mergeProblems = (a: ItemProblems, b: ItemProblems): ItemProblems => ({
  failed: a.failed + b.failed,
  problems: [...a.problems, ...b.problems].slice(0, MAX_PROBLEMS),
});

export const NO_PROBLEMS: ItemProblems = { failed: 0, problems: [] };

const failures = (problems: string[]): ItemProblems => ({
  failed: problems.length,
  problems: problems.slice(0, MAX_PROBLEMS),
});

const problemOf = (id: string, error: unknown) =>
  `${id}: ${error instanceof Error ? error.message : String(error)}`;

export const idOfItem = ({ id }: { id: string }) => id;

/** Cursor of the page after this one; null after the last one. @param limit of a page */
export function nextOf(page: readonly { id: string }[], processed: number, limit: number): string | null {
  if (processed === page.length && page.length < limit) return null;
  return page[processed - 1]?.id ?? null;
}
