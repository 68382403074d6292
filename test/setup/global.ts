import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import './context.ts';
import { startServers } from '../../dev/servers/start.ts';
import { environment, loadConfig } from '../../lib/process/config/config.ts';
import { registerSearchAttributes } from '../../operator/setup/register-search-attributes.ts';
import { writeWorkflowBundle } from '../../worker/bundle.ts';

/** Starts the servers once for the whole run and bundles the workflows once. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const controller = new AbortController();
  const say = (line: string) => void process.stderr.write(`${line}\n`);
  const servers = await startServers({
    dataDir: join(tmpdir(), 'image-job-api-test'),
    ephemeral: true,
    ui: false,
    say,
    signal: controller.signal,
    env: environment(),
  });
  const bundle = join(servers.folder.file('workflow-bundle.cjs'));
  const env = {
    LOG_LEVEL: 'silent',
    // Tests start the reconciler themselves.
    RECONCILE_INTERVAL_MS: '2147000000',
    ...servers.env,
    WORKFLOW_BUNDLE: bundle,
  };
  await Promise.all([writeWorkflowBundle(bundle), registerSearchAttributes(loadConfig(env).temporal)]);
  project.provide('env', env);
  return async () => {
    controller.abort();
    await servers[Symbol.asyncDispose]();
  };
}
