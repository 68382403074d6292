import { type ClientSession, type Db, MongoClient, MongoServerError } from 'mongodb';
import type { Config } from '../../config.ts';

const OPERATION_TIMEOUT_MS = 8000;
const SERVER_SELECTION_TIMEOUT_MS = 4000;
const DUPLICATE_KEY = 11000;

/** An open database. Writes are acknowledged by a majority and the journal, and every operation ends within 8 s. */
export interface Mongo extends AsyncDisposable {
  db: Db;
  /** Runs the work in a transaction, again when it collides with another one; what it throws aborts it. */
  transaction<T>(work: (session: ClientSession) => Promise<T>): Promise<T>;
}

export function openMongo(config: Config['mongo']): Mongo {
  const client = new MongoClient(config.url, {
    appName: 'image-job-api',
    writeConcern: { w: 'majority', journal: true },
    readConcern: { level: 'majority' },
    serverSelectionTimeoutMS: SERVER_SELECTION_TIMEOUT_MS,
    timeoutMS: OPERATION_TIMEOUT_MS,
    ignoreUndefined: true,
  });
  return {
    db: client.db(config.database),
    transaction: (work) => client.withSession((session) => session.withTransaction(() => work(session))),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

export const isDuplicateKey = (error: unknown) =>
  error instanceof MongoServerError && error.code === DUPLICATE_KEY;
