/** How long the items of one page are seen to; well below what an activity of the sweep may take. */
const PAGE_MS = 60_000;
export const pageDeadline = () => Date.now() + PAGE_MS;

/** Problems told of one page; beyond them it is one and the same. */
const TOLD = 10;

/** What went wrong with single items, which keep the sweep from nothing else. */
export interface Failures {
  /** How many items could not be seen to; the next sweep tries again. */
  failed: number;
  /** The first of them, as sentences. */
  problems: string[];
}

/**
 * Sees to the items of a page, `width` side by side. One that fails holds nobody up. When many take long, the rest is
 * left for another page.
 * @returns how many were seen to
 */
export async function seeTo<T>(
  items: readonly T[],
  width: number,
  idOf: (item: T) => string,
  work: (item: T) => Promise<unknown>,
): Promise<Failures & { seen: number }> {
  const deadline = pageDeadline();
  const problems: string[] = [];
  let seen = 0;
  while (seen < items.length && (seen === 0 || Date.now() < deadline)) {
    const group = items.slice(seen, seen + width);
    const outcomes = await Promise.allSettled(group.map(work));
    for (const [n, item] of group.entries()) {
      const outcome = outcomes[n];
      if (outcome?.status === 'rejected') problems.push(problemOf(idOf(item), outcome.reason));
    }
    seen += group.length;
  }
  return { seen, ...failures(problems) };
}

/**
 * Does the work for all the ids at once. When that fails, for each half apart and so on, down to the ids that it fails
 * for; when time is up, what is left counts as failed.
 * @param work answers for how many it was done
 * @param deadline see {@link pageDeadline}
 */
export async function apart(
  ids: readonly string[],
  work: (ids: readonly string[]) => Promise<number>,
  deadline: number,
): Promise<Failures & { done: number; stuck: string[] }> {
  try {
    return { done: ids.length === 0 ? 0 : await work(ids), stuck: [], ...failures([]) };
  } catch (error) {
    if (ids.length === 1 || Date.now() > deadline)
      return { done: 0, stuck: [...ids], ...failures(ids.map((id) => problemOf(id, error))) };
    const middle = Math.ceil(ids.length / 2);
    const first = await apart(ids.slice(0, middle), work, deadline);
    const second = await apart(ids.slice(middle), work, deadline);
    return {
      done: first.done + second.done,
      stuck: [...first.stuck, ...second.stuck],
      ...bothOf(first, second),
    };
  }
}

export const bothOf = (one: Failures, other: Failures): Failures => ({
  failed: one.failed + other.failed,
  problems: [...one.problems, ...other.problems].slice(0, TOLD),
});

export const NO_FAILURES: Failures = { failed: 0, problems: [] };

const failures = (problems: string[]): Failures => ({
  failed: problems.length,
  problems: problems.slice(0, TOLD),
});

const problemOf = (id: string, error: unknown) =>
  `${id}: ${error instanceof Error ? error.message : String(error)}`;
