import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  bundleWorkflowCode,
  DefaultLogger,
  makeTelemetryFilterString,
  Runtime,
  Worker,
  type WorkflowBundleOption,
} from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import '../setup/context.ts';
import * as workflows from '../../workflows/index.ts';
import { PATHS } from './paths.ts';

const folder = join(import.meta.dirname, '..', 'histories');
const quiet = new DefaultLogger('ERROR', () => {});

beforeAll(() => {
  // The violation that is meant to happen would be logged as a warning.
  const logging = { filter: makeTelemetryFilterString({ core: 'ERROR' }) };
  Runtime.install({ logger: quiet, telemetryOptions: { logging }, shutdownSignals: [] });
});

function historyOf(name: string): unknown {
  return JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'));
}

function replay(name: string, workflowBundle: WorkflowBundleOption): Promise<void> {
  return Worker.runReplayHistory({ workflowBundle }, historyOf(name));
}

describe('a recorded history', () => {
  test('exists for every path, and for nothing else', () => {
    const recorded = readdirSync(folder).map((file) => file.replace(/\.json$/, ''));
    expect(recorded.sort()).toEqual(Object.keys(PATHS).sort());
  });

  test('exists of every workflow', () => {
    const types = Object.keys(PATHS).map((name) => JSON.stringify(historyOf(name)));
    for (const type of Object.keys(workflows))
      expect(
        types.some((json) => json.includes(`"workflowType":{"name":"${type}"}`)),
        type,
      ).toBe(true);
  });

  test.each(Object.keys(PATHS))('is what the workflow does today: %s', async (name) => {
    await replay(name, { codePath: inject('env').WORKFLOW_BUNDLE ?? '' });
  });

  test.each(['job-completed', 'job-failed'])(
    'of a job without a webhook has at most 20 events: %s',
    (name) => {
      const { events } = historyOf(name) as { events: unknown[] };
      expect(events.length).toBeLessThanOrEqual(20);
    },
  );

  test('tells nothing of the machine it was recorded on', () => {
    for (const name of Object.keys(PATHS))
      expect(JSON.stringify(historyOf(name)), name).not.toMatch(/\d+@|node_modules|\.ts:\d|whsec_/);
  });
});

test('a change that workflows under way would not survive is found', { timeout: 60_000 }, async () => {
  const workflowsPath = join(import.meta.dirname, 'changed', 'index.ts');
  const changed = await bundleWorkflowCode({ workflowsPath, logger: quiet });
  await expect(replay('job-completed', changed)).rejects.toThrow(DeterminismViolationError);
});
