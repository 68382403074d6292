import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DefaultLogger, makeTelemetryFilterString, ReplayError, Runtime, Worker } from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import { beforeAll, expect, test } from 'vitest';
import { unpackRecordedBuild } from './recorded-build.ts';

const folder = join(import.meta.dirname, '..', 'workflows', 'histories');

/** Paths on which today's workflows do what yesterday's version did not know; see docs/upgrading.md, Going back. */
const NEWER = [
  'job-cancelled-between-attempts',
  'job-cancelled-by-its-client',
  'job-not-stopped-for-another',
  'job-over-the-limit-with-webhook',
  'job-stopped',
  'reconcile-resumed-with-a-problem',
  'reconcile-stopped',
  'reconcile-with-a-lost-job',
  'reconcile-with-an-open-call',
  'reconcile-with-nothing-to-do',
  'retention-resumed-with-a-problem',
  'retention-with-nothing-to-do',
];

/** A violation, or a workflow that yesterday's version does not have. */
const blocks = (error: unknown) =>
  error instanceof DeterminismViolationError ||
  (error instanceof ReplayError && error.message.includes('no such function is exported'));

beforeAll(() => {
  // The expected violations would be logged as warnings.
  const logging = { filter: makeTelemetryFilterString({ core: 'ERROR' }) };
  const logger = new DefaultLogger('ERROR', () => {});
  Runtime.install({ logger, telemetryOptions: { logging }, shutdownSignals: [] });
});

test('yesterday’s version goes on with today’s workflows, but for those that took a newer path', async () => {
  const codePath = join(await unpackRecordedBuild(), 'dist', 'workflow-bundle.cjs');
  const blocked: string[] = [];
  for (const file of readdirSync(folder)) {
    const history: unknown = JSON.parse(readFileSync(join(folder, file), 'utf8'));
    await Worker.runReplayHistory({ workflowBundle: { codePath } }, history).catch((error: unknown) => {
      if (!blocks(error)) throw error;
      blocked.push(file.replace(/\.json$/, ''));
    });
  }
  expect(blocked.sort()).toEqual(NEWER);
});
