/** The most findings of a kind that are kept to be shown; further ones are counted. */
const SHOWN = 1000;

/** Counts what is found, and keeps the first of it: a report of years must fit the memory. */
export function createFindings<T>() {
  const shown: T[] = [];
  let count = 0;
  return {
    shown,
    add(finding: T): void {
      count += 1;
      if (shown.length < SHOWN) shown.push(finding);
    },
    get count() {
      return count;
    },
  };
}
