import type { CallLog } from '../../domain/generator-call.ts';
import type { UpstreamGenerator } from '../../generators/port.ts';
import { createFakeGeneratorCallStore } from '../fakes/generator-calls.ts';

const JOB = 'job-1';

/** The calls of one job, in memory. @param now a clock of its own, in milliseconds */
export function fakeCallLog(now?: () => number): CallLog {
  const store = createFakeGeneratorCallStore(now);
  return {
    list: () => store.list(JOB),
    begin: store.begin.bind(undefined, JOB),
    update: store.update.bind(undefined, JOB),
  };
}

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
