// Compiled by generated-clients.test.ts next to the types of each generator. A line after @ts-expect-error that compiles
// fails the test, and so does any other line that does not.
import type {
  CreateDayToDuskJob,
  CreateJob,
  DryRunResult,
  Error as ErrorBody,
  ErrorCode,
  FailureReason,
  Job,
  JobCreated,
  JobList,
  JobReplayed,
  JobStatus,
  LedgerKind,
  LedgerList,
  OptionsDayToDusk,
  Resolution,
  ToolWithOptions,
  WebhookEvent,
} from './types.gen.ts';

const image_url = 'https://photos.example.com/front.jpg';
const image_base64 = 'data:image/png;base64,AAAA';

export const byUrl: CreateJob = { tool: 'declutter', image_url };
export const byBase64: CreateJob = { tool: '4k-upscale', image_base64 };
export const withAll: CreateJob = {
  tool: 'roof-replacement',
  image_url,
  options: { material: 'slate', resolution: '4K', tier: 'guided' },
  webhook_url: 'https://hooks.example.com/jobs',
};
export const custom: CreateJob = {
  tool: 'item-removal',
  image_base64,
  options: { tier: 'custom', customPrompt: 'Remove the cables under the desk.' },
};
const room = { tool: 'virtual-staging', image_url } as const;
export const staging: CreateJob = { ...room, options: { style: 'modern' } };
export const list: CreateJob = {
  tool: 'sketch-to-floor-plan',
  image_url,
  options: { preserve: ['dimensions', 'room-names'] },
};

/** The options of a tool, by its slug or by name. */
type OptionsOf<T extends CreateJob['tool']> = NonNullable<Extract<CreateJob, { tool: T }>['options']>;
export const bySlug: OptionsOf<'day-to-dusk'> = { interiorLights: 'true' };
export const byName: OptionsDayToDusk = bySlug;
export const ofTool: CreateDayToDuskJob = { tool: 'day-to-dusk', image_url, options: byName };
export const resolution: Resolution | undefined = byName.resolution;

// @ts-expect-error There is no such tool.
export const wrongTool: CreateJob = { tool: 'roof-remove', image_url };
// @ts-expect-error An image is needed.
export const noImage: CreateJob = { tool: 'declutter' };
// @ts-expect-error An image that is undefined is missing as well.
export const undefinedImage: CreateJob = { tool: 'declutter', image_url: undefined };
// @ts-expect-error A tool is needed.
export const noTool: CreateJob = { image_url };
// @ts-expect-error The image is a string.
export const bytes: CreateJob = { tool: 'declutter', image_base64: new Uint8Array(1) };
// @ts-expect-error No roof is made of straw.
export const wrongValue: CreateJob = { tool: 'roof-replacement', image_url, options: { material: 'straw' } };
// @ts-expect-error It has no such option.
export const wrongOption: CreateJob = { tool: 'declutter', image_url, options: { material: 'slate' } };
// @ts-expect-error It has this option, and no such size.
export const wrongSize: CreateJob = { tool: 'declutter', image_url, options: { resolution: '8K' } };
// @ts-expect-error The string true, not the boolean.
export const wrongType: CreateJob = { tool: 'day-to-dusk', image_url, options: { hasWindows: true } };
// @ts-expect-error Virtual staging needs a style.
export const noStyle: CreateJob = room;
// @ts-expect-error A style as well when there are other options.
export const noStyleEither: CreateJob = { ...room, options: { decor: 'true' } };
// @ts-expect-error It takes no common option.
export const stagedIn4K: CreateJob = { ...room, options: { style: 'modern', resolution: '4K' } };
// @ts-expect-error There is no such field.
export const wrongField: CreateJob = { tool: 'declutter', image_url, callback_url: image_url };

/** What a client does with a job. */
export function stateOf(job: Job): string {
  const status: JobStatus = job.status;
  if (status === 'completed') return job.result_urls.join();
  if (job.failure === null) return `${job.error ?? job.completed_at?.slice(0, 10) ?? status}`;
  const reason: FailureReason = job.failure.reason;
  return job.failure.retryable && reason === 'unavailable' ? 'Try again.' : reason;
}
export const readEvent = ({ type, data }: WebhookEvent) =>
  type === 'job.completed' ? data.result_urls : data.error;
export const readPage = ({ data, has_more }: JobList) => (has_more ? data.at(-1)?.job_id : null);
export const sum = ({ data }: LedgerList, kind: LedgerKind) =>
  data.reduce((images, row) => images + (row.kind === kind ? row.images : 0), 0);
export const priceOf = ({ images_charged, balance_after }: DryRunResult) =>
  images_charged + (balance_after ?? 0);
export const titleOf = ({ title, options }: ToolWithOptions) => [title, options.properties];
export const isReplay = (job: JobCreated | JobReplayed): job is JobReplayed => 'result_urls' in job;
export function shouldWait({ error }: ErrorBody): boolean {
  const code: ErrorCode = error.code;
  return code === 'rate_limited';
}

export function wrongReads(job: Job, { error }: ErrorBody, page: JobList): unknown[] {
  return [
    // @ts-expect-error There is no such status.
    job.status === 'succeeded',
    // @ts-expect-error It is null until the job has ended.
    job.completed_at.length,
    // @ts-expect-error It is null for a job that has not failed.
    job.failure.reason,
    // @ts-expect-error There is no such code.
    error.code === 'quota_exceeded',
    // @ts-expect-error A page has its rows in data.
    page.jobs,
  ];
}
