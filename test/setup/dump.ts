import type { Db, Document } from 'mongodb';
import { prepareDatabase } from '../../lib/stores/mongo/setup.ts';

/** The documents of every collection at one moment. */
export type Dump = ReadonlyMap<string, Document[]>;

/** A consistent copy of a database, as `mongodump --oplog` makes one. */
export async function dumpDatabase(db: Db): Promise<Dump> {
  await using session = db.client.startSession({ snapshot: true });
  const dump = new Map<string, Document[]>();
  for (const { name } of await db.listCollections({}, { nameOnly: true }).toArray())
    dump.set(name, await db.collection(name).find({}, { session }).toArray());
  return dump;
}

/** Replaces the database by the copy; what was written after it is lost. */
export async function restoreDatabase(db: Db, dump: Dump): Promise<void> {
  await db.dropDatabase();
  for (const [name, documents] of dump)
    if (documents.length > 0) await db.collection(name).insertMany(documents);
  await prepareDatabase(db);
}
