import { createHeap, type Heap } from './heap.ts';

export interface BudgetLimits {
  /** Most that is out at a time. */
  total: number;
  /** Most that one owner holds at a time. */
  perOwner: number;
}

/** An amount somebody holds. Leaving a `using` block releases it. */
export interface Lease extends Disposable {
  /** What is held now: what was asked for, less where it was over a limit or has shrunk; 0 once released. */
  readonly amount: number;
  /** Gives back what is above `to`; a lease never grows. */
  shrink(to: number): void;
  /** Gives back all of it. Safe to repeat. */
  release(): void;
}

/** A bounded amount, of bytes or places for instance, that owners share. */
export interface Budget {
  /**
   * Waits until the amount is free, without a time limit of its own. An amount over a limit counts as that limit, so
   * it is granted once nothing else is out. Whoever is granted a lease must release it.
   * @throws BudgetError when the signal aborts while it waits; the signal's reason when it was aborted before
   */
  acquire(owner: string, amount: number, signal: AbortSignal): Promise<Lease>;
  /** What is out, over all owners. */
  readonly held: number;
  /** Requests that wait. */
  readonly waiting: number;
}

/** A request gave up waiting; the signal's reason is the cause. */
export class BudgetError extends Error {
  override readonly name = 'BudgetError';
  /** Whether the owner's own share was used up, or the total with this owner inside its share. */
  readonly obstacle: 'owner' | 'total';

  constructor(obstacle: 'owner' | 'total', options?: ErrorOptions) {
    super(obstacle === 'owner' ? 'The share of the owner is used up.' : 'The budget is used up.', options);
    this.obstacle = obstacle;
  }
}

interface Waiter {
  amount: number;
  order: number;
  /** Granted to others although it was this one's turn. */
  overtaken: number;
  grant(lease: Lease): void;
}

interface Owner {
  name: string;
  held: number;
  /** First in, first out. */
  waiters: Waiter[];
  /** While its first waiter is within the share: that waiter, and what all had been granted when it came to be so. */
  next?: { waiter: Waiter; grantedBefore: number };
}

interface Book {
  total: number;
  share: number;
  /** Those that hold something or wait. */
  owners: Map<string, Owner>;
  /** Those with a `next`, by whose turn it is and by what they ask for. */
  byTurn: Heap<Owner>;
  bySize: Heap<Owner>;
  held: number;
  waiting: number;
  /** All that was ever granted. */
  granted: number;
  /** Requests so far. */
  requests: number;
}

/**
 * Owners take turns: of those whose first request is within their share, the one that holds least. What others are
 * granted meanwhile counts for the one that waits, so nobody is passed for ever. When the request whose turn it is needs
 * more than is free, smaller ones go past it, in all by no more than its own amount.
 * Every step takes O(log n) in the owners that wait. There are no timers.
 */
export function createBudget({ total, perOwner }: BudgetLimits): Budget {
  const book: Book = {
    total,
    share: Math.min(perOwner, total),
    owners: new Map(),
    byTurn: createHeap((a, b) => comesBefore(turnOf, a, b)),
    bySize: createHeap((a, b) => comesBefore(sizeOf, a, b)),
    held: 0,
    waiting: 0,
    granted: 0,
    requests: 0,
  };
  return {
    acquire: async (owner, amount, signal) => {
      if (!(amount >= 0)) throw new RangeError(`${amount} is no amount.`);
      signal.throwIfAborted();
      return enqueue(book, owner, amount, signal);
    },
    get held() {
      return book.held;
    },
    get waiting() {
      return book.waiting;
    },
  };
}

function enqueue(book: Book, name: string, asked: number, signal: AbortSignal): Promise<Lease> {
  const owner = book.owners.get(name) ?? { name, held: 0, waiters: [] };
  book.owners.set(name, owner);
  return new Promise((resolve, reject) => {
    const grant = (lease: Lease) => {
      signal.removeEventListener('abort', stop);
      resolve(lease);
    };
    const waiter = { amount: Math.min(asked, book.share), order: book.requests++, overtaken: 0, grant };
    const stop = () => {
      const obstacle = owner.next === undefined ? 'owner' : 'total';
      leave(book, owner, waiter);
      reject(new BudgetError(obstacle, { cause: signal.reason }));
    };
    signal.addEventListener('abort', stop, { once: true });
    book.waiting += 1;
    change(book, owner, () => owner.waiters.push(waiter));
    grantWhatFits(book);
  });
}

function leave(book: Book, owner: Owner, waiter: Waiter): void {
  book.waiting -= 1;
  change(book, owner, () => owner.waiters.splice(owner.waiters.indexOf(waiter), 1));
  grantWhatFits(book);
}

/** Applies a change to an owner and finds its place in both heaps anew. */
function change(book: Book, owner: Owner, apply: () => void): void {
  const { byTurn, bySize } = book;
  byTurn.delete(owner);
  bySize.delete(owner);
  apply();
  const [waiter] = owner.waiters;
  if (waiter !== undefined && owner.held + waiter.amount <= book.share) {
    if (owner.next?.waiter !== waiter) owner.next = { waiter, grantedBefore: book.granted };
    byTurn.add(owner);
    bySize.add(owner);
    return;
  }
  delete owner.next;
  if (waiter === undefined && owner.held === 0) book.owners.delete(owner.name);
}

function grantWhatFits(book: Book): void {
  for (let owner = nextOwner(book); owner !== undefined; owner = nextOwner(book)) grantFirst(book, owner);
}

function nextOwner({ byTurn, bySize, total, held }: Book): Owner | undefined {
  const turn = byTurn.first();
  const smallest = bySize.first();
  if (turn?.next === undefined || smallest === undefined) return undefined;
  const { waiter } = turn.next;
  if (held + waiter.amount <= total) return turn;
  const size = sizeOf(smallest);
  if (held + size > total || waiter.overtaken + size > waiter.amount) return undefined;
  waiter.overtaken += size;
  return smallest;
}

function grantFirst(book: Book, owner: Owner): void {
  const [waiter] = owner.waiters;
  if (waiter === undefined) return;
  book.held += waiter.amount;
  book.granted += waiter.amount;
  book.waiting -= 1;
  change(book, owner, () => {
    owner.waiters.shift();
    owner.held += waiter.amount;
  });
  waiter.grant(leaseOf(book, owner, waiter.amount));
}

function leaseOf(book: Book, owner: Owner, granted: number): Lease {
  let amount = granted;
  const shrink = (to: number) => {
    const freed = amount - Math.max(0, to);
    if (!(freed > 0)) return;
    amount -= freed;
    book.held -= freed;
    change(book, owner, () => {
      owner.held -= freed;
    });
    grantWhatFits(book);
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

const turnOf = ({ held, next }: Owner) => held + (next?.grantedBefore ?? 0);
const sizeOf = ({ next }: Owner) => next?.waiter.amount ?? 0;
const orderOf = ({ next }: Owner) => next?.waiter.order ?? 0;

function comesBefore(by: (owner: Owner) => number, a: Owner, b: Owner): boolean {
  const difference = by(a) - by(b);
  return difference === 0 ? orderOf(a) < orderOf(b) : difference < 0;
}
