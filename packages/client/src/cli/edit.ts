import { ImageJobError, type ImageJobs, type ToolWithOptions } from '../node.ts';
import type { EditArguments } from './arguments.ts';
import { type Edit, editPatiently, type Outcome } from './edit-photo.ts';
import { findPhotos, type Photo } from './photos.ts';
import { inPool } from './pool.ts';
import { createProgress, type Output } from './progress.ts';
import { openResults } from './record-of-results.ts';
import { readOptions } from './tool-options.ts';

export interface Context {
  client: ImageJobs;
  stdout: Output;
  stderr: Output;
  json: boolean;
  signal: AbortSignal;
}

/** What is wrong is the same for all photos: the key, the balance, the tool or an option. */
const FINAL = new Set([
  'invalid_api_key',
  'key_revoked',
  'insufficient_scope',
  'insufficient_credits',
  'invalid_tool',
  'invalid_request',
  'api_disabled',
]);

/** @returns whether all photos are done */
export async function runEdit(command: EditArguments, context: Context): Promise<boolean> {
  const { client, json, stderr } = context;
  const { photos, folder } = await findPhotos(command.inputs, command);
  const tool = await client.tool(command.tool, context);
  const asked = { tool: command.tool, options: readOptions(tool, command.options) };
  if (!isEditOf(tool, asked)) throw new Error(`The service has described ${tool.slug}.`);
  const results = folder === undefined || command.dryRun ? undefined : await openResults(folder);
  const progress = createProgress(context, { total: photos.length, json });
  const stop = new AbortController();
  const edit: Edit = {
    client,
    request: { ...asked, key: command.record },
    results,
    dryRun: command.dryRun,
    signal: context.signal,
  };
  let done = 0;
  // Those that are under way are finished, because they may have been charged.
  const more = AbortSignal.any([context.signal, stop.signal]);
  await inPool(photos, command.concurrency, more, async (photo) => {
    const outcome = await settle(edit, photo, () => stop.abort());
    if (outcome === undefined) return;
    if (outcome.status !== 'failed') done += 1;
    progress.add(outcome);
  });
  progress.end();
  if (stop.signal.aborted) stderr.write('The other photos were not sent, because none could succeed.\n');
  return done === photos.length;
}

/** @returns undefined when the command was interrupted; the job goes on, and the next run takes it up */
async function settle(edit: Edit, photo: Photo, stop: () => void): Promise<Outcome | undefined> {
  try {
    return await editPatiently(edit, photo);
  } catch (error) {
    if (edit.signal.aborted) return undefined;
    if (error instanceof ImageJobError && FINAL.has(error.code)) stop();
    const message = error instanceof Error ? error.message : String(error);
    return { ...photo, status: 'failed', job_id: null, images_charged: 0, warnings: [], error: message };
  }
}

interface Asked {
  tool: string;
  options: Record<string, unknown>;
}

/** The types know the tools of their own version, the service those of today: it has the last word. */
function isEditOf(
  tool: ToolWithOptions,
  asked: Asked,
): asked is Asked & Pick<Edit['request'], 'tool' | 'options'> {
  return tool.slug === asked.tool;
}
