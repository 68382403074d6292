import { Heap } from 'heap-js';

export interface LimitOptions {
  /** Limit over all owners. */
  total: number;
  /** Limit of one owner. */
  perOwner: number;
  /**
   * For {@link Limit.acquireNow} only. An owner that already holds some may hold at most what is
   * free, minus this reserve. The reserve is for owners that hold nothing. So the limit of one
   * owner falls as others arrive (dynamic thresholds: Choudhury and Hahne, IEEE/ACM Transactions on
   * Networking 6(2), 1998).
   */
  reserved?: number;
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

/** A limited amount, for instance of bytes or of calls in progress, divided among owners. */
export interface Limit {
  /**
   * Waits, without a timeout, until the amount is free. An amount over a limit is reduced to that
   * limit, so it is granted once the whole limit is free. The caller must release the permit.
   * @throws LimitError if the signal aborts while waiting; the signal's reason if it was already
   * aborted
   */
  acquire(owner: string, amount: number, signal: AbortSignal): Promise<Permit>;
  /** Like {@link acquire}, but never waits. @returns undefined if the amount is not free */
  acquireNow(owner: string, amount: number): Permit | undefined;
  readonly total: number;
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

/** A limit that keeps a quarter of the total from any one owner. One owner always gets 1. */
export const createSharedLimit = (total: number): Limit =>
  createLimit({ total, perOwner: Math.max(1, total - Math.ceil(total / 4)) });

/** Acquires from the limit. @throws the signal's reason, also if it aborts while waiting */
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
  /** Undefined while nobody waits, or the first waiter does not fit the owner's limit. */
  next?: Candidate;
}

/** The first waiter of an owner. A candidate never changes: a change of its owner replaces it. */
interface Candidate {
  owner: Owner;
  waiter: Waiter;
  /** {@link Book.granted} when the waiter began to fit the owner's limit. */
  grantedBefore: number;
  /** The lowest is next: what the owner holds, and what others were granted since it waits. */
  priority: number;
}

interface Book {
  total: number;
  perOwner: number;
  /** Owners that hold an amount or wait. */
  owners: Map<string, Owner>;
  /**
   * The candidates, ordered by priority and by the amount requested. Those that were replaced stay
   * until they come first: to remove them from the middle takes linear time.
   */
  byPriority: Heap<Candidate>;
  bySize: Heap<Candidate>;
  held: number;
  waiting: number;
  /** Sum of all amounts ever granted. */
  granted: number;
  /** Number of requests so far. */
  requests: number;
}

/**
 * Among the owners whose first request fits their limit, the owner that holds least is next.
 * Amounts granted to others since then count in favour of a waiting owner, so no owner starves. If
 * the next request needs more than is free, smaller requests may overtake it, by no more than its
 * own amount in total. There are no timers.
 */
export function createLimit({ total, perOwner, reserved }: LimitOptions): Limit {
  const book: Book = {
    total,
    perOwner: Math.min(perOwner, total),
    owners: new Map(),
    byPriority: new Heap(orderBy(({ priority }) => priority)),
    bySize: new Heap(orderBy(({ waiter }) => waiter.amount)),
    held: 0,
    waiting: 0,
    granted: 0,
    requests: 0,
  };
  const heldBy = (owner: string) => book.owners.get(owner)?.held ?? 0;
  /** Ignores waiting requests. */
  const isFree = (owner: string, requested: number): boolean => {
    const amount = heldBy(owner) + Math.min(requested, book.perOwner);
    const free = total - book.held;
    if (amount > book.perOwner || amount - heldBy(owner) > free) return false;
    return reserved === undefined || heldBy(owner) === 0 || amount <= free - reserved;
  };
  return {
    acquire: async (owner, amount, signal) => {
      checkAmount(amount);
      signal.throwIfAborted();
      return acquire(book, owner, amount, signal);
    },
    acquireNow(owner, amount) {
      checkAmount(amount);
      return isFree(owner, amount) ? acquireNow(book, owner, amount) : undefined;
    },
    total,
    get held() {
      return book.held;
    },
    heldBy,
    get waiting() {
      return book.waiting;
    },
  };
}

function checkAmount(amount: number): void {
  if (!(amount >= 0)) throw new RangeError(`The amount must not be negative or NaN, but is ${amount}.`);
}

function acquire(book: Book, owner: string, amount: number, signal: AbortSignal): Promise<Permit> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(new LimitError(withdraw(), { cause: signal.reason }));
    signal.addEventListener('abort', onAbort, { once: true });
    const withdraw = request(book, owner, amount, (permit) => {
      signal.removeEventListener('abort', onAbort);
      resolve(permit);
    });
  });
}

function acquireNow(book: Book, owner: string, amount: number): Permit | undefined {
  let granted: Permit | undefined;
  const withdraw = request(book, owner, amount, (permit) => {
    granted = permit;
  });
  if (granted === undefined) withdraw();
  return granted;
}

/**
 * Adds a request, and grants it at once if it may be.
 * @returns withdraws a request that was not granted, and returns the limit that it waited for
 */
function request(
  book: Book,
  name: string,
  requested: number,
  grant: (permit: Permit) => void,
): () => LimitError['obstacle'] {
  const owner = book.owners.get(name) ?? { name, held: 0, waiters: [] };
  book.owners.set(name, owner);
  const waiter = { amount: Math.min(requested, book.perOwner), order: book.requests++, overtaken: 0, grant };
  book.waiting += 1;
  change(book, owner, () => owner.waiters.push(waiter));
  grantWaiting(book);
  return () => {
    const obstacle = owner.next === undefined ? 'owner' : 'total';
    book.waiting -= 1;
    change(book, owner, () => owner.waiters.splice(owner.waiters.indexOf(waiter), 1));
    grantWaiting(book);
    return obstacle;
  };
}

/** Applies a change to an owner, and finds the request that it then is a candidate with. */
function change(book: Book, owner: Owner, apply: () => void): void {
  apply();
  const [waiter] = owner.waiters;
  if (waiter === undefined || owner.held + waiter.amount > book.perOwner) {
    delete owner.next;
    if (waiter === undefined && owner.held === 0) book.owners.delete(owner.name);
    return;
  }
  const { next } = owner;
  const grantedBefore = next?.waiter === waiter ? next.grantedBefore : book.granted;
  const priority = owner.held + grantedBefore;
  if (next?.waiter === waiter && next.priority === priority) return;
  owner.next = { owner, waiter, grantedBefore, priority };
  for (const heap of [book.byPriority, book.bySize]) {
    heap.push(owner.next);
    if (heap.length > 2 * book.owners.size + 100) heap.init(heap.toArray().filter(isCurrent));
  }
}

const isCurrent = (candidate: Candidate) => candidate.owner.next === candidate;

/** Removes the candidates that were replaced until the first one is current. */
function firstOf(heap: Heap<Candidate>): Candidate | undefined {
  for (let first = heap.peek(); first !== undefined; first = heap.peek()) {
    if (isCurrent(first)) return first;
    heap.pop();
  }
  return undefined;
}

function grantWaiting(book: Book): void {
  for (let owner = nextOwner(book); owner !== undefined; owner = nextOwner(book)) grantNext(book, owner);
}

function nextOwner({ byPriority, bySize, total, held }: Book): Owner | undefined {
  const first = firstOf(byPriority);
  const smallest = firstOf(bySize);
  if (first === undefined || smallest === undefined) return undefined;
  const { waiter } = first;
  if (held + waiter.amount <= total) return first.owner;
  const size = smallest.waiter.amount;
  if (held + size > total || waiter.overtaken + size > waiter.amount) return undefined;
  waiter.overtaken += size;
  return smallest.owner;
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

/** Among equals, the request that came first is first. */
const orderBy =
  (by: (candidate: Candidate) => number) =>
  (a: Candidate, b: Candidate): number =>
    by(a) - by(b) || a.waiter.order - b.waiter.order;
