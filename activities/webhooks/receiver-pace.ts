import type { PendingDelivery } from '../../lib/protocol/webhooks.ts';

const ACCOUNTS_REMEMBERED = 2000;
const RECEIVERS_PER_ACCOUNT = 100;
/** Initial duration of an exchange, low on purpose: a burst to a quick receiver should not be spread out. */
const FIRST_GUESS_MS = 10;

export type AccountReceiver = Pick<PendingDelivery, 'accountId' | 'receiver'>;

/** What a worker knows about one receiver of an account, or about all its receivers that have not responded yet. */
export interface ReceiverPace {
  standing: 'unknown' | 'quick' | 'slow';
  /** Most deliveries in progress unless it is slow; doubles with each quick response (slow start, RFC 5681). */
  width: number;
  /** Deliveries in progress, and how many of them have already taken too long to count as quick. */
  underWay: number;
  late: number;
  /** Smoothed duration of an exchange. */
  ms: number;
  /** When the last of the waiting deliveries will try again. */
  lastTurn: number;
}

interface KnownAccount {
  newcomers: ReceiverPace;
  receivers: Map<string, ReceiverPace>;
}

/** Keeps receivers per account, so that one account's deliveries do not affect another's to the same receiver. */
export function createPaces(widest: number) {
  const accounts = new Map<string, KnownAccount>();
  const known = ({ accountId }: AccountReceiver) =>
    lruEntry(accounts, accountId, ACCOUNTS_REMEMBERED, () => ({
      newcomers: createPace(),
      receivers: new Map(),
    }));
  const receiverPace = (to: AccountReceiver) =>
    lruEntry(known(to).receivers, to.receiver, RECEIVERS_PER_ACCOUNT, createPace);

  return {
    /** Receivers without a response share one pace; otherwise each new host name would get a new slot. */
    of: (to: AccountReceiver): ReceiverPace =>
      known(to).receivers.has(to.receiver) ? receiverPace(to) : known(to).newcomers,

    /** Records that an exchange, which may still be in progress, has taken too long to count as quick. */
    overdue(to: AccountReceiver, pace: ReceiverPace, ms: number): void {
      for (const each of new Set([pace, receiverPace(to)])) {
        each.standing = 'slow';
        each.width = 1;
        each.ms = Math.max(each.ms, ms);
      }
    },

    /** Records the end of an exchange. A quick one does not make the receiver quick while others are late. */
    ended(to: AccountReceiver, pace: ReceiverPace, ms: number, quick: boolean): void {
      const proven = receiverPace(to);
      for (const each of new Set([pace, proven])) {
        each.ms = (each.ms + ms) / 2;
        if (!quick || each.late > 0) continue;
        if (each.standing === 'slow') each.lastTurn = 0;
        each.standing = each === proven ? 'quick' : 'unknown';
        if (each === proven) each.width = Math.min(widest, each.width * 2);
      }
    },
  };
}

const createPace = (): ReceiverPace => ({
  standing: 'unknown',
  width: 1,
  underWay: 0,
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
