import type { PendingDelivery } from '../../lib/protocol/webhooks.ts';

const ACCOUNTS_REMEMBERED = 2000;
const RECEIVERS_PER_ACCOUNT = 100;
/**
 * Initial duration of an exchange. It is low, so that a burst to a quick receiver is not spread
 * out.
 */
const FIRST_GUESS_MS = 10;

export type AccountReceiver = Pick<PendingDelivery, 'accountId' | 'receiver'>;

/**
 * What a worker knows of one receiver of an account, or of all receivers of the account that have
 * not responded yet.
 */
export interface ReceiverState {
  standing: 'unknown' | 'quick' | 'slow';
  /**
   * Most deliveries in progress, unless the receiver is slow. Doubles with each quick response
   * (slow start, RFC 5681).
   */
  width: number;
  /** Deliveries in progress. */
  inProgress: number;
  /** Deliveries in progress that have already taken too long to count as quick. */
  late: number;
  /** Smoothed duration of an exchange. */
  ms: number;
  /** When the last of the waiting deliveries will try again. */
  lastTurn: number;
}

interface KnownAccount {
  newcomers: ReceiverState;
  receivers: Map<string, ReceiverState>;
}

/**
 * Keeps receivers per account, so that one account's deliveries do not affect another's to the same
 * receiver.
 */
export function createReceivers(widest: number) {
  const accounts = new Map<string, KnownAccount>();
  const known = ({ accountId }: AccountReceiver) =>
    lruEntry(accounts, accountId, ACCOUNTS_REMEMBERED, () => ({
      newcomers: newReceiver(),
      receivers: new Map(),
    }));
  const receiverOf = (to: AccountReceiver) =>
    lruEntry(known(to).receivers, to.receiver, RECEIVERS_PER_ACCOUNT, newReceiver);

  return {
    /**
     * Receivers without a response share one state; otherwise each new host name would get a
     * delivery of its own.
     */
    of: (to: AccountReceiver): ReceiverState =>
      known(to).receivers.has(to.receiver) ? receiverOf(to) : known(to).newcomers,

    /**
     * Records that an exchange, which may still be in progress, has taken too long to count as
     * quick.
     */
    overdue(to: AccountReceiver, receiver: ReceiverState, ms: number): void {
      for (const each of new Set([receiver, receiverOf(to)])) {
        each.standing = 'slow';
        each.width = 1;
        each.ms = Math.max(each.ms, ms);
      }
    },

    /**
     * Records the end of an exchange. A quick one does not make the receiver quick while others are
     * late.
     */
    ended(to: AccountReceiver, receiver: ReceiverState, ms: number, quick: boolean): void {
      const proven = receiverOf(to);
      for (const each of new Set([receiver, proven])) {
        each.ms = (each.ms + ms) / 2;
        if (!quick || each.late > 0) continue;
        if (each.standing === 'slow') each.lastTurn = 0;
        each.standing = each === proven ? 'quick' : 'unknown';
        if (each === proven) each.width = Math.min(widest, each.width * 2);
      }
    },
  };
}

const newReceiver = (): ReceiverState => ({
  standing: 'unknown',
  width: 1,
  inProgress: 0,
  late: 0,
  ms: FIRST_GUESS_MS,
  lastTurn: 0,
});

/** The entry of a key, created if missing. Evicts the least recently used entry beyond `most`. */
function lruEntry<T>(entries: Map<string, T>, key: string, most: number, create: () => T): T {
  const entry = entries.get(key) ?? create();
  entries.delete(key);
  entries.set(key, entry);
  const [oldest] = entries.keys();
  if (entries.size > most && oldest !== undefined) entries.delete(oldest);
  return entry;
}
