import type { ImageJobs, ToolWithOptions } from '../node.ts';
import type { EditArguments } from './arguments.ts';
import { editPhoto, type Outcome, type PhotoEdit, untouched } from './edit-photo.ts';
import { findPhotos, type Photo } from './photos.ts';
import { inPool } from './pool.ts';
import { printable } from './printable.ts';
import { createProgress, type Output } from './progress.ts';
import { openResults } from './record-of-results.ts';
import { createStops } from './stops.ts';
import { readOptions } from './tool-options.ts';

export interface Context {
  client: ImageJobs;
  stdout: Output;
  stderr: Output;
  json: boolean;
  signal: AbortSignal;
}

/** @returns whether all photos are done */
export async function runEdit(command: EditArguments, context: Context): Promise<boolean> {
  const { client, json, stderr, signal } = context;
  const { photos, folder, within, leftOut } = await findPhotos(command.inputs, command);
  for (const reason of leftOut) stderr.write(`${printable(reason)}\n`);
  const tool = await client.tool(command.tool, context);
  const asked = { tool: command.tool, options: readOptions(tool, command.options) };
  if (!isEditOf(tool, asked)) throw new Error(`The service has described ${tool.slug}.`);
  await using results =
    folder === undefined || command.dryRun ? undefined : await openResults(folder, within);
  const progress = createProgress(context, { total: photos.length, json });
  const stops = createStops();
  const edit: PhotoEdit = {
    client,
    request: { ...asked, key: command.record },
    results,
    within,
    dryRun: command.dryRun,
    signal,
    noNewJobs: stops.newJobs,
    counted: new Set(),
    onFailure: stops.after,
  };
  let done = 0;
  let unsent = photos.length;
  // Photos that have begun are finished, because they may have been charged.
  await inPool(photos, command.concurrency, AbortSignal.any([signal, stops.all]), async (photo) => {
    const outcome = await settle(edit, photo);
    if (outcome === undefined) return;
    unsent -= 1;
    if (outcome.status !== 'failed') done += 1;
    progress.add(outcome);
  });
  progress.end();
  if (unsent > 0 && stops.newJobs.aborted) stderr.write(`Not sent, because none could succeed: ${unsent}\n`);
  return done === photos.length;
}

/**
 * @returns undefined for a photo that was not sent or was interrupted. The next run continues its
 * job
 */
async function settle(edit: PhotoEdit, photo: Photo): Promise<Outcome | undefined> {
  try {
    return await editPhoto(edit, photo);
  } catch (error) {
    if (edit.signal.aborted) return undefined;
    edit.onFailure(error);
    const message = error instanceof Error ? error.message : String(error);
    return { ...untouched(photo), status: 'failed', error: message };
  }
}

interface Asked {
  tool: string;
  options: Record<string, unknown>;
}

/** The service checks the tool: it may have tools that are newer than the types. */
function isEditOf(
  tool: ToolWithOptions,
  asked: Asked,
): asked is Asked & Pick<PhotoEdit['request'], 'tool' | 'options'> {
  return tool.slug === asked.tool;
}
