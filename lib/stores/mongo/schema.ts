import type { Db } from 'mongodb';
import { collections } from './documents.ts';

/**
 * The schema that this version reads and writes. `version` counts the changes that an older version
 * could not work with. `oldest` is the oldest version whose processes may run beside this one,
 * usually the version before.
 */
const SCHEMA = { version: 1, oldest: 1 } as const;

export type SchemaVersion = Readonly<Record<keyof typeof SCHEMA, number>>;

/** This version cannot work with the database; the message says what to run. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
}

const ID = 'schema';

/**
 * Records that the database is set up for this version. Raises the record of an older version, and
 * never lowers the record of a newer version.
 */
export async function recordSchema(db: Db, { version, oldest }: SchemaVersion = SCHEMA): Promise<void> {
  await collections(db).settings.updateOne(
    { _id: ID },
    { $max: { 'value.version': version, 'value.oldest': oldest } },
    { upsert: true },
  );
}

/**
 * @throws SchemaError when the database is set up for a version that no longer works with this one,
 * or not yet for this one
 */
export async function checkSchema(db: Db, own: SchemaVersion = SCHEMA): Promise<void> {
  const stored = await readSchema(db);
  refuseNewer(stored, own);
  if (stored === undefined || stored.version < own.version)
    throw new SchemaError(`The database is not set up for this version: run \`operator setup\`.`);
}

/** @throws SchemaError when this version is too old to set the database up */
export async function checkSetup(db: Db, own: SchemaVersion = SCHEMA): Promise<void> {
  refuseNewer(await readSchema(db), own);
}

async function readSchema(db: Db): Promise<SchemaVersion | undefined> {
  const setting = await collections(db).settings.findOne({ _id: ID });
  return setting?.value as SchemaVersion | undefined;
}

function refuseNewer(stored: SchemaVersion | undefined, own: SchemaVersion): void {
  if (stored === undefined || stored.oldest <= own.version) return;
  const [needed, has] = [`schema version ${stored.oldest} or later`, `version ${own.version}`];
  throw new SchemaError(`The database needs ${needed}; this process has ${has}: run a newer release.`);
}
