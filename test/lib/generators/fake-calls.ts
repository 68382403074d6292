import { randomUUID } from 'node:crypto';
import { createLimit } from '../../../lib/admission/limit.ts';
import type { CallLog, NewCall } from '../../../lib/domain/generator-call.ts';
import type { UpstreamGenerator } from '../../../lib/generators/port.ts';
import { createFakeGeneratorCallStore } from '../../fakes/generator-calls.ts';

const JOB = 'job-1';

/** The calls of one job, in memory. @param now a clock of its own, in milliseconds */
export function fakeCallLog(now?: () => number): CallLog & { endJob(): void } {
  const jobs = new Map([[JOB, { status: 'processing' }]]);
  const store = createFakeGeneratorCallStore({ jobs, calls: new Map(), localRenders: new Set() }, now);
  return {
    list: () => store.list(JOB),
    begin: store.begin.bind(undefined, JOB),
    beat: store.beat.bind(undefined, JOB),
    update: store.update.bind(undefined, JOB),
    endJob: () => void jobs.set(JOB, { status: 'failed' }),
  };
}

/** Begins a call after all that there are. @returns its id */
export async function beginCall(log: CallLog, call: Omit<NewCall, 'id'>): Promise<string> {
  const id = randomUUID();
  const beginning = await log.begin({ id, ...call }, await log.list());
  if (beginning !== 'begun') throw new Error(`The call has not begun: ${beginning}.`);
  return id;
}

/**
 * What an attempt needs besides its generators and its calls. Another process of the job is gone at
 * once.
 */
export const ATTEMPT = {
  accountId: 'account-1',
  signal: new AbortController().signal,
  liveness: { beatMs: 1, silentMs: 0 },
  unavailableMs: 60_000,
  limitOf: () => createLimit({ total: 10, perOwner: 10 }),
  onRefused: false,
  mayHaveCalls: false,
  alarm: () => {},
};

/** An upstream for tests that decide themselves what a call to it does. */
export const unusedUpstream = (
  name: string,
  changes: Partial<UpstreamGenerator> = {},
): UpstreamGenerator => ({
  kind: 'upstream',
  name,
  model: 'm',
  charges: true,
  render: () => Promise.reject(new Error('The test renders by itself.')),
  ...changes,
});
