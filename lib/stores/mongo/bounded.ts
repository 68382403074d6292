import { AbstractCursor, Collection } from 'mongodb';
import { DeadlineExceeded, withDeadline } from '../../process/process.ts';

/** Thrown when an operation on MongoDB times out. It may have been executed. */
export class MongoTimeout extends Error {
  override readonly name = 'MongoTimeout';
}

/**
 * Resolves or rejects like `work`, which may continue after a timeout.
 * @throws MongoTimeout after `ms` milliseconds
 */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  try {
    return await withDeadline(ms, work);
  } catch (error) {
    if (!(error instanceof DeadlineExceeded)) throw error;
    throw new MongoTimeout(`MongoDB did not respond within ${ms} ms.`);
  }
}

/**
 * Wraps a database, collection or cursor so that each operation ends within `ms` milliseconds. It
 * races the promises with a timeout, and wraps the collections and cursors that the methods return.
 *
 * The driver (7.8.0) cannot do this. Its `timeoutMS` is deprecated and has no effect, as the
 * driver's own types say. `socketTimeoutMS` begins when the driver waits for the reply. If the
 * connection closes between the command and that wait, the operation never ends.
 * test/lib/stores/bounded.service.test.ts reproduces this.
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
