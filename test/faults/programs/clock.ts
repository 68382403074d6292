import { activityInfo } from '@temporalio/activity';

/**
 * Skews the clock of this process, except in the native part of the Temporal SDK. That part sets the scheduled time of
 * local activities; see {@link withSkewedTimes}.
 */
export function skewClock(ms: number): void {
  globalThis.Date = new Proxy(Date, {
    construct: (date, args, newTarget) =>
      Reflect.construct(date, args.length === 0 ? [date.now() + ms] : args, newTarget),
    get: (date, key) => (key === 'now' ? () => date.now() + ms : Reflect.get(date, key)),
  });
}

/** Skews the scheduled time of local activities, which this process sets; for other activities the server sets it. */
export function withSkewedTimes<T extends object>(activities: T, ms: number): T {
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
