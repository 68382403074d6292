import { fetch } from 'undici';
import type { Report } from '../setup/failpoints.ts';

/** Reports a failpoint to the test and waits until the test lets it continue. */
export type Reach = (report: Report) => Promise<void>;

export function reachAt(url: string): Reach {
  return async (report) => {
    await fetch(url, { method: 'POST', body: JSON.stringify(report) });
  };
}

/** Adds failpoints before and after each call of the given methods: `<name>.<method> before`. */
export function withFailpoints<T extends object>(
  target: T,
  name: string,
  methods: readonly (keyof T & string)[],
  reach: (point: string, args: readonly unknown[]) => Promise<void>,
): T {
  return new Proxy(target, {
    get(object, key) {
      const method: unknown = Reflect.get(object, key);
      if (typeof method !== 'function' || !(methods as readonly unknown[]).includes(key)) return method;
      return async (...args: unknown[]) => {
        const call = `${name}.${String(key)}`;
        await reach(`${call} before`, args);
        const result: unknown = await Reflect.apply(method, object, args);
        await reach(`${call} after`, args);
        return result;
      };
    },
  });
}
