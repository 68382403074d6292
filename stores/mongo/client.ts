import { type ClientSession, type Db, MongoClient, MongoServerError } from 'mongodb';
import type { Config } from '../../config.ts';

const ANSWER_TIMEOUT_MS = 8000;
const CONNECT_TIMEOUT_MS = 4000;
/** How long a transaction that collides with others is tried again. */
const COLLISIONS_MS = 10_000;
const DUPLICATE_KEY = 11000;

/** An open database. Writes are acknowledged by a majority and the journal, and no answer is waited for over 8 s. */
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
    serverSelectionTimeoutMS: CONNECT_TIMEOUT_MS,
    connectTimeoutMS: CONNECT_TIMEOUT_MS,
    waitQueueTimeoutMS: CONNECT_TIMEOUT_MS,
    socketTimeoutMS: ANSWER_TIMEOUT_MS,
    ignoreUndefined: true,
  });
  return {
    db: client.db(config.database),
    transaction(work) {
      const deadline = Date.now() + COLLISIONS_MS;
      return client.withSession((session) =>
        session.withTransaction(() => {
          if (Date.now() > deadline) throw new Error('The transaction kept colliding with others.');
          return work(session);
        }),
      );
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

export const isDuplicateKey = (error: unknown) =>
  error instanceof MongoServerError && error.code === DUPLICATE_KEY;
