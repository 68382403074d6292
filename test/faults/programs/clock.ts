import type { ActivityInterceptorsFactory } from '@temporalio/worker';

/**
 * Skews the clock of this process, except in the native part of the Temporal SDK. That part sets the scheduled time of
 * local activities; see {@link skewedTimes}.
 */
export function skewClock(ms: number): void {
  globalThis.Date = new Proxy(Date, {
    construct: (date, args, newTarget) =>
      Reflect.construct(date, args.length === 0 ? [date.now() + ms] : args, newTarget),
    get: (date, key) => (key === 'now' ? () => date.now() + ms : Reflect.get(date, key)),
  });
}

/** Skews the scheduled time of local activities, which this process sets; for other activities the server sets it. */
export const skewedTimes =
  (ms: number): ActivityInterceptorsFactory =>
  ({ info }) => {
    if (info.isLocal) Object.assign(info, { scheduledTimestampMs: info.scheduledTimestampMs + ms });
    return {};
  };
