import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DefaultLogger, makeTelemetryFilterString, Runtime, Worker } from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import { beforeAll, expect, test } from 'vitest';
import { unpackRecordedBuild } from './recorded-build.ts';

const folder = join(import.meta.dirname, '..', 'histories');

/** Paths on which today's workflows do what yesterday's version did not know; see docs/upgrading.md, Going back. */
const NEWER = [
  'job-cancelled-between-attempts',
  'job-cancelled-by-its-client',
  'job-not-stopped-for-another',
  'job-stopped',
];

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
      if (!(error instanceof DeterminismViolationError)) throw error;
      blocked.push(file.replace(/\.json$/, ''));
    });
  }
  expect(blocked.sort()).toEqual(NEWER);
});
