import { createLimit, type Limit, type Permit } from '../../lib/admission/limit.ts';
import type { WebhookPolicy } from './policy.ts';
import { type AccountReceiver, createReceivers, type ReceiverState } from './receivers.ts';

const SHORTEST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 15 * 60_000;
/**
 * More deliveries are told to try again than can be in progress, so that no slot of the worker
 * stays empty.
 */
const OVERBOOKING = 1.5;

/**
 * Parts of all deliveries: for slow receivers, for slow and unknown receivers together, and for any
 * one receiver.
 */
const SLOW_PART = 1 / 2;
const UNPROVEN_PART = 3 / 4;
const RECEIVER_PART = 1 / 2;
/**
 * Egress opens at most 50 connections per origin. A further delivery would wait for a connection
 * during its attempt.
 */
const RECEIVER_MAX = 50;
/** Part of every limit that is kept for accounts that hold none of it. */
const RESERVED_PART = 1 / 4;

/** A delivery in progress. */
export interface DeliveryPermit {
  /**
   * Runs the exchange with the receiver and measures it. An exchange that the signal aborted counts
   * only if it was already slow.
   */
  exchange<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>;
  release(): void;
}

export interface DeliveryLimits {
  /**
   * Never waits.
   * @param waited whether the delivery has tried before
   * @returns a permit, or the milliseconds until the next try
   */
  acquire(delivery: AccountReceiver, waited: boolean): DeliveryPermit | { waitMs: number };
  /**
   * For metrics: all deliveries, those to unproven and to slow receivers, and the sum over the
   * single receivers.
   */
  readonly usage: Readonly<
    Record<'all' | 'unproven' | 'slow' | 'receivers', Pick<Limit, 'held' | 'waiting'>>
  >;
}

interface InProgress {
  to: AccountReceiver;
  receiver: ReceiverState;
  permits: Permits;
  /** Start of the exchange while it is in progress. */
  since?: number | undefined;
  late: boolean;
}

/**
 * Divides the deliveries of a worker among accounts and receivers. A new receiver starts with one
 * delivery, quick responses allow it more, and all slow receivers together have a limit, however
 * many there are. An account may hold as much as is free, so it gets less as others arrive.
 * @param now a monotonic clock, in milliseconds
 */
export function createDeliveryLimits(
  { slots, slowMs }: Pick<WebhookPolicy, 'slots' | 'slowMs'>,
  now = () => performance.now(),
): DeliveryLimits {
  const limits = createLimits(slots);
  const receivers = createReceivers(slots);
  const inProgress = new Set<InProgress>();

  /** Marks an exchange that has taken too long as slow, without waiting for its end. */
  function markIfLate(delivery: InProgress): void {
    const ms = now() - (delivery.since ?? now());
    if (delivery.late || ms <= slowMs) return;
    delivery.late = true;
    delivery.receiver.late += 1;
    delivery.permits.add(limits.of('slow', delivery.to));
    receivers.overdue(delivery.to, delivery.receiver, ms);
  }

  async function exchange<T>(delivery: InProgress, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const start = now();
    delivery.since = start;
    try {
      return await work();
    } finally {
      markIfLate(delivery);
      delivery.since = undefined;
      if (delivery.late || !signal.aborted)
        receivers.ended(delivery.to, delivery.receiver, now() - start, !delivery.late);
    }
  }

  function release(delivery: InProgress): void {
    if (!inProgress.delete(delivery)) return;
    delivery.receiver.inProgress -= 1;
    if (delivery.late) delivery.receiver.late -= 1;
    delivery.permits.release();
    limits.forgetIfUnused(delivery.to);
  }

  /** How many deliveries at once the waiting ones can expect. */
  const expected = ({ standing, width }: ReceiverState, to: AccountReceiver) =>
    standing === 'unknown'
      ? width
      : Math.min(...limits.of(standing, to).map((limit) => expectedOf(limit, to.accountId)));

  return {
    acquire(to, waited) {
      for (const delivery of inProgress) markIfLate(delivery);
      const receiver = receivers.of(to);
      const { standing } = receiver;
      const permits = mayBegin(receiver, waited, now())
        ? acquireAll(limits.of(standing, to), to.accountId)
        : undefined;
      if (permits === undefined) {
        const waitMs = nextTry(receiver, expected(receiver, to), now());
        limits.forgetIfUnused(to);
        return { waitMs };
      }
      const delivery: InProgress = { to, receiver, permits, late: false };
      inProgress.add(delivery);
      receiver.inProgress += 1;
      return {
        exchange: (work, signal) => exchange(delivery, work, signal),
        release: () => release(delivery),
      };
    },
    usage: limits.usage,
  };
}

/** All limits of one worker. The owners of each are accounts. */
function createLimits(total: number) {
  const partOf = (part: number) => Math.max(1, Math.floor(total * part));
  const open = (size: number) =>
    createLimit({ total: size, perOwner: size, reserved: Math.floor(size * RESERVED_PART) });
  const all = open(total);
  const unproven = open(partOf(UNPROVEN_PART));
  const slow = open(partOf(SLOW_PART));
  const byStanding = { quick: [all], unknown: [unproven, all], slow: [slow, unproven, all] };
  const byReceiver = new Map<string, Limit>();
  return {
    /** The limits that a delivery of the account to the receiver needs permits of. */
    of(standing: ReceiverState['standing'], { receiver }: AccountReceiver): Limit[] {
      const limit = byReceiver.get(receiver) ?? open(Math.min(RECEIVER_MAX, partOf(RECEIVER_PART)));
      byReceiver.set(receiver, limit);
      return [...byStanding[standing], limit];
    },
    forgetIfUnused({ receiver }: AccountReceiver): void {
      if (byReceiver.get(receiver)?.held === 0) byReceiver.delete(receiver);
    },
    usage: {
      all,
      unproven,
      slow,
      receivers: {
        get held() {
          return [...byReceiver.values()].reduce((sum, { held }) => sum + held, 0);
        },
        waiting: 0,
      },
    },
  };
}

/** @returns undefined when one of the limits is reached */
function acquireAll(limits: readonly Limit[], accountId: string): Permits | undefined {
  const permits = new Map<Limit, Permit>();
  for (const limit of limits) {
    const permit = limit.acquireNow(accountId, 1);
    if (permit === undefined) {
      for (const { release } of permits.values()) release();
      return undefined;
    }
    permits.set(limit, permit);
  }
  return permitsOf(permits, accountId);
}

/** Permits of several limits. */
interface Permits {
  /**
   * Adds permits of further limits. If none is free, waits for one, ahead of new deliveries. To be
   * called once.
   */
  add(limits: readonly Limit[]): void;
  release(): void;
}

function permitsOf(permits: Map<Limit, Permit>, accountId: string): Permits {
  let waiting: AbortController | undefined;
  let isReleased = false;
  async function addWhenFree(limit: Limit, { signal }: AbortController): Promise<void> {
    const permit = limit.acquireNow(accountId, 1) ?? (await limit.acquire(accountId, 1, signal));
    if (isReleased) permit.release();
    else permits.set(limit, permit);
  }
  return {
    add(limits) {
      waiting = new AbortController();
      // Rejects only if the permits are released while it waits.
      for (const limit of limits) if (!permits.has(limit)) addWhenFree(limit, waiting).catch(() => {});
    },
    release() {
      isReleased = true;
      waiting?.abort();
      for (const { release } of permits.values()) release();
    },
  };
}

/** How much of the limit the account could hold, given what others hold; at least 1. */
function expectedOf({ total, held, waiting, heldBy }: Limit, accountId: string): number {
  const free = total - held - waiting - Math.floor(total * RESERVED_PART);
  return Math.max(1, Math.ceil((heldBy(accountId) + free) / 2));
}

/**
 * Few deliveries to a slow receiver are in progress: a delivery that has waited begins before new
 * ones.
 */
const mayBegin = ({ standing, lastTurn, inProgress, width }: ReceiverState, waited: boolean, now: number) =>
  standing === 'slow' ? waited || lastTurn <= now : inProgress < width;

/**
 * When a delivery without a permit should try again: behind those that are already waiting, at the
 * rate at which deliveries to its receiver end. So the number of tries stays close to the number of
 * deliveries that can begin, however many wait.
 * @returns milliseconds, with a jitter of a quarter either way
 */
function nextTry(receiver: ReceiverState, expected: number, now: number): number {
  const turn = Math.max(receiver.lastTurn, now) + receiver.ms / expected / OVERBOOKING;
  receiver.lastTurn = Math.min(turn, now + LONGEST_WAIT_MS);
  return Math.max(SHORTEST_WAIT_MS, receiver.lastTurn - now) * (0.75 + Math.random() / 2);
}
