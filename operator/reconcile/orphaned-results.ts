import type { ObjectRef } from '../../lib/domain/records.ts';
import { ANY_AGE } from '../../lib/stores/image-store.ts';
import type { Deps } from '../deps.ts';

/** Objects per page. */
const PAGE = 1000;

/**
 * Keys of results written since then that belong to no job. Before a repair, those of lost jobs are
 * among them.
 */
export async function* findOrphanedResults(
  deps: Pick<Deps, 'images' | 'stores'>,
  since: Date,
): AsyncGenerator<string> {
  // S3 knows the time of an object to the second.
  const second = Math.floor(since.getTime() / 1000) * 1000;
  let after: string | undefined;
  do {
    const { found, next } = await deps.images().list('results', ANY_AGE, after, PAGE);
    const written = found.filter(({ lastModified }) => lastModified.getTime() >= second);
    const refs = written.map(({ key }): ObjectRef => ({ bucket: 'results', key }));
    for (const { key } of await deps.stores().retention.unowned(refs)) yield key;
    after = next;
  } while (after !== undefined);
}
