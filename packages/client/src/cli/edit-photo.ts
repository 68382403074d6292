import { type CreateOptions, ImageJobError, type ImageJobs, type Job, type ToolSlug } from '../node.ts';
import { patiently } from './patience.ts';
import { type Photo, readInput } from './photos.ts';
import type { Results } from './record-of-results.ts';
import { checkWritable, hasResult, writeResults } from './result-files.ts';

/** The outcome of a photo, as `--json` prints it. */
export interface Outcome {
  input: string;
  output: string;
  /** `kept`: the result was there already. `checked`: a dry run. */
  status: 'completed' | 'kept' | 'checked' | 'failed';
  job_id: string | null;
  /**
   * Images that this command was charged, after refunds. A dry run: images that it would be
   * charged.
   */
  images_charged: number;
  warnings: string[];
  error: string | null;
}

type Request = CreateOptions<ToolSlug, string> & { image: Blob; key: string };

export interface PhotoEdit {
  client: ImageJobs;
  /** The request without the photo. */
  request: Omit<Request, 'image'>;
  results: Results | undefined;
  /** The real path of the folder that all results stay in. */
  within: string;
  dryRun: boolean;
  signal: AbortSignal;
  /** Aborts when no new job can succeed; results that were paid for are still fetched. */
  noNewJobs: AbortSignal;
  /** Jobs whose charge was counted: equal photos share one. */
  counted: Set<string>;
  /** Called after a failure of a charged job. */
  onFailure(error: unknown): void;
}

/** How many new jobs a photo may get after jobs that failed for a passing reason. */
const TRIES = 10;

/** @returns undefined when a new job would be needed after `noNewJobs` */
export async function editPhoto(edit: PhotoEdit, photo: Photo): Promise<Outcome | undefined> {
  const { client, results, within, signal } = edit;
  // Read once: the key, the request and the record must belong to the same bytes.
  const image = new Blob([await readInput(photo)]);
  const request = { ...edit.request, image, signal };
  if (edit.dryRun) return check(edit, photo, request);
  const key = await client.jobs.idempotencyKey(request);
  const isKept = results?.has(photo.output, key) === true && (await hasResult(photo.output));
  if (isKept) return { ...untouched(photo), status: 'kept' };
  await checkWritable(photo.output, within);
  const found = await patiently(() => findOrCreate(edit, request), signal);
  if (found === undefined) return undefined;
  const outcome = await fetchResult(edit, photo, found);
  if (outcome.status === 'completed') await results?.add(photo.output, key);
  return outcome;
}

/** The outcome of a photo for which there is no job. */
export const untouched = ({ input, output }: Photo) => ({
  input,
  output,
  job_id: null,
  images_charged: 0,
  warnings: [] as string[],
  error: null,
});

async function check(edit: PhotoEdit, photo: Photo, request: Request): Promise<Outcome | undefined> {
  if (edit.noNewJobs.aborted) return undefined;
  const { images_charged, warnings } = await patiently(() => edit.client.jobs.dryRun(request), edit.signal);
  return { ...untouched(photo), status: 'checked', images_charged, warnings: warnings.map(messageOf) };
}

interface Found {
  jobId: string;
  /** The job, when it has ended. */
  ended: Job | undefined;
  charged: number;
  warnings: string[];
}

/** After any failure here, the outcome names the job and its charge. */
async function fetchResult(edit: PhotoEdit, photo: Photo, found: Found): Promise<Outcome> {
  const { client, signal } = edit;
  const { jobId, charged: images_charged, warnings } = found;
  const told = { ...untouched(photo), job_id: jobId, images_charged, warnings };
  try {
    const ended = found.ended ?? (await patiently(() => client.jobs.wait(jobId, { signal }), signal));
    if (ended.status === 'failed')
      return { ...told, status: 'failed', images_charged: 0, error: ended.error };
    await writeResults(photo.output, edit.within, await client.jobs.download(ended, { signal }));
    return { ...told, status: 'completed' };
  } catch (error) {
    signal.throwIfAborted();
    edit.onFailure(error);
    return { ...told, status: 'failed', error: error instanceof Error ? error.message : String(error) };
  }
}

/** Uses the job of an earlier run without sending the photo again, unless a new job may succeed. */
async function findOrCreate(edit: PhotoEdit, request: Request): Promise<Found | undefined> {
  const { jobs } = edit.client;
  for (let attempt = 1; ; attempt += 1) {
    const tried = attempt === 1 ? request : { ...request, key: `${request.key} try ${attempt}` };
    const idempotency_key = await jobs.idempotencyKey(tried);
    const [job] = await first(jobs.list({ idempotency_key }, request));
    if (job === undefined) return edit.noNewJobs.aborted ? undefined : create(edit, tried);
    if (job.idempotency_key !== idempotency_key)
      throw new Error(
        'The list has the job of another photo; is the query removed on the way to the service?',
      );
    const ended = job.status === 'processing' ? undefined : job;
    if (job.failure?.retryable !== true || attempt === TRIES)
      return { jobId: job.job_id, ended, charged: 0, warnings: [] };
  }
}

async function create({ client, counted }: PhotoEdit, request: Request): Promise<Found> {
  const { job_id, images_charged, warnings } = await client.jobs.create(request).catch(nameRecord);
  const charged = counted.has(job_id) ? 0 : images_charged;
  counted.add(job_id);
  return { jobId: job_id, ended: undefined, charged, warnings: warnings.map(messageOf) };
}

/** The key is derived here, so the advice to use a new key does not help. */
function nameRecord(error: unknown): never {
  if (error instanceof ImageJobError && error.code === 'job_not_found')
    throw new Error('The job of this photo was deleted. With --record ID, the photo is edited anew.', {
      cause: error,
    });
  throw error;
}

async function first<T>(rows: AsyncIterable<T>): Promise<T[]> {
  for await (const row of rows) return [row];
  return [];
}

const messageOf = ({ message }: { message: string }) => message;
