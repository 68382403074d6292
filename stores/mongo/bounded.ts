import { AbstractCursor, Collection } from 'mongodb';
import { DeadlineExceeded, withDeadline } from '../../runtime.ts';

/** Thrown when an operation on MongoDB did not end in time. Whether it was carried out is not known. */
export class MongoTimeout extends Error {
  override readonly name = 'MongoTimeout';
}

/** The outcome of the work, or after `ms` milliseconds a {@link MongoTimeout}; the work itself may go on unseen. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  try {
    return await withDeadline(ms, work);
  } catch (error) {
    if (!(error instanceof DeadlineExceeded)) throw error;
    throw new MongoTimeout(`MongoDB did not answer within ${ms} ms.`);
  }
}

/**
 * A database, collection or cursor of which every operation ends within `ms` milliseconds: what it returns as a promise
 * is raced, and the collections and cursors it hands out are bounded in turn. Driver 7.8.0 has no such bound of its own:
 * its timeoutMS does nothing, and an operation whose connection is closed just between its sending and the wait for its
 * answer stays open for good, unseen by socketTimeoutMS.
 */
export function bounded<T extends object>(target: T, ms: number): T {
  const self: T = new Proxy(target, {
    get(_, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        const result: unknown = Reflect.apply(value, target, args);
        if (result === target) return self;
        if (result instanceof Promise) return within(ms, result);
        return isHandle(result) ? bounded(result, ms) : result;
      };
    },
  });
  return self;
}

const isHandle = (result: unknown): result is object =>
  result instanceof Collection ||
  result instanceof AbstractCursor ||
  (typeof result === 'object' && result !== null && Symbol.asyncIterator in result);
