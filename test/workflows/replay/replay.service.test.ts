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
import '../../setup/context.ts';
import { loadWorkflowBundle } from '../../../worker/bundle.ts';
import * as workflows from '../../../workflows/index.ts';
import { PATHS } from './paths.ts';

const folder = join(import.meta.dirname, '..', 'histories');
const quiet = new DefaultLogger('ERROR', () => {});

beforeAll(() => {
  // The expected violation would be logged as a warning.
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
  let traced: WorkflowBundleOption;

  beforeAll(async () => {
    traced = await loadWorkflowBundle('', true);
  });

  test('exists for every path and for nothing else', () => {
    const recorded = readdirSync(folder).map((file) => file.replace(/\.json$/, ''));
    expect(recorded.sort()).toEqual(Object.keys(PATHS).sort());
  });

  test('exists for every workflow', () => {
    const histories = Object.keys(PATHS).map((name) => JSON.stringify(historyOf(name)));
    for (const type of Object.keys(workflows))
      expect(
        histories.some((json) => json.includes(`"workflowType":{"name":"${type}"}`)),
        type,
      ).toBe(true);
  });

  test.each(Object.keys(PATHS))('replays against the current code: %s', async (name) => {
    await replay(name, { codePath: inject('env').WORKFLOW_BUNDLE ?? '' });
  });

  test.each(Object.keys(PATHS))('replays where traces are switched on later: %s', async (name) => {
    await replay(name, traced);
  });

  test.each([
    ['job-completed', 14],
    ['job-failed', 16],
  ])('of a job without a webhook: %s has at most %i events', (name, most) => {
    const { events } = historyOf(name) as { events: unknown[] };
    expect(events.length).toBeLessThanOrEqual(most);
  });

  test('contains nothing about the machine that recorded it', () => {
    for (const name of Object.keys(PATHS))
      expect(JSON.stringify(historyOf(name)), name).not.toMatch(/\d+@|node_modules|\.ts:\d|whsec_/);
  });
});

describe('a change to the workflow code', () => {
  let changed: WorkflowBundleOption;
  let patched: WorkflowBundleOption;

  const bundle = (folder: string) =>
    bundleWorkflowCode({ workflowsPath: join(import.meta.dirname, folder, 'index.ts'), logger: quiet });

  beforeAll(async () => {
    changed = await bundle('changed');
    patched = await bundle('patched');
  });

  test.each([
    ['a new timer', 'job-completed'],
    ['a retention step inserted before one that has run', 'retention-with-nothing-to-do'],
  ])('that breaks running workflows is detected: %s', async (_, name) => {
    await expect(replay(name, changed)).rejects.toThrow(DeterminismViolationError);
  });

  test('that is behind a patch lets running workflows go on', async () => {
    await replay('job-completed', patched);
  });

  test('may insert a retention step before the one at which a run resumes', async () => {
    await replay('retention-resumed-with-a-problem', changed);
  });
});
