import { type CallOptions, type CreateOptions, type CreateRequest, createRequest } from './create-request.ts';
import { ImageJobError, JobFailedError } from './errors.ts';
import { listPages, type Pages } from './pages.ts';
import { unlessAborted } from './time.ts';
import type { Call, Send } from './transport.ts';
import type { CreatedJob, DryRunResult, Job, JobFilters, ToolSlug } from './types.ts';
import { type WaitOptions, waitForEnd } from './wait.ts';

export type RunOptions<Slug extends ToolSlug, Path = never> = CreateOptions<Slug, Path> &
  Omit<WaitOptions, 'signal'>;

/** A job that has completed, with the results that were downloaded. */
export interface RunResult {
  job: Job;
  warnings: CreatedJob['warnings'];
  images: Blob[];
}

export interface Jobs<Path = never> {
  /** Creates a job and charges it. The result comes later: see `wait` and `run`. */
  create<Slug extends ToolSlug>(options: CreateOptions<Slug, Path>): Promise<CreatedJob>;
  /**
   * Checks a request as `create` would, and returns its price. Nothing is stored, charged or
   * rendered.
   */
  dryRun<Slug extends ToolSlug>(options: CreateOptions<Slug, Path>): Promise<DryRunResult>;
  /** The Idempotency-Key that `create` would send. */
  idempotencyKey<Slug extends ToolSlug>(options: CreateOptions<Slug, Path>): Promise<string>;
  get(jobId: string, options?: CallOptions): Promise<Job>;
  /**
   * Waits until the job has ended, as `completed` or `failed`.
   * @throws {ImageJobTimeoutError} when it is still processing after `timeoutMs`
   */
  wait(jobId: string, options?: WaitOptions): Promise<Job>;
  /**
   * Creates a job, waits for its end and downloads its results.
   * @throws {JobFailedError} when the job has failed; it was refunded
   */
  run<Slug extends ToolSlug>(options: RunOptions<Slug, Path>): Promise<RunResult>;
  /** Downloads the results of a completed job. */
  download(job: Job, options?: CallOptions): Promise<Blob[]>;
  /** Cancels a job that no model renders yet. Returns a job that has ended unchanged. */
  cancel(jobId: string, options?: CallOptions): Promise<Job>;
  /** Deletes a job that has ended, with its images. */
  delete(jobId: string, options?: CallOptions): Promise<void>;
  list(filters?: JobFilters, options?: CallOptions): Pages<Job>;
}

interface Parts<Path> {
  send: Send;
  download: (url: string, signal: AbortSignal | undefined) => Promise<Blob>;
  /** Opens a file of the file system, where there is one. */
  open: (path: Path) => Promise<Blob>;
}

export function createJobs<Path extends string = never>({ send, download, open }: Parts<Path>): Jobs<Path> {
  const prepare = <Slug extends ToolSlug>(options: CreateOptions<Slug, Path>) =>
    unlessAborted(options.signal, () => createRequest(options, open));

  const post = <T>({ idempotencyKey: key, body }: CreateRequest, call: Partial<Call>) =>
    send<T>({
      method: 'POST',
      path: '/v1/jobs',
      headers: { 'Idempotency-Key': key },
      body,
      ...call,
    });

  const jobs: Jobs<Path> = {
    async create(options) {
      const request = await prepare(options);
      const { body } = await post<CreatedJob>(request, { signal: options.signal });
      return { ...body, idempotency_key: request.idempotencyKey };
    },
    async dryRun(options) {
      const call = { query: { dry_run: 'true' }, signal: options.signal };
      return (await post<DryRunResult>(await prepare(options), call)).body;
    },
    idempotencyKey: async (options) => (await prepare(options)).idempotencyKey,
    get: async (jobId, { signal } = {}) => (await send<Job>({ path: pathOf(jobId), signal })).body,
    wait: (jobId, options = {}) => waitForEnd(send, jobId, options),
    async run(options) {
      const { job_id, warnings } = await jobs.create(options);
      const job = await jobs.wait(job_id, options);
      if (job.status === 'failed') throw new JobFailedError(job);
      return { job, warnings, images: await jobs.download(job, options) };
    },
    download: (job, { signal } = {}) => Promise.all(job.result_urls.map((url) => download(url, signal))),
    cancel: async (jobId, { signal } = {}) =>
      (await send<Job>({ method: 'POST', path: `${pathOf(jobId)}/cancel`, signal })).body,
    delete: (jobId, { signal } = {}) => deleteJob(send, jobId, signal),
    list: (filters = {}, { signal } = {}) =>
      listPages<Job>(send, { path: '/v1/jobs', query: filters, signal }, ({ job_id }) => job_id),
  };
  return jobs;
}

const pathOf = (jobId: string) => `/v1/jobs/${encodeURIComponent(jobId)}`;

async function deleteJob(send: Send, jobId: string, signal: AbortSignal | undefined): Promise<void> {
  try {
    await send({ method: 'DELETE', path: pathOf(jobId), signal });
  } catch (error) {
    // An earlier attempt has deleted it, and its response was lost.
    const isGone = error instanceof ImageJobError && error.code === 'job_not_found' && error.mayHaveRun;
    if (!isGone) throw error;
  }
}
