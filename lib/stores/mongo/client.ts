import { type ClientSession, type Db, MongoClient, MongoServerError, ReadConcern } from 'mongodb';
import type { Config } from '../../process/config/config.ts';
import { bounded, within } from './bounded.ts';

const CONNECT_TIMEOUT_MS = 4000;
const CLOSE_TIMEOUT_MS = 3000;
const DUPLICATE_KEY = 11000;
const SNAPSHOT_UNAVAILABLE = 246;

/** Timeouts in milliseconds. */
export interface Timeouts {
  /** One reply of the server; 0 waits without a limit while the connection is open. */
  answerMs: number;
  /**
   * One operation. Longer than `answerMs`, so that the driver closes the socket of an unresponsive
   * server first.
   */
  operationMs: number;
  /**
   * Time for retries of a transaction after write conflicts; the last attempt may take
   * `operationMs` longer.
   */
  collisionsMs: number;
}

const TIMEOUTS: Timeouts = { answerMs: 8000, operationMs: 10_000, collisionsMs: 10_000 };

/**
 * An open database. Writes use `w: majority` and `j: true`. By default an operation ends within 10
 * s, a transaction within 20 s and closing within 3 s, even if the server does not respond.
 */
export interface Mongo extends AsyncDisposable {
  db: Db;
  /**
   * Runs `work` in a transaction and retries it after a write conflict. An error of `work` aborts
   * the transaction.
   * @throws MongoTimeout
   */
  transaction<T>(work: (session: ClientSession) => Promise<T>): Promise<T>;
  /**
   * Runs `work` with a `db` and a session. Reads with both see the database at one moment and do
   * not disturb writers. `work` may run again. MongoDB keeps that moment for five minutes.
   */
  snapshot<T>(work: (db: Db, session: ClientSession) => Promise<T>): Promise<T>;
}

export function openMongo(config: Config['mongo'], timeouts = TIMEOUTS): Mongo {
  const client = createMongoClient(config, timeouts.answerMs);
  return {
    db: bounded(client.db(config.database), timeouts.operationMs),
    transaction: (work) => transaction(client, timeouts, work),
    snapshot: (work) => snapshot(client, config.database, timeouts, work),
    [Symbol.asyncDispose]: () => closeClient(client),
  };
}

export function createMongoClient(config: Config['mongo'], answerMs: Timeouts['answerMs']): MongoClient {
  return new MongoClient(config.url, {
    appName: 'image-job-api',
    writeConcern: { w: 'majority', journal: true },
    readConcern: { level: 'majority' },
    serverSelectionTimeoutMS: CONNECT_TIMEOUT_MS,
    connectTimeoutMS: CONNECT_TIMEOUT_MS,
    waitQueueTimeoutMS: CONNECT_TIMEOUT_MS,
    socketTimeoutMS: answerMs,
    ignoreUndefined: true,
    // Both files imply TLS; without them the URL decides.
    ...(config.caFile === '' ? {} : { tls: true, tlsCAFile: config.caFile }),
    ...(config.certKeyFile === '' ? {} : { tls: true, tlsCertificateKeyFile: config.certKeyFile }),
  });
}

/**
 * Resolves within 3 s. Running operations are aborted; the rest of an orderly shutdown is optional.
 */
export const closeClient = (client: MongoClient): Promise<void> =>
  within(CLOSE_TIMEOUT_MS, client.close()).catch(() => {});

async function transaction<T>(
  client: MongoClient,
  { operationMs, collisionsMs }: Timeouts,
  work: (session: ClientSession) => Promise<T>,
): Promise<T> {
  const session = client.startSession();
  const deadline = Date.now() + collisionsMs;
  const attempts = session.withTransaction(() => {
    if (Date.now() > deadline)
      throw new Error('The transaction still conflicts with others after all retries.');
    return work(session);
  });
  try {
    return await within(collisionsMs + operationMs, attempts);
  } finally {
    // Aborts an attempt that is still running, so that it cannot commit later. It is not awaited,
    // because it may hang too.
    session.endSession().catch(() => {});
  }
}

type Snapshot = Parameters<Parameters<Mongo['snapshot']>[0]>;

async function snapshot<T>(
  client: MongoClient,
  database: string,
  { operationMs, collisionsMs }: Timeouts,
  work: (...snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  const deadline = Date.now() + collisionsMs;
  for (;;) {
    const session = client.startSession({ snapshot: true });
    // A new read concern each time, because the driver writes the time of the snapshot into it.
    const db = bounded(client.db(database, { readConcern: new ReadConcern('snapshot') }), operationMs);
    try {
      return await work(db, session);
    } catch (error) {
      if (!isSnapshotUnavailable(error) || Date.now() > deadline) throw error;
    } finally {
      session.endSession().catch(() => {});
    }
  }
}

/** MongoDB has no snapshot for a moment after it creates a collection or an index. */
const isSnapshotUnavailable = (error: unknown) =>
  error instanceof MongoServerError && error.code === SNAPSHOT_UNAVAILABLE;

export const isDuplicateKey = (error: unknown) =>
  error instanceof MongoServerError && error.code === DUPLICATE_KEY;
