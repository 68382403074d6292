import { type ClientSession, type Db, MongoClient, MongoServerError } from 'mongodb';
import type { Config } from '../../config.ts';
import { bounded, within } from './bounded.ts';

const CONNECT_TIMEOUT_MS = 4000;
const CLOSE_TIMEOUT_MS = 3000;
const DUPLICATE_KEY = 11000;

/** How long things may take, in milliseconds. */
export interface Patience {
  /** One answer of the server; 0 waits for as long as the server is there. */
  answerMs: number;
  /** One operation. More than one answer: it is better that the driver gives a silent server up and drops its socket. */
  operationMs: number;
  /** How long a transaction that collides with others is tried again; its last try may take one operation longer. */
  collisionsMs: number;
}

const PATIENCE: Patience = { answerMs: 8000, operationMs: 10_000, collisionsMs: 10_000 };

/**
 * An open database. Writes are acknowledged by a majority and the journal. An operation ends within 10 s, a transaction
 * within 20 s, closing within 3 s, whatever the server or the driver does.
 */
export interface Mongo extends AsyncDisposable {
  db: Db;
  /**
   * Runs the work in a transaction, again when it collides with another one; what it throws aborts it.
   * @throws MongoTimeout
   */
  transaction<T>(work: (session: ClientSession) => Promise<T>): Promise<T>;
}

export function openMongo(config: Config['mongo'], patience = PATIENCE): Mongo {
  const client = createClient(config, patience.answerMs);
  return {
    db: bounded(client.db(config.database), patience.operationMs),
    transaction: (work) => transaction(client, patience, work),
    [Symbol.asyncDispose]: () => closeClient(client),
  };
}

export function createClient(config: Config['mongo'], answerMs: Patience['answerMs']): MongoClient {
  return new MongoClient(config.url, {
    appName: 'image-job-api',
    writeConcern: { w: 'majority', journal: true },
    readConcern: { level: 'majority' },
    serverSelectionTimeoutMS: CONNECT_TIMEOUT_MS,
    connectTimeoutMS: CONNECT_TIMEOUT_MS,
    waitQueueTimeoutMS: CONNECT_TIMEOUT_MS,
    socketTimeoutMS: answerMs,
    ignoreUndefined: true,
  });
}

/** Ends within 3 s: operations under way are cut off at once, and nobody depends on the rest of an orderly end. */
export const closeClient = (client: MongoClient): Promise<void> =>
  within(CLOSE_TIMEOUT_MS, client.close()).catch(() => {});

async function transaction<T>(
  client: MongoClient,
  { operationMs, collisionsMs }: Patience,
  work: (session: ClientSession) => Promise<T>,
): Promise<T> {
  const session = client.startSession();
  const deadline = Date.now() + collisionsMs;
  const attempts = session.withTransaction(() => {
    if (Date.now() > deadline) throw new Error('The transaction kept colliding with others.');
    return work(session);
  });
  try {
    return await within(collisionsMs + operationMs, attempts);
  } finally {
    // Aborts what may still be under way, so that nothing is committed later. Not waited for: it may take long as well.
    session.endSession().catch(() => {});
  }
}

export const isDuplicateKey = (error: unknown) =>
  error instanceof MongoServerError && error.code === DUPLICATE_KEY;
