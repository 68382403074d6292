import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import '../../setup/context.ts';
import { writeWorkflowBundle } from '../../../worker/bundle.ts';

/** Bundles the workflows once. Every test file starts its own servers, because it kills them. */
export async function setup(project: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'image-job-api-bundle-'));
  const bundle = join(folder, 'workflow-bundle.cjs');
  await writeWorkflowBundle(bundle);
  project.provide('env', { WORKFLOW_BUNDLE: bundle });
  return () => rmSync(folder, { recursive: true, force: true });
}
