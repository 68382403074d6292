import { randomUUID } from 'node:crypto';
import type { JobDraft } from '../../lib/domain/records.ts';
import { jobWorkflowId } from '../../lib/protocol/workflow-ids.ts';
import type { Stores } from '../../lib/stores/stores.ts';

/** The owner of a job. */
export type Owner = Pick<JobDraft, 'accountId' | 'keyId'>;

/** An account with one key, and so with the 50 free images. */
export async function newClient(stores: Pick<Stores, 'accounts' | 'keys'>): Promise<Owner> {
  const { id } = await stores.accounts.create({
    name: 'Client',
    webhookUrl: null,
    webhookSecret: 'whsec_c2VjcmV0LW9mLWEtY2xpZW50',
  });
  const { key } = await newKey(stores, id);
  return { accountId: id, keyId: key.id };
}

export function newKey({ keys }: Pick<Stores, 'keys'>, accountId: string, digest: string = randomUUID()) {
  return keys.create({ accountId, name: 'Production', digest, hint: 'ija_abcd', retentionDays: null });
}

/** A job that a store can accept without a request. */
export function draftOf({ accountId, keyId }: Owner, changes: Partial<JobDraft> = {}): JobDraft {
  const jobId = randomUUID();
  return {
    jobId,
    accountId,
    keyId,
    idempotencyKey: null,
    bodyDigest: 'digest',
    tool: 'image-enhancement',
    imagesCharged: 1,
    options: { customPrompt: 'brighter' },
    warnings: [],
    webhookUrl: null,
    workflowId: jobWorkflowId(jobId),
    input: { bucket: 'inputs', key: `${accountId}/${jobId}.jpeg` },
    ...changes,
  };
}

export async function balanceOf({ accounts }: Pick<Stores, 'accounts'>, owner: Owner): Promise<number> {
  return (await accounts.get(owner.accountId)).balance;
}
