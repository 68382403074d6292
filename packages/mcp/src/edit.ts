import {
  type CreatedJob,
  type CreateOptions,
  ImageJobTimeoutError,
  type Job,
  type ToolSlug,
} from 'image-job/node';
import { confirmPrice } from './confirm.ts';
import type { Context } from './context.ts';
import { checkUrl } from './image-url.ts';
import { openPhoto } from './photo.ts';
import type { Extra, Progress } from './progress.ts';
import { exists, planSave, type Save } from './results.ts';
import type { KeyedEdit } from './session.ts';

/** The arguments of `edit_photo`. */
export interface Edit {
  image: string;
  tool: string;
  options?: Record<string, unknown> | undefined;
  output?: string | undefined;
  confirm_images?: number | undefined;
  variant?: number | undefined;
}

export interface Edited {
  job: Job;
  warnings: CreatedJob['warnings'];
  /** The file of the result, if there is one. */
  file: string | undefined;
}

export interface Call {
  extra: Extra;
  progress: Progress;
}

/** Runs a photo through a tool, or takes up the job of an earlier call with the same arguments. */
export async function editPhoto(edit: Edit, context: Context, call: Call): Promise<Edited> {
  const { client, session, folders } = context;
  const { extra, progress } = call;
  const photo = await openPhoto(edit.image, folders);
  if (photo.image instanceof URL) await checkUrl(photo.image, context, extra);
  const keyed = await session.keyed(requestOf(edit, photo.image), edit.variant ?? 1);
  const place = `${keyed.id} ${edit.output ?? ''}`;
  const earlier = session.saved.get(place);
  const isSaved = earlier !== undefined && (await exists(earlier));
  const save = isSaved ? undefined : await planSave({ photo, output: edit.output, tool: edit.tool }, folders);
  const created = session.jobs.get(keyed.id) ?? (await create(keyed, edit, context, call));
  const job = await waitFor(created.job_id, context, call);
  if (job.status === 'failed') session.retire(keyed.id);
  const edited = { job, warnings: created.warnings, file: isSaved ? earlier : undefined };
  if (job.status !== 'completed' || save === undefined) return edited;
  progress.now('Downloading the result');
  const file = await saveResult(await client.jobs.download(job, extra), save);
  session.saved.set(place, file);
  return { ...edited, file };
}

/** The service checks tool and options: it may have tools that are newer than the types. */
function requestOf({ tool, options }: Edit, image: URL | Uint8Array): CreateOptions<ToolSlug> {
  return { tool, options, image } as CreateOptions<ToolSlug>;
}

/** The price comes from the service, which checks the request before anything is charged. */
async function create(keyed: KeyedEdit, edit: Edit, context: Context, call: Call): Promise<CreatedJob> {
  const { client, session, server } = context;
  const { extra, progress } = call;
  const request = { ...keyed.request, signal: extra.signal };
  // An earlier call may have created the job and lost the response. Then the balance may be too
  // small for another.
  if (!session.accepted.has(keyed.id)) {
    progress.now('Checking the photo and the price');
    const { images_charged: images, balance_after: balanceAfter } = await client.jobs.dryRun(request);
    const price = { tool: edit.tool, images, balanceAfter };
    if (images > 1) await confirmPrice(server.server, price, { confirmImages: edit.confirm_images, extra });
    session.accepted.add(keyed.id);
  }
  progress.now('Sending the photo');
  const created = await client.jobs.create(request);
  session.jobs.set(keyed.id, created);
  return created;
}

/** @returns the job when it has ended, or when the time is over */
async function waitFor(jobId: string, { client, waitMs }: Context, { extra, progress }: Call): Promise<Job> {
  const { signal } = extra;
  progress.now(`Job ${jobId} is processing`);
  try {
    const timeoutMs = progress.isWatched ? waitMs.watched : waitMs.unwatched;
    return await client.jobs.wait(jobId, { signal, timeoutMs });
  } catch (error) {
    if (!(error instanceof ImageJobTimeoutError)) throw error;
    return client.jobs.get(jobId, { signal });
  }
}

/** A job has one result. */
async function saveResult([result]: Blob[], save: Save): Promise<string> {
  if (result === undefined) throw new Error('The job has completed without a result.');
  return save(result);
}
