import { invalidRequest } from '../../lib/contract/api-errors.ts';
import { LIMITS } from '../../lib/contract/limits.ts';
import { NotFound } from '../../lib/domain/errors.ts';

/**
 * One page of a list.
 * @param read is asked for one row more, which tells whether more follow; throws NotFound for an unknown cursor
 * @throws ApiError invalid_request, the same for a cursor that is unknown and one of another account
 */
export async function readPage<T, R>(
  limit: number = LIMITS.listPageDefault,
  read: (limit: number) => Promise<readonly T[]>,
  present: (row: T) => R,
): Promise<{ data: R[]; has_more: boolean }> {
  const rows = await read(limit + 1).catch((error: unknown) => {
    if (!(error instanceof NotFound)) throw error;
    throw invalidRequest('starting_after: must be the id of the last row of the page before.');
  });
  return { data: rows.slice(0, limit).map(present), has_more: rows.length > limit };
}
