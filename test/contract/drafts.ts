import type { JobDraft } from '../../domain/records.ts';

/** A draft for the job store, for tests that need a job without a request. */
export function draftFor(
  owner: Pick<JobDraft, 'accountId' | 'keyId'>,
  more: Partial<JobDraft> = {},
): JobDraft {
  return {
    jobId: crypto.randomUUID(),
    accountId: owner.accountId,
    keyId: owner.keyId,
    idempotencyKey: null,
    bodyDigest: '',
    tool: 'declutter',
    imagesCharged: 1,
    options: {},
    warnings: [],
    webhookUrl: null,
    workflowId: 'none',
    input: { bucket: 'inputs', key: 'none' },
    ...more,
  };
}
