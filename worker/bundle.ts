import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, type WorkflowBundleWithSourceMap } from '@temporalio/worker';

/** The workflow bundle: a file written earlier, or with an empty path bundled now (2 to 3 s). */
export async function loadWorkflowBundle(path: string): Promise<{ codePath: string } | { code: string }> {
  return path === '' ? bundleWorkflows() : { codePath: path };
}

/** Bundles the workflows into a file for {@link loadWorkflowBundle}. */
export async function writeWorkflowBundle(path: string): Promise<void> {
  const { code } = await bundleWorkflows();
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, code);
}

function bundleWorkflows(): Promise<WorkflowBundleWithSourceMap> {
  const source = fileURLToPath(new URL('../workflows/index.ts', import.meta.url));
  const workflowsPath = existsSync(source) ? source : source.replace(/\.ts$/, '.js');
  const quiet = () => {};
  const logger = { log: quiet, trace: quiet, debug: quiet, info: quiet, warn: quiet, error: quiet };
  return bundleWorkflowCode({ workflowsPath, logger });
}
