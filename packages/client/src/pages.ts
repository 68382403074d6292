import { ImageJobError } from './errors.ts';
import type { Call, Send } from './transport.ts';

/** A list of the service, newest first. Each iteration reads it again, page by page. */
export interface Pages<Row> extends AsyncIterable<Row> {
  /** The pages themselves, each with up to 100 rows. */
  pages(): AsyncGenerator<Row[], void, undefined>;
}

interface Page<Row> {
  data: Row[];
  has_more: boolean;
}

const PAGE_SIZE = 100;

/** @param idOf returns the id of a row; the service continues a list after an id */
export function listPages<Row>(send: Send, call: Call, idOf: (row: Row) => string): Pages<Row> {
  async function* pages(): AsyncGenerator<Row[], void, undefined> {
    const read = new Set<string>();
    for (let startingAfter: string | undefined; ; ) {
      const query = { ...call.query, limit: PAGE_SIZE, starting_after: startingAfter };
      const { data, has_more } = (await send<Page<Row>>({ ...call, query })).body;
      const last = data.at(-1);
      if (last === undefined) return;
      startingAfter = idOf(last);
      if (read.has(startingAfter)) throw repeated(call.path);
      read.add(startingAfter);
      yield data;
      if (!has_more) return;
    }
  }
  return {
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const page of pages()) yield* page;
    },
  };
}

/**
 * The same page came again: a proxy has lost the query or answers from a cache. Reading on would
 * never end.
 */
function repeated(path: string): ImageJobError {
  const message = `${path} answers with a page that it had before.`;
  return new ImageJobError(message, { code: 'unexpected_response', status: 200 });
}
