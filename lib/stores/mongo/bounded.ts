import { AbstractCursor, Collection } from 'mongodb';
import { DeadlineExceeded, withDeadline } from '../../process/process.ts';

/** Thrown when an operation on MongoDB times out. It may have been executed. */
export class MongoTimeout extends Error {
  override readonly name = 'MongoTimeout';
}

/** Resolves or rejects like `work`, which may continue after a timeout. @throws MongoTimeout after `ms` milliseconds */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  try {
    return await withDeadline(ms, work);
  } catch (error) {
    if (!(error instanceof DeadlineExceeded)) throw error;
    throw new MongoTimeout(`MongoDB did not respond within ${ms} ms.`);
  }
}

/**
 * Wraps a database, collection or cursor so that each operation ends within `ms` milliseconds: promises it returns are
 * raced with a timeout, and collections and cursors it returns are wrapped as well. Driver 7.8.0 has no such timeout:
 * its timeoutMS has no effect, and an operation whose connection closes after the command is sent and before the wait
 * for the reply begins hangs forever, because socketTimeoutMS does not cover it.
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
