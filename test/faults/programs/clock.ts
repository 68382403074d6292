import { activityInfo } from '@temporalio/activity';

/**
 * Has this process's clock go wrong by so many milliseconds, for everything it runs. The Temporal SDK's native part,
 * which says when a local activity was asked for, doesn't look at it: {@link atSkewedTime} is for that.
 */
export function skewClock(ms: number): void {
  globalThis.Date = new Proxy(Date, {
    construct: (date, given, made) =>
      Reflect.construct(date, given.length === 0 ? [date.now() + ms] : given, made),
    get: (date, key) => (key === 'now' ? () => date.now() + ms : Reflect.get(date, key)),
  });
}

/** Activities whose process's clock is wrong: local ones were asked for by that clock, others by the server's. */
export function atSkewedTime<T extends object>(activities: T, ms: number): T {
  return new Proxy(activities, {
    get(target, name) {
      const activity: unknown = Reflect.get(target, name);
      if (typeof activity !== 'function') return activity;
      return (...args: unknown[]) => {
        const info = activityInfo();
        if (info.isLocal) Object.assign(info, { scheduledTimestampMs: info.scheduledTimestampMs + ms });
        return Reflect.apply(activity, target, args);
      };
    },
  });
}
