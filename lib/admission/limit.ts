import { Heap } from 'heap-js';

export interface LimitOptions {
  /** Limit over all owners. */
  total: number;
  /** Limit of one owner. */
  perOwner: number;
}

/** An acquired amount. Leaving a `using` block releases it. */
export interface Permit extends Disposable {
  /** The amount held: at most the limit, less after {@link shrink}, 0 once released. */
  readonly amount: number;
  /** Reduces the amount to `to`; a permit never grows. */
  shrink(to: number): void;
  /** Releases the whole amount. Idempotent. */
  release(): void;
}

/** A limited amount, for instance of bytes or slots, shared by owners. */
export interface Limit {
  /**
   * Waits, without a timeout, until the amount is free. An amount over a limit is reduced to that limit, so it is
   * granted once the whole limit is free. The caller must release the permit.
   * @throws LimitError if the signal aborts while waiting; the signal's reason if it was already aborted
   */
  acquire(owner: string, amount: number, signal: AbortSignal): Promise<Permit>;
  /** Amount held by all owners. */
  readonly held: number;
  heldBy(owner: string): number;
  /** Number of waiting requests. */
  readonly waiting: number;
}

/** The signal aborted a waiting request; the signal's reason is the cause. */
export class LimitError extends Error {
  override readonly name = 'LimitError';
  /** The limit the request waited for: that of its owner, or the total. */
  readonly obstacle: 'owner' | 'total';

  constructor(obstacle: 'owner' | 'total', options?: ErrorOptions) {
    super(obstacle === 'owner' ? "The owner's limit is reached." : 'The total limit is reached.', options);
    this.obstacle = obstacle;
  }
}

/** What one owner may have of a total of which a quarter is kept for others; at least 1. */
export const shareOfOne = (total: number): number => Math.max(1, total - Math.ceil(total / 4));

/** A limit of which one owner has at most {@link shareOfOne}. */
export const createSharedLimit = (total: number): Limit =>
  createLimit({ total, perOwner: shareOfOne(total) });

/** Acquires from the limit. @throws the signal's reason, also when it aborts while waiting */
export async function acquireUnlessAborted(
  limit: Limit,
  owner: string,
  amount: number,
  signal: AbortSignal,
): Promise<Permit> {
  try {
    return await limit.acquire(owner, amount, signal);
  } catch (error) {
    throw error instanceof LimitError ? signal.reason : error;
  }
}

/** Acquires 1 from the limit. @returns undefined when the time is up first. @throws the reason of `signal` */
export async function acquireInTime(
  limit: Limit,
  owner: string,
  signal: AbortSignal,
  timeUp: AbortSignal,
): Promise<Permit | undefined> {
  if (timeUp.aborted) return acquireNow(limit, owner, 1);
  try {
    return await acquireUnlessAborted(limit, owner, 1, AbortSignal.any([signal, timeUp]));
  } catch (error) {
    signal.throwIfAborted();
    if (timeUp.aborted) return undefined;
    throw error;
  }
}

/** Acquires from the limit if the amount is free at once. The permit belongs to the caller, as that of `acquire`. */
export function acquireNow(limit: Limit, owner: string, amount: number): Promise<Permit | undefined> {
  const controller = new AbortController();
  const permit = limit.acquire(owner, amount, controller.signal);
  controller.abort();
  return permit.catch((error: unknown) => {
    if (error instanceof LimitError) return undefined;
    throw error;
  });
}

interface Waiter {
  amount: number;
  order: number;
  /** Amount granted to smaller requests while this one was first in line. */
  overtaken: number;
  grant(permit: Permit): void;
}

interface Owner {
  name: string;
  held: number;
  /** In FIFO order. */
  waiters: Waiter[];
  /** The first waiter while it fits the owner's limit, with {@link Book.granted} at the time it began to fit. */
  next?: { waiter: Waiter; grantedBefore: number };
}

interface Book {
  total: number;
  share: number;
  /** Owners that hold an amount or wait. */
  owners: Map<string, Owner>;
  /** Owners with a `next`, ordered by priority and by the amount requested. */
  byPriority: Heap<Owner>;
  bySize: Heap<Owner>;
  held: number;
  waiting: number;
  /** Sum of all amounts ever granted. */
  granted: number;
  /** Number of requests so far. */
  requests: number;
}

/**
 * Among the owners whose first request fits their limit, the one that holds least is next. Amounts granted to others
 * since then count in favour of a waiting owner, so no owner starves. If the next request needs more than is free,
 * smaller ones may overtake it, by no more than its own amount in total.
 * There are no timers.
 */
export function createLimit({ total, perOwner }: LimitOptions): Limit {
  const book: Book = {
    total,
    share: Math.min(perOwner, total),
    owners: new Map(),
    byPriority: new Heap(orderBy(priorityOf)),
    bySize: new Heap(orderBy(sizeOf)),
    held: 0,
    waiting: 0,
    granted: 0,
    requests: 0,
  };
  return {
    acquire: async (owner, amount, signal) => {
      if (!(amount >= 0)) throw new RangeError(`The amount must not be negative or NaN, but is ${amount}.`);
      signal.throwIfAborted();
      return enqueue(book, owner, amount, signal);
    },
    get held() {
      return book.held;
    },
    heldBy: (owner) => book.owners.get(owner)?.held ?? 0,
    get waiting() {
      return book.waiting;
    },
  };
}

function enqueue(book: Book, name: string, requested: number, signal: AbortSignal): Promise<Permit> {
  const owner = book.owners.get(name) ?? { name, held: 0, waiters: [] };
  book.owners.set(name, owner);
  return new Promise((resolve, reject) => {
    const grant = (permit: Permit) => {
      signal.removeEventListener('abort', onAbort);
      resolve(permit);
    };
    const waiter = { amount: Math.min(requested, book.share), order: book.requests++, overtaken: 0, grant };
    const onAbort = () => {
      const obstacle = owner.next === undefined ? 'owner' : 'total';
      removeWaiter(book, owner, waiter);
      reject(new LimitError(obstacle, { cause: signal.reason }));
    };
    signal.addEventListener('abort', onAbort, { once: true });
    book.waiting += 1;
    change(book, owner, () => owner.waiters.push(waiter));
    grantWaiting(book);
  });
}

function removeWaiter(book: Book, owner: Owner, waiter: Waiter): void {
  book.waiting -= 1;
  change(book, owner, () => owner.waiters.splice(owner.waiters.indexOf(waiter), 1));
  grantWaiting(book);
}

/** Applies a change to an owner and updates its position in both heaps. */
function change(book: Book, owner: Owner, apply: () => void): void {
  const { byPriority, bySize } = book;
  byPriority.remove(owner);
  bySize.remove(owner);
  apply();
  const [waiter] = owner.waiters;
  if (waiter !== undefined && owner.held + waiter.amount <= book.share) {
    if (owner.next?.waiter !== waiter) owner.next = { waiter, grantedBefore: book.granted };
    byPriority.push(owner);
    bySize.push(owner);
    return;
  }
  delete owner.next;
  if (waiter === undefined && owner.held === 0) book.owners.delete(owner.name);
}

function grantWaiting(book: Book): void {
  for (let owner = nextOwner(book); owner !== undefined; owner = nextOwner(book)) grantNext(book, owner);
}

function nextOwner({ byPriority, bySize, total, held }: Book): Owner | undefined {
  const first = byPriority.peek();
  const smallest = bySize.peek();
  if (first?.next === undefined || smallest === undefined) return undefined;
  const { waiter } = first.next;
  if (held + waiter.amount <= total) return first;
  const size = sizeOf(smallest);
  if (held + size > total || waiter.overtaken + size > waiter.amount) return undefined;
  waiter.overtaken += size;
  return smallest;
}

function grantNext(book: Book, owner: Owner): void {
  const [waiter] = owner.waiters;
  if (waiter === undefined) return;
  book.held += waiter.amount;
  book.granted += waiter.amount;
  book.waiting -= 1;
  change(book, owner, () => {
    owner.waiters.shift();
    owner.held += waiter.amount;
  });
  waiter.grant(permitOf(book, owner, waiter.amount));
}

function permitOf(book: Book, owner: Owner, granted: number): Permit {
  let amount = granted;
  const shrink = (to: number) => {
    const freed = amount - Math.max(0, to);
    if (!(freed > 0)) return;
    amount -= freed;
    book.held -= freed;
    change(book, owner, () => {
      owner.held -= freed;
    });
    grantWaiting(book);
  };
  const release = () => shrink(0);
  return {
    get amount() {
      return amount;
    },
    shrink,
    release,
    [Symbol.dispose]: release,
  };
}

const priorityOf = ({ held, next }: Owner) => held + (next?.grantedBefore ?? 0);
const sizeOf = ({ next }: Owner) => next?.waiter.amount ?? 0;
const orderOf = ({ next }: Owner) => next?.waiter.order ?? 0;

/** Among equals, the request that came first is first. */
const orderBy =
  (by: (owner: Owner) => number) =>
  (a: Owner, b: Owner): number =>
    by(a) - by(b) || orderOf(a) - orderOf(b);
