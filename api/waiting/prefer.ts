import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { jobNotFound } from '../../lib/contract/api-errors.ts';
import { WAITING } from '../../lib/contract/limits.ts';
import type { JobCreated, JobReplayed } from '../../lib/contract/schemas.ts';
import { presentJob } from '../../lib/domain/present.ts';
import type { JobRecord } from '../../lib/domain/records.ts';
import type { JobStore } from '../../lib/stores/job-store.ts';
import type { ApiDeps } from '../deps.ts';
import type { Waiter } from './waiters.ts';

/** The headers of a request that may ask to wait. */
export const PreferHeader = Type.Object({
  prefer: Type.Optional(
    Type.String({
      description: `\`wait=N\` (RFC 7240) asks to be answered once the job has ended, or after N seconds: 1 to ${WAITING.preferSeconds}, and more count as ${WAITING.preferSeconds}. Other preferences are ignored.`,
    }),
  ),
});

/**
 * The seconds of the preference `wait` (RFC 7240, section 4.3), at most
 * {@link WAITING}.preferSeconds.
 * @param header the Prefer header, with the values of repeated ones joined by commas
 * @returns undefined without the preference, and when its value is not a number of seconds from 1
 * on
 */
export function preferredWait(header: string | undefined): number | undefined {
  // The first `wait` counts, even if its value cannot be used (section 2).
  const value = split(header ?? '', ',')
    .map(nameAndValue)
    .find(([name]) => name === 'wait')?.[1];
  const seconds = /^\d+$/.test(value ?? '') ? Number(value) : 0;
  return seconds > 0 ? Math.min(seconds, WAITING.preferSeconds) : undefined;
}

/** Of `Name=value; parameter`, the name in lower case and the value without quotes. */
function nameAndValue(preference: string): [name: string, value: string] {
  const [first = ''] = split(preference, ';');
  const [name = '', ...value] = split(first, '=');
  return [name.trim().toLowerCase(), unquoted(value.join('=').trim())];
}

function unquoted(word: string): string {
  const isQuoted = word.length > 1 && word.startsWith('"') && word.endsWith('"');
  return isQuoted ? word.slice(1, -1).replace(/\\(.)/g, '$1') : word;
}

/** Splits at a separator, except within quoted strings (RFC 9110, 5.6.4). */
function split(text: string, separator: string): string[] {
  const parts: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let n = 0; n < text.length; n += 1) {
    if (isQuoted && text[n] === '\\') n += 1;
    else if (text[n] === '"') isQuoted = !isQuoted;
    else if (text[n] === separator && !isQuoted) {
      parts.push(text.slice(start, n));
      start = n + 1;
    }
  }
  return [...parts, text.slice(start)];
}

/**
 * See JobStore.find. Without options and warnings, which may take 50 KB of memory while a request
 * waits.
 */
export async function findBrief(
  jobs: Pick<JobStore, 'find'>,
  accountId: string,
  jobId: string,
): Promise<JobRecord | undefined> {
  const job = await jobs.find(accountId, jobId);
  return job && { ...job, options: {}, warnings: [] };
}

/**
 * The job once it has ended, or as it is when the time is up; `revoked` if the key was revoked
 * meanwhile.
 * @throws ApiError job_not_found if it is gone
 */
export async function untilEnded(
  waiter: Waiter,
  job: JobRecord,
  seconds: number,
): Promise<JobRecord | 'revoked'> {
  if (job.status !== 'processing') return job;
  const news = await waiter.news(seconds * 1000);
  if (news === 'gone') throw jobNotFound();
  if (news === 'revoked') return news;
  return { ...job, ...news };
}

/**
 * Waits for the job of a POST if its client prefers that. Nothing of the body may be held
 * meanwhile.
 * @returns the answer: a job that ends in time is returned as in a replay
 * @throws ApiError job_not_found if the job is deleted meanwhile
 */
export async function waitIfPreferred(
  { stores, waiters, images, usualTimes }: ApiDeps,
  { caller, headers }: FastifyRequest,
  reply: FastifyReply,
  created: JobCreated | JobReplayed,
): Promise<JobCreated | JobReplayed> {
  const seconds = preferredWait(headers.prefer?.toString());
  if (seconds === undefined) return created;
  const { accountId, keyId } = caller;
  const isRevoked = () => stores.keys.isRevoked(keyId);
  const waiting = { accountId, jobId: created.job_id, response: reply.raw, isRevoked };
  const waiter = await waiters.register('prefer', waiting);
  if (waiter === undefined) return created;
  reply.header('Preference-Applied', `wait=${seconds}`);
  if (created.status !== 'processing') return created;
  // An error here must not become a 5xx, because that would void the job.
  const found = await findBrief(stores.jobs, accountId, waiting.jobId).catch(() => undefined);
  if (found === undefined) return created;
  const job = await untilEnded(waiter, found, seconds);
  // The job is charged, so its client gets the job, but not its end.
  if (job === 'revoked') return created;
  usualTimes.saw(job);
  return job.status === 'processing' ? created : { ...presentJob(job, images), warnings: created.warnings };
}
