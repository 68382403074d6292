import { fetch } from 'undici';
import type { Report } from '../setup/failpoints.ts';

/** Reports a step to the test and waits until the test lets it happen. */
export type Reach = (report: Report) => Promise<void>;

export function reachAt(url: string): Reach {
  return async (report) => {
    await fetch(url, { method: 'POST', body: JSON.stringify(report) });
  };
}

/** The part with the named methods reporting before and after each call: `<part>.<method> before`. */
export function stepping<T extends object>(
  part: T,
  name: string,
  methods: readonly (keyof T & string)[],
  reach: (point: string, args: readonly unknown[]) => Promise<void>,
): T {
  return new Proxy(part, {
    get(target, key) {
      const method: unknown = Reflect.get(target, key);
      if (typeof method !== 'function' || !(methods as readonly unknown[]).includes(key)) return method;
      return async (...args: unknown[]) => {
        const call = `${name}.${String(key)}`;
        await reach(`${call} before`, args);
        const result: unknown = await Reflect.apply(method, target, args);
        await reach(`${call} after`, args);
        return result;
      };
    },
  });
}
