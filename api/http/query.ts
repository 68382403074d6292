import type { FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import { invalidRequest } from '../../lib/contract/api-errors.ts';
import { LIMITS } from '../../lib/contract/limits.ts';
import { NotFound } from '../../lib/domain/errors.ts';

/** The keywords of a parameter's schema that are checked here. */
interface Parameter {
  type?: string;
  enum?: readonly unknown[];
  format?: string;
  minimum?: number;
  maximum?: number;
}

/** A preValidation hook that reads the query by {@link queryReader}. */
export function checkQuery(schema: QuerySchema) {
  const read = queryReader(schema);
  return async (request: FastifyRequest): Promise<void> => {
    request.query = read(request);
  };
}

type QuerySchema = TSchema & { properties: Record<string, object> };

/**
 * Reads the query of an operation. Fastify's validator alone would read `true` as 1 and join
 * repeated parameters, and its parser takes a malformed percent-encoding literally. Parameters that
 * the schema does not have are ignored, as unknown fields of a body are. A parameter of the schema
 * in another spelling is an error: `dryRun` would be charged.
 * @returns a function that throws ApiError invalid_request, with the values that are allowed
 */
export function queryReader<T extends QuerySchema>(schema: T) {
  const { properties } = schema;
  const names = new Map(Object.keys(properties).map((name) => [lettersOf(name), name]));
  return (request: FastifyRequest): Static<T> => {
    checkEncoding(request.url);
    const sent = request.query as Record<string, unknown>;
    for (const name of Object.keys(sent)) {
      const meant = names.get(lettersOf(name));
      if (meant !== undefined && meant !== name)
        throw invalidRequest(`${meant}: must be written like this, not ${JSON.stringify(name)}.`);
    }
    const known = Object.entries(properties).filter(([name]) => sent[name] !== undefined);
    return Object.fromEntries(
      known.map(([name, parameter]) => [name, checked(name, parameter, sent[name])]),
    ) as Static<T>;
  };
}

const lettersOf = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '');

function checkEncoding(url: string): void {
  try {
    decodeURIComponent(url.slice(url.indexOf('?') + 1));
  } catch {
    throw invalidRequest(
      'The query must be percent-encoded UTF-8, such as %C3%A9 for é; a % is written %25.',
    );
  }
}

function checked(name: string, schema: Parameter, value: unknown): string | number {
  if (typeof value !== 'string') throw invalidRequest(`${name}: must be sent once.`);
  if (schema.type === 'integer') return integerOf(name, schema, value);
  if (schema.enum !== undefined && !schema.enum.includes(value))
    throw invalidRequest(`${name}: must be one of ${schema.enum.join(', ')}.`);
  if (schema.format === 'date-time' && instantOf(value) === undefined)
    throw invalidRequest(
      `${name}: must be an RFC 3339 time such as 2026-11-22T09:30:00Z; a + of an offset is written %2B.`,
    );
  return value;
}

function integerOf(name: string, { minimum = 0, maximum = Infinity }: Parameter, value: string): number {
  const integer = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
  if (integer >= minimum && integer <= maximum) return integer;
  throw invalidRequest(`${name}: must be a whole number from ${minimum} to ${maximum}.`);
}

const DATE_TIME =
  /^(\d{4}-\d\d-\d\d)[Tt](?:[01]\d|2[0-3]):\d\d:\d\d(?:\.\d{1,3}(\d{0,17}))?(?:[Zz]|[+-]\d\d:\d\d)$/;

/**
 * An RFC 3339 time, rounded up to a millisecond; undefined if it is none, or names a leap second.
 */
export function instantOf(text: string): Date | undefined {
  const [, date = '', beyond = ''] = DATE_TIME.exec(text) ?? [];
  const ms = Date.parse(text.toUpperCase());
  if (date === '' || Number.isNaN(ms) || !isOfCalendar(date)) return undefined;
  return new Date(/[1-9]/.test(beyond) ? ms + 1 : ms);
}

/** Date.parse takes 30 February for 2 March. */
const isOfCalendar = (date: string) => new Date(`${date}T00:00:00Z`).toISOString().startsWith(date);

/**
 * One page of a list.
 * @param read is asked for one row more, which tells whether more follow; throws NotFound for an
 * unknown cursor
 * @throws ApiError invalid_request, the same for a cursor that is unknown and one of another
 * account
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
