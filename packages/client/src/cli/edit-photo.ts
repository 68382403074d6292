import { mkdir, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, extname } from 'node:path';
import { type CreateOptions, ImageJobError, type ImageJobs, type Job, type ToolSlug } from '../node.ts';
import { sleep } from '../time.ts';
import type { Photo } from './photos.ts';
import type { Results } from './record-of-results.ts';

/** What became of a photo, as `--json` prints it. */
export interface Outcome {
  input: string;
  output: string;
  /** `kept`: the result was there already. `checked`: a dry run. */
  status: 'completed' | 'kept' | 'checked' | 'failed';
  job_id: string | null;
  /** What this command was charged, after refunds; for a dry run, what it would be. */
  images_charged: number;
  warnings: string[];
  error: string | null;
}

export interface Edit {
  client: ImageJobs;
  /** All of the request but the photo. */
  request: Omit<CreateOptions<ToolSlug, string>, 'image'> & { key: string };
  results: Results | undefined;
  dryRun: boolean;
  signal: AbortSignal;
}

/** New jobs for a photo whose earlier ones failed for a passing reason. */
const TRIES = 10;

/** Over the rate limit, a longer wait than this is for another limit, which a folder of photos would only exceed again. */
const PATIENCE_MS = 60_000;

/** Edits a photo however long others of the same key, and of the same folder, keep the rate limit busy. */
export async function editPatiently(edit: Edit, photo: Photo): Promise<Outcome> {
  for (;;) {
    try {
      return await editPhoto(edit, photo);
    } catch (error) {
      const isLimited = error instanceof ImageJobError && error.code === 'rate_limited';
      if (!isLimited || (error.retryAfterMs ?? 0) > PATIENCE_MS) throw error;
      await sleep(error.retryAfterMs ?? 0, edit.signal);
    }
  }
}

async function editPhoto(edit: Edit, { input, output }: Photo): Promise<Outcome> {
  const { client, results, signal } = edit;
  const request = { ...edit.request, image: input, signal };
  const outcome = { input, output, job_id: null, images_charged: 0, warnings: [], error: null };
  if (edit.dryRun) {
    const { images_charged, warnings } = await client.jobs.dryRun(request);
    return { ...outcome, status: 'checked', images_charged, warnings: warnings.map(messageOf) };
  }
  const key = await client.jobs.idempotencyKey(request);
  if (results?.has(output, key) && (await exists(output))) return { ...outcome, status: 'kept' };
  const { job, charged, warnings } = await findOrCreate(edit, request);
  const ended = job.status === 'processing' ? await client.jobs.wait(job.job_id, { signal }) : job;
  const told = { ...outcome, job_id: ended.job_id, warnings };
  if (ended.status === 'failed') return { ...told, status: 'failed', error: ended.error };
  await writeResults(output, await client.jobs.download(ended, { signal }));
  await results?.add(output, key);
  return { ...told, status: 'completed', images_charged: charged };
}

interface Found {
  job: Job;
  charged: number;
  warnings: string[];
}

/** The job of an earlier run is taken as it is, without sending the photo again, unless a new try may succeed. */
async function findOrCreate({ client }: Edit, request: CreateOptions<ToolSlug, string>): Promise<Found> {
  for (let attempt = 1; ; attempt += 1) {
    const tried = attempt === 1 ? request : { ...request, key: `${request.key} try ${attempt}` };
    const idempotency_key = await client.jobs.idempotencyKey(tried);
    const [job] = await first(client.jobs.list({ idempotency_key }, request));
    if (job === undefined) return create(client, tried);
    if (job.failure?.retryable !== true || attempt === TRIES) return { job, charged: 0, warnings: [] };
  }
}

async function create(client: ImageJobs, request: CreateOptions<ToolSlug, string>): Promise<Found> {
  const { job_id, images_charged, warnings } = await client.jobs.create(request);
  const job = await client.jobs.get(job_id, request);
  return { job, charged: images_charged, warnings: warnings.map(messageOf) };
}

async function first<T>(rows: AsyncIterable<T>): Promise<T[]> {
  for await (const row of rows) return [row];
  return [];
}

const messageOf = ({ message }: { message: string }) => message;

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

/** A job has one result; of several, the others are numbered. A file is there as a whole or not at all. */
async function writeResults(output: string, images: readonly Blob[]): Promise<void> {
  await mkdir(dirname(output), { recursive: true });
  for (const [index, image] of images.entries()) {
    const extension = extname(output);
    const path =
      index === 0 ? output : `${output.slice(0, output.length - extension.length)}-${index + 1}${extension}`;
    await writeFile(`${path}.part`, image.stream());
    await rename(`${path}.part`, path);
  }
}
