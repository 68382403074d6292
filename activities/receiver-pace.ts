import type { WebhookNotice } from './webhook-notices.ts';

const ACCOUNTS_REMEMBERED = 2000;
const RECEIVERS_PER_ACCOUNT = 100;
/** How long an exchange lasts is guessed too short at first: a burst to a quick receiver is not to be spread out. */
const FIRST_GUESS_MS = 10;

export type Destination = Pick<WebhookNotice, 'accountId' | 'receiver'>;

/** What a worker knows of one receiver of an account, or of all its receivers that have not answered yet. */
export interface Pace {
  standing: 'unknown' | 'quick' | 'slow';
  /** How many deliveries may be under way unless it is slow; doubles with each quick answer (slow start, RFC 5681). */
  width: number;
  /** How many are under way, and how many of them have taken longer than a quick answer does. */
  underWay: number;
  late: number;
  /** Smoothed duration of an exchange. */
  ms: number;
  /** When the last of the deliveries that were sent away is to ask again. */
  lastTurn: number;
}

interface KnownAccount {
  newcomers: Pace;
  receivers: Map<string, Pace>;
}

/** Remembers receivers for each account apart, so that what one account does with a receiver harms no other. */
export function createPaces(widest: number) {
  const accounts = new Map<string, KnownAccount>();
  const known = ({ accountId }: Destination) =>
    used(accounts, accountId, ACCOUNTS_REMEMBERED, () => ({ newcomers: createPace(), receivers: new Map() }));
  const ownPace = (to: Destination) =>
    used(known(to).receivers, to.receiver, RECEIVERS_PER_ACCOUNT, createPace);

  return {
    /** Receivers without an answer share one pace: else ever new names would get ever new slots. */
    of: (to: Destination): Pace => (known(to).receivers.has(to.receiver) ? ownPace(to) : known(to).newcomers),

    /** Notes that an exchange has taken longer than a quick one does. It need not have ended. */
    overdue(to: Destination, pace: Pace, ms: number): void {
      for (const each of new Set([pace, ownPace(to)])) {
        each.standing = 'slow';
        each.width = 1;
        each.ms = Math.max(each.ms, ms);
      }
    },

    /** Notes an exchange that ended. While others are late, a quick answer does not make the receiver quick again. */
    ended(to: Destination, pace: Pace, ms: number, quick: boolean): void {
      const own = ownPace(to);
      for (const each of new Set([pace, own])) {
        each.ms = (each.ms + ms) / 2;
        if (!quick || each.late > 0) continue;
        if (each.standing === 'slow') each.lastTurn = 0;
        each.standing = each === own ? 'quick' : 'unknown';
        if (each === own) each.width = Math.min(widest, each.width * 2);
      }
    },
  };
}

const createPace = (): Pace => ({
  standing: 'unknown',
  width: 1,
  underWay: 0,
  late: 0,
  ms: FIRST_GUESS_MS,
  lastTurn: 0,
});

/** The entry of a key, made where there is none. The one unused for longest makes room; it is learnt again. */
function used<T>(entries: Map<string, T>, key: string, most: number, create: () => T): T {
  const entry = entries.get(key) ?? create();
  entries.delete(key);
  entries.set(key, entry);
  const [oldest] = entries.keys();
  if (entries.size > most && oldest !== undefined) entries.delete(oldest);
  return entry;
}
