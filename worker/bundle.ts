import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, parse } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, type WorkflowBundleWithSourceMap } from '@temporalio/worker';

/** Loaded by name, so that only a bundle with traces has its code. */
const TRACING_INTERCEPTORS = '@temporalio/interceptors-opentelemetry/lib/workflow-interceptors';

/**
 * The workflow bundle: a file written earlier, or with an empty path bundled now (2 to 3 s).
 * @param traced whether workflows have spans, which doubles the size of the bundle and costs each
 * workflow about 8 ms
 */
export async function loadWorkflowBundle(
  path: string,
  traced = false,
): Promise<{ codePath: string } | { code: string }> {
  if (path === '') return bundleWorkflows(traced);
  return { codePath: traced ? tracedPath(path) : path };
}

/**
 * Bundles the workflows into a file for {@link loadWorkflowBundle}, and with traces into another
 * one next to it.
 */
export async function writeWorkflowBundle(path: string, { traced = false } = {}): Promise<void> {
  const { code } = await bundleWorkflows(traced);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(traced ? tracedPath(path) : path, code);
}

/** `workflow-bundle.cjs` -> `workflow-bundle.traced.cjs` */
function tracedPath(path: string): string {
  const { dir, name, ext } = parse(path);
  return join(dir, `${name}.traced${ext}`);
}

function bundleWorkflows(traced: boolean): Promise<WorkflowBundleWithSourceMap> {
  const modules = [fromHere('../workflows/log-fields.ts')];
  if (traced) modules.push(createRequire(import.meta.url).resolve(TRACING_INTERCEPTORS));
  const quiet = () => {};
  const logger = { log: quiet, trace: quiet, debug: quiet, info: quiet, warn: quiet, error: quiet };
  return bundleWorkflowCode({
    workflowsPath: fromHere('../workflows/index.ts'),
    workflowInterceptorModules: modules,
    logger,
  });
}

/** A module next to this one: the source, or in the build the compiled file. */
function fromHere(module: string): string {
  const source = fileURLToPath(new URL(module, import.meta.url));
  return existsSync(source) ? source : source.replace(/\.ts$/, '.js');
}
